from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.trading import AnyMover, DailyQuote, Mover, Movers, Rank, SectorMover, percent_change

quotes = st.builds(DailyQuote, st.sampled_from([5.0, 10.0, 20.0]), st.integers(1, 30).map(float))
shares = st.builds(Mover.of_day, st.sampled_from("ABCDEFGH"), quotes)


def movers_of(**rows: tuple[float, float]) -> Movers:
    return Movers({symbol: Mover.of_day(symbol, DailyQuote(*row)) for symbol, row in rows.items()})


def symbols(movers: list[AnyMover]) -> str:
    return "".join(mover.symbol for mover in movers)


def test_a_mover_has_its_change_in_percent_of_the_open() -> None:
    assert Mover.of_day("CCC", DailyQuote(10.0, 10.1)) == Mover("CCC", 10.0, 10.1, 0.9999999999999963)


def test_a_change_that_no_number_holds_is_refused() -> None:
    with pytest.raises(ValueError, match=r"close is 1e\+308 and open is 0.5; no number is the change from one to the other"):
        DailyQuote(0.5, 1e308)


def test_the_change_from_an_open_of_zero_is_zero() -> None:
    assert percent_change(0.0, 50.0) == 0.0


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ((0.0, 9.0), "open is 0.0; it must be a number above 0"),
        ((9.0, -1.0), "close is -1.0; it must be a number above 0"),
        ((9.0, "101.5"), "close is '101.5'; it must be a number above 0"),
        ((9.0, 9.0, " "), "sector is ' '; it must be a text that is not empty"),
    ],
)
def test_a_quote_that_cannot_be_true_cannot_be_created(fields: tuple[Any, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        DailyQuote(*fields)


def test_movers_have_a_hash() -> None:
    assert hash(movers_of(A=(10, 11))) == hash(movers_of(A=(10, 11)))


def test_a_mover_has_a_sector_if_it_is_known() -> None:
    mover = Mover.of_day("A", DailyQuote(10.0, 20.0, "tech"))
    assert mover == SectorMover("A", "tech", 10.0, 20.0, 100.0)
    assert mover.sector == "tech"
    assert Mover.of_day("A", DailyQuote(10.0, 20.0)).sector is None


@pytest.mark.parametrize(("rank", "order"), [("abs", "DBAC"), ("gain", "BACD"), ("loss", "DCAB")])
def test_movers_are_ranked_by_absolute_change_gain_or_loss(rank: Rank, order: str) -> None:
    movers = movers_of(A=(100, 101), B=(100, 150), C=(100, 100), D=(100, 10))
    assert symbols(movers.top(10, rank)) == order


def test_movers_of_equal_change_are_ordered_by_symbol() -> None:
    movers = movers_of(D=(100, 90), B=(100, 110), é=(100, 100), A=(10, 11), C=(50, 50), E=(10, 9))
    assert symbols(movers.top(10)) == "ABDECé"


@given(st.lists(shares), st.integers(0, 10), st.sampled_from(["abs", "gain", "loss"]))
def test_no_mover_outside_the_list_ranks_above_one_in_it(some: list[AnyMover], n: int, rank: Rank) -> None:
    measures: dict[str, Callable[[float], float]] = {"abs": abs, "gain": float, "loss": lambda change: -change}
    movers = reduce(Movers.enter, some, Movers())
    listed = movers.top(n, rank)
    changes = [measures[rank](mover.change_percent) for mover in listed]
    others = [measures[rank](mover.change_percent) for mover in movers.by_symbol.values() if mover not in listed]
    assert len(listed) == min(n, len(movers.by_symbol))
    assert changes == sorted(changes, reverse=True)
    assert not listed or not others or max(others) <= changes[-1]


@given(st.lists(shares), shares)
def test_a_mover_replaces_the_one_of_its_symbol_and_can_leave_again(some: list[AnyMover], another: AnyMover) -> None:
    movers = reduce(Movers.enter, some, Movers())
    before = dict(movers.by_symbol)
    without = {symbol: mover for symbol, mover in movers.by_symbol.items() if symbol != another.symbol}
    assert movers.enter(another) == Movers({**without, another.symbol: another})
    assert movers.enter(another).leave(another) == Movers(without)
    assert movers.by_symbol == before
