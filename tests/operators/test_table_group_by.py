"""group_by on tables, with count, reduce and aggregate."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.handles import GroupedTable
from eddyline.testing import MemoryEngine
from tests.fixtures.examples import examples
from tests.operators.running import emitted, engine_for


def group_and_size(_key: str, value: str) -> tuple[str | None, int]:
    """Return the group, the part before the colon or None if it is empty, and the number after the colon."""
    group, _, size = value.partition(":")
    return group or None, int(size)


def grouping(aggregate: Any, **options: Any) -> MemoryEngine:
    def define(builder: TopologyBuilder) -> None:
        grouped: GroupedTable[str, int] = builder.table("in", key=str, value=str).group_by(group_and_size, name="by-group")
        aggregate(grouped).to_stream().to("out")

    return engine_for(define, **options)


def append(text: str, size: int) -> str:
    return f"{text}+{size}"


def remove(text: str, size: int) -> str:
    return f"{text}-{size}"


def test_a_row_that_stays_in_its_group_is_subtracted_and_added_with_one_update() -> None:
    engine = grouping(lambda grouped: grouped.aggregate(str, append, remove, store="texts"))
    engine.pipe("in", "a", "x:1", 20)
    engine.pipe("in", "a", "x:2", 10)
    assert emitted(engine) == [("x", "+1", 20), ("x", "+1-1+2", 20)]


def test_a_row_that_changes_its_group_is_subtracted_before_it_is_added() -> None:
    engine = grouping(lambda grouped: grouped.count(store="counts"))
    engine.pipe("in", "a", "x:1", 10)
    engine.pipe("in", "a", "y:1", 20)
    assert emitted(engine) == [("x", 1, 10), ("x", 0, 20), ("y", 1, 20)]
    assert engine.store("counts") == [StoreRow("x", 0, None, 20), StoreRow("y", 1, None, 20)]


def test_a_row_without_a_group_is_ignored_and_a_deleted_row_is_subtracted() -> None:
    engine = grouping(lambda grouped: grouped.count())
    for timestamp, value in enumerate([":1", "x:1", ":1", "x:1", None, None]):
        engine.pipe("in", "a", value, timestamp)
    assert emitted(engine) == [("x", 1, 1), ("x", 0, 2), ("x", 1, 3), ("x", 0, 4)]
    assert engine.drops == {}


def test_an_update_without_a_change_is_forwarded_too() -> None:
    engine = grouping(lambda grouped: grouped.count())
    for timestamp in (1, 2):
        engine.pipe("in", "a", "x:1", timestamp)
    assert emitted(engine) == [("x", 1, 1), ("x", 1, 2)]


def test_reduce_starts_with_the_first_value() -> None:
    engine = grouping(lambda grouped: grouped.reduce(int.__add__, int.__sub__, store="sums"))
    engine.pipe("in", "a", "x:5", 1)
    engine.pipe("in", "b", "x:7", 2)
    engine.pipe("in", "a", None, 3)
    assert [value for _, value, _ in emitted(engine)] == [5, 12, 7]


def test_with_key_adder_and_subtractor_take_the_group_first() -> None:
    def add(group: str, text: str, size: int) -> str:
        return f"{text}{group}{size}"

    def subtract(group: str, text: str, size: int) -> str:
        return text.replace(f"{group}{size}", "")

    engine = grouping(lambda grouped: grouped.aggregate(str, add, subtract, with_key=True))
    engine.pipe("in", "a", "x:5", 1)
    engine.pipe("in", "a", "y:5", 2)
    assert emitted(engine) == [("x", "x5", 1), ("x", "", 2), ("y", "y5", 2)]


ROWS = st.lists(
    st.tuples(
        st.sampled_from("abcd"), st.none() | st.builds("{}:{}".format, st.sampled_from(["", "x", "y", "z"]), st.integers(0, 3))
    ),
    max_size=30,
)


@pytest.mark.parametrize("options", [{}, {"partitions": 3}, {"partitions": 3, "emit": "latest"}])
@given(rows=ROWS)
@settings(max_examples=examples(60))
def test_groups_always_aggregate_the_rows_of_the_table(options: dict[str, Any], rows: list[tuple[str, str | None]]) -> None:
    engine = grouping(lambda grouped: grouped.reduce(int.__add__, int.__sub__, store="sums"), **options)
    table: dict[str, str] = {}
    for timestamp, (key, value) in enumerate(rows):
        engine.pipe("in", key, value, timestamp)
        table = {**table, key: value} if value is not None else {other: row for other, row in table.items() if other != key}
        if timestamp % 3 == 0:
            engine.commit()
    engine.commit()
    sums: Counter[str] = Counter()
    for value in table.values():
        group, size = group_and_size("", value)
        if group is not None:
            sums[group] += size
    assert {row.key: row.value for row in engine.store("sums") if row.value} == +sums


def test_a_row_with_a_group_but_without_a_value_is_ignored() -> None:
    def define(builder: TopologyBuilder) -> None:
        table = builder.table("in", key=str, value=str)
        grouped = table.group_by(lambda _key, value: ("x", int(value) if value else None), key=str, value=int)
        grouped.aggregate(str, append, remove, store="texts").to_stream().to("out")

    engine = engine_for(define)
    for timestamp, value in enumerate(["", "1", "", "2"]):
        engine.pipe("in", "a", value, timestamp)
    assert emitted(engine) == [("x", "+1", 1), ("x", "+1-1", 2), ("x", "+1-1+2", 3)]
