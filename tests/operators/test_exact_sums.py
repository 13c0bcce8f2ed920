"""Sums and means of floats: the same bits wherever commits are, and in whatever order records come."""

from collections.abc import Callable
from dataclasses import dataclass
from math import fsum
from typing import Any

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


def _same(price: float) -> float:
    return price


BOTH: Any = agg.combine(Row, total=agg.sum(_same), mean=agg.avg(_same))

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


def test_integers_of_a_mean_are_added_up_exactly() -> None:
    def of(number: int) -> int:
        return number

    steps = agg.avg(of).of_stream
    state = steps.fold.initial()
    for number in (2**60, 1, -(2**60)):
        state = steps.fold.add(state, number)
    assert steps.result is not None
    assert steps.result(state) == 1 / 3
