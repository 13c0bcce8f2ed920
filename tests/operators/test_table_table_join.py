"""join, left_join and outer_join of two tables."""

from collections import Counter
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology import TopologyBuilder
from eddyline.testing import MemoryEngine
from tests.fixtures.examples import examples
from tests.operators.running import emitted, engine_for

Operator = Literal["join", "left_join", "outer_join"]
OPERATORS: tuple[Operator, ...] = ("join", "left_join", "outer_join")
Pair = tuple[str | None, str | None]


def pair(left: str | None, right: str | None) -> Pair:
    return left, right


def joining(operator: Operator, *, stored: bool = False, **options: Any) -> MemoryEngine:
    def define(builder: TopologyBuilder) -> None:
        left = builder.table("left", key=str, value=str)
        right = builder.table("right", key=str, value=str)
        getattr(left, operator)(right, pair, store="pairs" if stored else None).to_stream().to("out")

    return engine_for(define, **options)


def test_an_update_of_either_side_has_the_greater_timestamp_of_both_rows() -> None:
    engine = joining("join")
    engine.pipe("left", "a", "l1", 10)
    engine.pipe("right", "a", "r1", 5)
    engine.pipe("right", "a", "r2", 15)
    assert emitted(engine) == [("a", ("l1", "r1"), 10), ("a", ("l1", "r2"), 15)]


def test_an_inner_join_deletes_the_result_when_either_side_is_deleted() -> None:
    engine = joining("join")
    engine.pipe("left", "a", "l1", 10)
    engine.pipe("right", "a", "r1", 5)
    engine.pipe("right", "a", None, 1)
    engine.pipe("right", "a", None, 2)
    engine.pipe("left", "a", None, 3)
    assert emitted(engine)[1:] == [("a", None, 10), ("a", None, 10)]


def test_a_left_join_keeps_a_left_row_without_a_right_row() -> None:
    engine = joining("left_join")
    engine.pipe("right", "a", "r1", 5)
    engine.pipe("left", "a", "l1", 1)
    engine.pipe("right", "a", None, 7)
    engine.pipe("left", "a", None, 3)
    assert emitted(engine) == [("a", ("l1", "r1"), 5), ("a", ("l1", None), 7), ("a", None, 3)]


def test_an_outer_join_keeps_the_rows_of_both_sides() -> None:
    engine = joining("outer_join")
    engine.pipe("right", "a", "r1", 5)
    engine.pipe("left", "a", "l1", 1)
    engine.pipe("right", "a", None, 7)
    assert emitted(engine) == [("a", (None, "r1"), 5), ("a", ("l1", "r1"), 5), ("a", ("l1", None), 7)]


def test_with_key_the_joiner_takes_the_key_first() -> None:
    def define(builder: TopologyBuilder) -> None:
        left = builder.table("left", key=str, value=str)
        right = builder.table("right", key=str, value=str)
        left.join(right, lambda key, one, other: key + one + other, with_key=True).to_stream().to("out")

    engine = engine_for(define)
    engine.pipe("left", "a", "b", 0)
    engine.pipe("right", "a", "c", 0)
    assert emitted(engine) == [("a", "abc", 0)]


def test_a_joined_table_without_a_store_can_be_joined() -> None:
    def define(builder: TopologyBuilder) -> None:
        one, two, three = (builder.table(topic, key=str, value=str) for topic in ("one", "two", "three"))
        upper = two.filter(lambda _key, value: value != "hidden").map_values(str.upper)
        one.left_join(upper, lambda a, b: a + (b or "-")).join(three, lambda ab, c: ab + c).to_stream().to("out")

    engine = engine_for(define)
    for topic, value in [("one", "a"), ("two", "b"), ("three", "c"), ("two", "hidden"), ("three", "d")]:
        engine.pipe(topic, "k", value, 0)
    assert [value for _, value, _ in emitted(engine)] == ["aBc", "a-c", "a-d"]


SIDES = st.lists(
    st.tuples(st.sampled_from(["left", "right"]), st.sampled_from("abc"), st.none() | st.sampled_from("xyz")), max_size=30
)


@pytest.mark.parametrize("options", [{}, {"partitions": 3}, {"emit": "latest"}])
@pytest.mark.parametrize("operator", OPERATORS)
@given(updates=SIDES)
@settings(max_examples=examples(40))
def test_the_joined_table_is_the_join_of_the_tables(
    options: dict[str, Any], operator: Operator, updates: list[tuple[str, str, str | None]]
) -> None:
    engine = joining(operator, stored=True, **options)
    tables: dict[str, dict[str, tuple[str, int]]] = {"left": {}, "right": {}}
    for timestamp, (side, key, value) in enumerate(updates):
        engine.pipe(side, key, value, timestamp)
        tables[side].pop(key, None)
        if value is not None:
            tables[side][key] = (value, timestamp)
        if timestamp % 3 == 0:
            engine.commit()
    engine.commit()
    left, right = ({key: value for key, (value, _) in rows.items()} for rows in tables.values())
    keys = {"join": left.keys() & right.keys(), "left_join": left.keys(), "outer_join": left.keys() | right.keys()}[operator]
    assert {row.key: row.value for row in engine.store("pairs")} == {key: (left.get(key), right.get(key)) for key in keys}


def test_stored_rows_have_the_timestamp_of_the_joined_row() -> None:
    engine = joining("join", stored=True)
    engine.pipe("left", "a", "l1", 10)
    engine.pipe("right", "a", "r1", 5)
    assert engine.store("pairs") == [StoreRow("a", ("l1", "r1"), None, 10)]


def words(_key: str, both: Pair) -> tuple[str | None, int]:
    return both[1], len(both[0] or "")


@pytest.mark.parametrize("emit", ["every-update", "latest"])
@pytest.mark.parametrize("operator", OPERATORS)
@given(updates=SIDES, commit_every=st.integers(1, 5))
@settings(max_examples=examples(60))
def test_operators_after_a_join_without_a_store_get_the_right_old_values(
    emit: str, operator: Operator, updates: list[tuple[str, str, str | None]], commit_every: int
) -> None:
    def define(builder: TopologyBuilder) -> None:
        left = builder.table("left", key=str, value=str)
        right = builder.table("right", key=str, value=str)
        joined = getattr(left, operator)(right, pair, value=tuple[str | None, str | None])
        joined.filter(lambda _key, both: both[0] == both[1], store="equal")
        joined.group_by(words, key=str, value=int).reduce(int.__add__, int.__sub__, store="lengths")

    engine = engine_for(define, emit=emit)
    tables: dict[str, dict[str, str]] = {"left": {}, "right": {}}
    for number, (side, key, value) in enumerate(updates, start=1):
        engine.pipe(side, key, value, number)
        tables[side].pop(key, None)
        if value is not None:
            tables[side][key] = value
        if number % commit_every == 0:
            engine.commit()
    engine.commit()
    left, right = tables.values()
    keys = {"join": left.keys() & right.keys(), "left_join": left.keys(), "outer_join": left.keys() | right.keys()}[operator]
    lengths: Counter[str] = Counter()
    for key in keys & right.keys():
        lengths[right[key]] += len(left.get(key, ""))
    assert {row.key for row in engine.store("equal")} == {key for key in keys if left.get(key) == right.get(key)}
    assert {row.key: row.value for row in engine.store("lengths") if row.value} == +lengths
