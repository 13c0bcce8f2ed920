"""Joiners with a key get it on every side, and operators downstream get the old value of each update."""

from typing import Any

import pytest

from eddyline.application.topology import Stream, Table, TopologyBuilder, session, tumbling
from eddyline.testing import MemoryEngine
from tests.operators.running import emitted, engine_for


def text(key: str | None, one: int | None, other: int | None) -> str:
    return f"{key}: {one}, {other}"


def test_a_left_join_with_a_table_passes_the_key_of_the_record_to_its_joiner() -> None:
    def define(builder: TopologyBuilder) -> None:
        stream: Stream[str, int] = builder.stream("in", key=str, value=int)
        stream.left_join(builder.table("other", key=str, value=int), text, value=str, with_key=True).to("out")

    engine = engine_for(define)
    engine.pipe("in", "a", 1, 5, (("trace", b"x"),))
    engine.pipe("other", "a", 2, 5)
    engine.pipe("in", "a", 1, 5, (("trace", b"y"),))
    assert emitted(engine) == [("a", "a: 1, None", 5), ("a", "a: 1, 2", 5)]


def test_a_left_join_with_a_global_table_passes_the_key_even_if_the_selected_key_is_null() -> None:
    def define(builder: TopologyBuilder) -> None:
        stream: Stream[str, int] = builder.stream("in", key=str, value=int)
        table = builder.global_table("other", key=str, value=int)
        stream.left_join(table, text, key_selector=lambda _key, _value: None, value=str, with_key=True).to("out")

    engine = engine_for(define)
    engine.pipe("in", "a", 1, 5, (("trace", b"x"),))
    (output,) = engine.outputs("out")
    assert (output.key, output.value, output.headers) == ("a", "a: 1, None", (("trace", b"x"),))


def test_an_outer_join_of_tables_passes_the_key_for_both_sides_and_the_old_row_alike() -> None:
    def define(builder: TopologyBuilder) -> None:
        left: Table[str, int] = builder.table("left", key=str, value=int)
        right: Table[str, int] = builder.table("right", key=str, value=int)
        joined = left.outer_join(right, text, value=str, with_key=True)
        joined.group_by(lambda _key, value: (value, value), key=str, value=str).count(store="rows").to_stream().to("out")

    engine = engine_for(define)
    for topic, value in (("left", 1), ("right", 2), ("left", None), ("right", 3), ("right", None)):
        engine.pipe(topic, "a", value, 5)
    assert [(key, value) for key, value, _ in emitted(engine, "out")] == [
        ("a: 1, None", 1),
        *[("a: 1, None", 0), ("a: 1, 2", 1)],
        *[("a: 1, 2", 0), ("a: None, 2", 1)],
        *[("a: None, 2", 0), ("a: None, 3", 1)],
        ("a: None, 3", 0),
    ]


def sum_or_none(so_far: int, value: int) -> Any:
    return so_far + value if value else None


def sessions() -> MemoryEngine:
    """Return an engine that sums, over all keys and sessions, the numbers of records in them."""

    def define(builder: TopologyBuilder) -> None:
        stream: Stream[str, int] = builder.stream("in", key=str, value=int)
        counts: Table[Any, int] = stream.group_by_key().windowed_by(session(10, grace=100)).count(store="counts")
        numbers = counts.group_by(lambda _key, value: ("all", value), key=str, value=int)
        total = numbers.aggregate(
            int, adder=lambda so_far, value: so_far + value, subtractor=lambda so_far, value: so_far - value, store="total"
        )
        total.to_stream().to("out")

    return engine_for(define)


@pytest.mark.parametrize(
    ("timestamps", "total"),
    [([5, 5], 2), ([5, 12], 2), ([5, 40, 22, 31], 4), ([5, 30, 14, 23], 4)],
    ids=["one timestamp", "extended", "merged into one", "merged step by step"],
)
def test_the_old_counts_of_sessions_are_subtracted_downstream(timestamps: list[int], total: int) -> None:
    engine = sessions()
    for timestamp in timestamps:
        engine.pipe("in", "a", 1, timestamp)
    assert emitted(engine, "out")[-1][:2] == ("all", total)


def test_the_tombstone_of_a_merged_session_has_the_headers_of_the_record_that_merged_it() -> None:
    def define(builder: TopologyBuilder) -> None:
        stream: Stream[str, int] = builder.stream("in", key=str, value=int)
        stream.group_by_key().windowed_by(session(10, grace=100)).count(store="counts").to_stream().to("out")

    engine = engine_for(define)
    engine.pipe("in", "a", 1, 5, (("trace", b"first"),))
    engine.pipe("in", "a", 1, 12, (("trace", b"second"),))
    assert [(output.value, output.headers) for output in engine.outputs("out")] == [
        (1, (("trace", b"first"),)),
        (None, (("trace", b"second"),)),
        (2, (("trace", b"second"),)),
    ]


def test_the_old_counts_of_windows_are_subtracted_downstream() -> None:
    def define(builder: TopologyBuilder) -> None:
        stream: Stream[str, int] = builder.stream("in", key=str, value=int)
        counts: Table[Any, int] = stream.group_by_key().windowed_by(tumbling(10, grace=100)).count(store="counts")
        numbers = counts.group_by(lambda _key, value: ("all", value), key=str, value=int)
        total = numbers.aggregate(
            int, adder=lambda so_far, value: so_far + value, subtractor=lambda so_far, value: so_far - value, store="total"
        )
        total.to_stream().to("out")

    engine = engine_for(define)
    for timestamp in (5, 6, 15, 7):
        engine.pipe("in", "a", 1, timestamp)
    assert emitted(engine, "out")[-1][:2] == ("all", 4)


def test_an_aggregate_of_a_window_that_becomes_none_is_deleted() -> None:
    def define(builder: TopologyBuilder) -> None:
        stream: Stream[str, int] = builder.stream("in", key=str, value=int)
        windowed = stream.group_by_key().windowed_by(tumbling(10, grace=0))
        windowed.aggregate(int, sum_or_none, value=int, store="sums")

    engine = engine_for(define)
    engine.pipe("in", "a", 3, 5)
    assert [row.value for row in engine.store("sums")] == [3]
    engine.pipe("in", "a", 0, 6)
    assert engine.store("sums") == []


def test_a_function_that_chooses_the_topic_gets_key_and_value_and_the_record_is_written_unchanged() -> None:
    chosen: list[tuple[str, int]] = []

    def choose(key: str, value: int) -> str:
        chosen.append((key, value))
        return f"{key}-{value}"

    engine = engine_for(lambda builder: builder.stream("in", key=str, value=int).to(choose))
    engine.pipe("in", "a", 3, 5, (("trace", b"x"),))
    (output,) = engine.outputs()
    assert (output.topic, output.key, output.value, output.timestamp, output.headers) == ("a-3", "a", 3, 5, (("trace", b"x"),))
    assert chosen == [("a", 3)]
