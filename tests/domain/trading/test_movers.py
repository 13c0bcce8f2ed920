from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.trading import (
    AnyMover,
    Mover,
    Rank,
    SectorMover,
    change_percent,
    enter,
    leave,
    mover,
    no_movers,
    sector_of,
    top_movers,
)

rows = st.fixed_dictionaries({"open": st.sampled_from([0.0, 10.0, -10.0, 20.0]), "close": st.integers(-30, 30).map(float)})
shares = st.builds(mover, st.sampled_from("ABCDEFGH"), rows)


def moved(**rows: tuple[float, float]) -> dict[str, AnyMover]:
    return {symbol: mover(symbol, {"open": open_price, "close": close}) for symbol, (open_price, close) in rows.items()}


def symbols(movers: list[AnyMover]) -> str:
    return "".join(share.symbol for share in movers)


def test_a_mover_tells_the_change_in_per_cent_of_the_open() -> None:
    assert mover("CCC", {"open": 10.0, "close": 10.1}) == Mover("CCC", 10.0, 10.1, 0.9999999999999963)


def test_an_open_of_zero_counts_as_no_move() -> None:
    assert change_percent(0.0, 50.0) == 0.0


@pytest.mark.parametrize("row", [{}, {"open": None, "close": None}, {"open": "10", "close": [1]}])
def test_a_price_that_is_missing_or_no_number_counts_as_zero(row: dict[str, Any]) -> None:
    assert mover("A", row) == Mover("A", 0.0, 0.0, 0.0)


def test_a_mover_has_a_sector_when_its_row_names_one() -> None:
    share = mover("A", {"open": 10, "close": 20, "sector": "tech"})
    assert share == SectorMover("A", "tech", 10.0, 20.0, 100.0)
    assert sector_of(share) == "tech"
    assert sector_of(mover("A", {"open": 10, "close": 20, "sector": None})) is None


@pytest.mark.parametrize(("rank", "order"), [("abs", "DBAC"), ("gain", "BACD"), ("loss", "DCAB")])
def test_rank_says_which_changes_come_first(rank: Rank, order: str) -> None:
    movers = moved(A=(100, 101), B=(100, 150), C=(100, 100), D=(100, 10))
    assert symbols(top_movers(movers, 10, rank)) == order


def test_equal_changes_rank_by_symbol() -> None:
    movers = moved(D=(100, 90), B=(100, 110), é=(100, 100), A=(10, 11), C=(0, 50), E=(-10, -11))
    assert symbols(top_movers(movers, 10)) == "ABDECé"


@given(st.lists(shares), st.integers(0, 10), st.sampled_from(["abs", "gain", "loss"]))
def test_the_list_holds_the_first_few_and_nothing_left_out_ranks_before_them(some: list[AnyMover], n: int, rank: Rank) -> None:
    measures: dict[str, Callable[[float], float]] = {"abs": abs, "gain": float, "loss": lambda change: -change}
    movers = no_movers()
    for share in some:
        movers = enter(movers, share)
    listed = top_movers(movers, n, rank)
    changes = [measures[rank](share.change_percent) for share in listed]
    left_out = [measures[rank](share.change_percent) for share in movers.values() if share not in listed]
    assert len(listed) == min(n, len(movers))
    assert changes == sorted(changes, reverse=True)
    assert not listed or not left_out or max(left_out) <= changes[-1]


@given(st.lists(shares), shares)
def test_what_enters_replaces_its_symbol_and_leaves_again(some: list[AnyMover], another: AnyMover) -> None:
    movers = no_movers()
    for share in some:
        movers = enter(movers, share)
    before = dict(movers)
    without = {symbol: share for symbol, share in movers.items() if symbol != another.symbol}
    assert enter(movers, another) == {**without, another.symbol: another}
    assert leave(enter(movers, another), another) == without
    assert movers == before
