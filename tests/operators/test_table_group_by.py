"""group_by on tables, with count, reduce and aggregate."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.runtime.store_rows import StoreRow
from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.grouped_table import GroupedTable
from tests.operators.running import engine_for, seen


def group_and_size(_key: str, value: str) -> tuple[str | None, int]:
    """The group is what stands before the colon, nothing is no group; the number behind it counts there."""
    group, _, size = value.partition(":")
    return group or None, int(size)


def grouping(fold: Any, **options: Any) -> MemoryEngine:
    def define(builder: TopologyBuilder) -> None:
        grouped: GroupedTable[str, int] = builder.table("in", key=str, value=str).group_by(group_and_size, name="by-group")
        fold(grouped).to_stream().to("out")

    return engine_for(define, **options)


def joined_text(text: str, size: int) -> str:
    return f"{text}+{size}"


def cut_text(text: str, size: int) -> str:
    return f"{text}-{size}"


def test_a_row_that_stays_in_its_group_leaves_and_enters_in_one_update() -> None:
    engine = grouping(lambda grouped: grouped.aggregate(str, joined_text, cut_text, store="texts"))
    engine.pipe("in", "a", "x:1", 20)
    engine.pipe("in", "a", "x:2", 10)
    assert seen(engine) == [("x", "+1", 20), ("x", "+1-1+2", 20)]


def test_a_row_that_moves_leaves_its_old_group_before_it_enters_the_new_one() -> None:
    engine = grouping(lambda grouped: grouped.count(store="counts"))
    engine.pipe("in", "a", "x:1", 10)
    engine.pipe("in", "a", "y:1", 20)
    assert seen(engine) == [("x", 1, 10), ("x", 0, 20), ("y", 1, 20)]
    assert engine.store("counts") == [StoreRow("x", 0, None, 20), StoreRow("y", 1, None, 20)]


def test_a_row_without_a_group_is_in_none_and_a_deleted_one_leaves_its_group() -> None:
    engine = grouping(lambda grouped: grouped.count())
    for timestamp, value in enumerate([":1", "x:1", ":1", "x:1", None, None]):
        engine.pipe("in", "a", value, timestamp)
    assert seen(engine) == [("x", 1, 1), ("x", 0, 2), ("x", 1, 3), ("x", 0, 4)]


def test_a_row_that_did_not_change_is_forwarded_all_the_same() -> None:
    engine = grouping(lambda grouped: grouped.count())
    for timestamp in (1, 2):
        engine.pipe("in", "a", "x:1", timestamp)
    assert seen(engine) == [("x", 1, 1), ("x", 1, 2)]


def test_reduce_begins_with_the_first_value_as_it_is() -> None:
    engine = grouping(lambda grouped: grouped.reduce(int.__add__, int.__sub__, store="sums"))
    engine.pipe("in", "a", "x:5", 1)
    engine.pipe("in", "b", "x:7", 2)
    engine.pipe("in", "a", None, 3)
    assert [value for _, value, _ in seen(engine)] == [5, 12, 7]


def test_with_key_adder_and_subtractor_take_the_group_first() -> None:
    def enter(group: str, text: str, size: int) -> str:
        return f"{text}{group}{size}"

    def leave(group: str, text: str, size: int) -> str:
        return text.replace(f"{group}{size}", "")

    engine = grouping(lambda grouped: grouped.aggregate(str, enter, leave, with_key=True))
    engine.pipe("in", "a", "x:5", 1)
    engine.pipe("in", "a", "y:5", 2)
    assert seen(engine) == [("x", "x5", 1), ("x", "", 2), ("y", "y5", 2)]


ROWS = st.lists(
    st.tuples(
        st.sampled_from("abcd"), st.none() | st.builds("{}:{}".format, st.sampled_from(["", "x", "y", "z"]), st.integers(0, 3))
    ),
    max_size=30,
)


@pytest.mark.parametrize("options", [{}, {"partitions": 3}, {"partitions": 3, "emit": "latest"}])
@given(rows=ROWS)
@settings(max_examples=60)
def test_the_groups_hold_what_the_table_holds(options: dict[str, Any], rows: list[tuple[str, str | None]]) -> None:
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
