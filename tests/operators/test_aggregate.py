"""count, reduce and aggregate by key."""

from typing import Any

import pytest

from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology import Table, TopologyBuilder
from eddyline.application.topology.handles import GroupedStream
from eddyline.testing import MemoryEngine
from tests.operators.running import emitted, engine_for


def aggregating(aggregate: Any) -> MemoryEngine:
    def define(builder: TopologyBuilder) -> None:
        grouped: GroupedStream[str, int] = builder.stream("in", key=str, value=int).group_by_key()
        table: Table[str, Any] = aggregate(grouped)
        table.to_stream().to("out")

    return engine_for(define)


def test_count_has_the_greatest_timestamp_of_the_counted_records() -> None:
    engine = aggregating(lambda grouped: grouped.count(store="counts"))
    engine.pipe("in", "a", 5, 20)
    engine.pipe("in", "a", 5, 10)
    assert emitted(engine) == [("a", 1, 20), ("a", 2, 20)]
    assert engine.store("counts") == [StoreRow("a", 2, None, 20)]


def test_reduce_starts_with_the_first_value() -> None:
    engine = aggregating(lambda grouped: grouped.reduce(lambda total, value: total + value))
    engine.pipe("in", "a", 5, 10)
    engine.pipe("in", "a", 7, 20)
    assert emitted(engine) == [("a", 5, 10), ("a", 12, 20)]


def test_aggregate_starts_with_the_result_of_the_initializer() -> None:
    engine = aggregating(lambda grouped: grouped.aggregate(int, lambda total, value: total + value, store="sums"))
    engine.pipe("in", "a", 5, 10)
    engine.pipe("in", "b", 7, 20)
    assert engine.store("sums") == [StoreRow("a", 5, None, 10), StoreRow("b", 7, None, 20)]


def test_with_key_the_adder_takes_the_key_first() -> None:
    def add(key: str, total: str, value: int) -> str:
        return f"{total}{key}{value}"

    engine = aggregating(lambda grouped: grouped.aggregate(str, add, with_key=True))
    engine.pipe("in", "a", 5, 10)
    engine.pipe("in", "a", 6, 10)
    assert [value for _, value, _ in emitted(engine)] == ["a5", "a5a6"]


def test_records_with_null_keys_or_null_values_are_dropped_with_a_reason() -> None:
    engine = aggregating(lambda grouped: grouped.count(store="counts"))
    engine.pipe("in", None, 5, 10)
    engine.pipe("in", "a", None, 10)
    assert engine.outputs() == []
    assert engine.drops == {("counts-count", "null-key"): 1, ("counts-count", "null-value"): 1}
    assert [(drop.reason, drop.source.offset) for drop in engine.dropped if drop.source] == [("null-key", 0), ("null-value", 1)]


def test_an_adder_that_returns_none_deletes_the_row_and_emits_a_tombstone() -> None:
    engine = aggregating(lambda grouped: grouped.aggregate(int, lambda total, value: (total + value) or None, store="sums"))
    engine.pipe("in", "a", 5, 10)
    engine.pipe("in", "a", -5, 20)
    assert emitted(engine)[-1] == ("a", None, 20)
    assert engine.store("sums") == []


@pytest.mark.parametrize(
    "aggregate",
    [
        lambda grouped: grouped.count(caching=True),
        lambda grouped: grouped.reduce(lambda total, value: total + value, caching=True),
        lambda grouped: grouped.aggregate(int, lambda total, value: total + value, caching=True),
    ],
    ids=["count", "reduce", "aggregate"],
)
def test_with_caching_only_the_latest_result_of_a_commit_is_emitted(aggregate: Any) -> None:
    engine = aggregating(aggregate)
    engine.pipe("in", "a", 1, 10)
    engine.pipe("in", "a", 1, 20)
    assert emitted(engine) == []
    engine.commit()
    assert emitted(engine) == [("a", 2, 20)]
