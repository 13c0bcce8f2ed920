"""Sums and means of floats: the same bits wherever commits are, and in whatever order records come."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from math import fsum
from typing import Annotated, Any, NewType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline import TopologyBuilder, hopping, session
from eddyline import aggregations as agg
from eddyline.adapters.memory.engine import MemoryEngine

PRICES = [0.1, 0.2, 0.3, 1e16, 10.37, -1e16, 99.99, 0.1, 1 / 3]


@dataclass(frozen=True)
class Row:
    total: float
    mean: float


def _same(price: Any) -> Any:
    return price


BOTH: Any = agg.combine(Row, total=agg.sum(_same, value=float), mean=agg.avg(_same))

GROUPS: dict[str, Callable[[Any], Any]] = {
    "no windows": lambda group: group.aggregate(BOTH, store="s"),
    "panes": lambda group: group.windowed_by(hopping(40, advance=10, grace=100)).aggregate(BOTH, store="s"),
    "sessions": lambda group: group.windowed_by(session(50, grace=100)).aggregate(BOTH, store="s"),
}


def _results(topology: Any, records: list[tuple[str, Any, Any, int]], commits: set[int]) -> dict[Any, Any]:
    engine = MemoryEngine(topology, emit="latest")
    for number, record in enumerate(records):
        engine.pipe(*record)
        if number in commits:
            engine.commit()
    engine.commit()
    found = {output.key: output.value for output in engine.outputs()}
    return {key: value for key, value in found.items() if value is not None}


@pytest.mark.parametrize("name", GROUPS)
@given(st.permutations(list(enumerate(PRICES))), st.sets(st.integers(0, 8)))
def test_a_sum_depends_on_no_commit_and_no_order(name: str, numbered: list[tuple[int, float]], commits: set[int]) -> None:
    builder = TopologyBuilder()
    GROUPS[name](builder.stream("in", key=str, value=float).group_by_key()).to_stream().to("out")
    topology = builder.build()
    found = _results(topology, [("in", "a", price, 7 * number) for number, price in numbered], commits)
    assert found == _results(topology, [("in", "a", price, 7 * number) for number, price in enumerate(PRICES)], set())
    if name != "panes":
        (row,) = found.values()
        assert row == Row(fsum(PRICES), fsum(PRICES) / len(PRICES))


def test_what_a_table_subtracts_leaves_no_rounding_error() -> None:
    builder = TopologyBuilder()
    table = builder.table("in", key=str, value=float, store="t")
    grouped = table.group_by(lambda _key, price: ("all", price), key=str, value=float, name="all")
    grouped.aggregate(BOTH, store="s").to_stream().to("out")
    engine = MemoryEngine(builder.build())
    for key, price in [("a", 0.1), ("b", 0.2), ("c", 1e16), ("c", None), ("a", None)]:
        engine.pipe("in", key, price, 0)
    assert engine.outputs()[-1].value == Row(0.2, 0.2)


DECIMALS = [Decimal(text) for text in ("1E+30", "0.1", "-1E+30", "2.50", "3.14159265358979323846264338327950288", "1E-30")]


@given(st.permutations(list(enumerate(DECIMALS))), st.sets(st.integers(0, 5)))
def test_a_sum_of_decimals_depends_on_no_commit_and_no_order(numbered: list[tuple[int, Decimal]], commits: set[int]) -> None:
    builder = TopologyBuilder()
    windowed = builder.stream("in", key=str, value=Decimal).group_by_key().windowed_by(hopping(40, advance=10, grace=100))
    windowed.aggregate(agg.sum(_same, value=Decimal), store="s").to_stream().to("out")
    topology = builder.build()
    found = _results(topology, [("in", "a", number, 7 * position) for position, number in numbered], commits)
    assert found == _results(topology, [("in", "a", number, 7 * position) for position, number in enumerate(DECIMALS)], set())


def _summed(numbers: list[Any], of: Any, values: object) -> list[Any]:
    builder = TopologyBuilder()
    builder.stream("in", key=str, value=Any).group_by_key().aggregate(agg.sum(_same, value=of), store="s").to_stream().to("out")
    topology = builder.build()
    assert [topic.value_type for topic in topology.sink_topics] == [values]
    engine = MemoryEngine(topology)
    for number in numbers:
        engine.pipe("in", "a", number, 0)
    return [output.value for output in engine.outputs()]


Price = NewType("Price", float)


@pytest.mark.parametrize(
    ("of", "numbers", "values", "total"),
    [
        (Price, [0.1, 0.2, 0.3], float, 0.6),
        (Annotated[float, "EUR"], [0.1, 0.2, 0.3], float, 0.6),
        (float | None, [0.1, 0.2, 0.3], float, 0.6),
        (int | None, [1, 2], int, 3),
        (bool, [True, True], int, 2),
    ],
)
def test_the_type_of_a_sum_follows_from_that_of_its_numbers(of: Any, numbers: list[Any], values: object, total: Any) -> None:
    assert _summed(numbers, of, values)[-1] == total


def test_a_sum_that_would_be_rounded_is_refused() -> None:
    with pytest.raises(ArithmeticError, match="a sum has more than 1,000 digits"):
        agg.sum(_same, value=Decimal).of_stream.fold.add(Decimal(1), Decimal("1E+5000"))


def test_a_mean_takes_no_decimals() -> None:
    with pytest.raises(TypeError, match=r"avg\(…\) takes ints and floats, but got Decimal\('1'\)"):
        agg.avg(_same).of_stream.fold.add((0, 0, (0.0, ())), Decimal(1))


def test_integers_of_a_mean_are_added_up_exactly() -> None:
    def of(number: int) -> int:
        return number

    steps = agg.avg(of).of_stream
    state = steps.fold.initial()
    for number in (2**60, 1, -(2**60)):
        state = steps.fold.add(state, number)
    assert steps.result is not None
    assert steps.result(state) == 1 / 3
