"""suppress: buffers updates of a table."""

from dataclasses import dataclass
from typing import Any

import pytest

from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.operators.suppress import BufferFullError
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import (
    TopologyBuilder,
    TopologyError,
    session,
    sliding,
    tumbling,
    until_time_limit,
    until_window_closes,
)
from eddyline.application.topology.windows import UntilTimeLimit
from tests.operators.counting import counting, pipe
from tests.operators.running import emitted, engine_for


def suppressed_counts(until: UntilTimeLimit) -> Any:
    def define(builder: TopologyBuilder) -> None:
        builder.stream("in", key=str, value=str).group_by_key().count().suppress(until).to_stream().to("out")

    return engine_for(define)


def test_a_final_result_is_emitted_once_when_stream_time_reaches_window_end_plus_grace() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(tumbling(10, grace=3)).count().suppress(until_window_closes()))
    assert pipe(engine, "a", 1) == pipe(engine, "a", 12) == pipe(engine, "a", 2) == []
    assert pipe(engine, "b", 13) == [("a", 0, 10, 2, 2)]


def test_results_are_emitted_by_window_end_then_by_key() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(tumbling(10, grace=50)).count().suppress(until_window_closes()))
    for key, timestamp in (("é", 1), ("b", 11), ("z", 2), ("a", 12), ("a", 3)):
        pipe(engine, key, timestamp)
    assert [update[:2] for update in pipe(engine, "a", 100)] == [("a", 0), ("z", 0), ("é", 0), ("a", 10), ("b", 10)]


def test_merged_sessions_are_never_emitted() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(session(10, grace=0)).count().suppress(until_window_closes()))
    pipe(engine, "a", 0)
    pipe(engine, "a", 8)
    assert pipe(engine, "b", 18) == [("a", 0, 8, 2, 8)]


def test_a_sliding_window_is_emitted_only_when_it_can_no_longer_change() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(sliding(10, grace=0)).count().suppress(until_window_closes()))
    pipe(engine, "a", 50)
    assert pipe(engine, "a", 50) == []
    assert pipe(engine, "b", 51) == [("a", 40, 50, 2, 50)]


def test_wall_clock_time_does_not_emit_anything() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(tumbling(10, grace=0)).count().suppress(until_window_closes()))
    pipe(engine, "a", 1)
    engine.advance_wall_clock(1_000_000)
    assert engine.outputs() == []


def test_values_can_be_mapped_between_aggregation_and_suppression() -> None:
    engine = counting(
        lambda grouped: (
            grouped.windowed_by(tumbling(10, grace=5))
            .count()
            .map_values(lambda count: f"{count} times", value=str)
            .suppress(until_window_closes())
        )
    )
    pipe(engine, "a", 1)
    assert pipe(engine, "a", 15) == [("a", 0, 10, "1 times", 1)]


def test_the_latest_update_is_emitted_when_the_time_limit_of_the_first_one_is_over() -> None:
    engine = suppressed_counts(until_time_limit(10))
    for timestamp in (0, 4, 9):
        engine.pipe("in", "a", "x", timestamp)
    engine.pipe("in", "b", "x", 10)
    engine.pipe("in", "a", "x", 11)
    engine.pipe("in", "b", "x", 21)
    assert emitted(engine) == [("a", 3, 9), ("b", 2, 21), ("a", 4, 11)]


def test_with_emit_latest_an_update_whose_time_limit_is_over_is_replaced_until_the_commit() -> None:
    def define(builder: TopologyBuilder) -> None:
        builder.stream("in", key=str, value=str).group_by_key().count().suppress(until_time_limit(10)).to_stream().to("out")

    engine = engine_for(define, emit="latest")
    engine.pipe_all([("in", "a", "x", 0)])
    engine.pipe_all([("in", "b", "x", 20), ("in", "a", "x", 21)])
    assert emitted(engine) == [("a", 2, 21)]


def test_the_oldest_updates_are_emitted_early_when_the_buffer_is_full() -> None:
    engine = suppressed_counts(until_time_limit(1_000, max_records=2))
    for key, timestamp in (("c", 1), ("a", 2), ("c", 3), ("b", 4)):
        engine.pipe("in", key, "x", timestamp)
    assert emitted(engine) == [("c", 2, 3)]


def test_a_full_buffer_can_fail_the_task() -> None:
    engine = suppressed_counts(until_time_limit(1_000, max_records=1, when_full="shut-down"))
    engine.pipe("in", "a", "x", 1)
    with pytest.raises(
        BufferFullError,
        match="operator 'in-count-suppress' buffers 2 keys, more than its max_records=1; pass a greater max_records=",
    ):
        engine.pipe("in", "b", "x", 2)


def test_a_full_buffer_of_final_results_fails_the_task() -> None:
    engine = counting(
        lambda grouped: grouped.windowed_by(tumbling(10, grace=0)).count().suppress(until_window_closes(max_records=1))
    )
    pipe(engine, "a", 1)
    with pytest.raises(BufferFullError):
        pipe(engine, "b", 2)


def test_the_old_value_of_an_emitted_update_is_the_value_that_was_emitted_last() -> None:
    def define(builder: TopologyBuilder) -> None:
        counts = builder.stream("in", key=str, value=str).group_by_key().count().suppress(until_time_limit(10))
        grouped = counts.group_by(lambda _key, count: ("all", count), key=str, value=int)
        grouped.reduce(lambda total, count: total + count, lambda total, count: total - count, store="total")

    engine = engine_for(define)
    for timestamp in (0, 1, 10, 11, 12, 30):
        engine.pipe("in", "a", "x", timestamp)
    assert [(row.key, row.value) for row in engine.store("total")] == [("all", 6)]


def test_a_join_reads_the_emitted_rows_of_a_suppressed_table() -> None:
    def define(builder: TopologyBuilder) -> None:
        names = builder.table("names", key=str, value=str, store="names").suppress(until_time_limit(10))
        joined = builder.table("in", key=str, value=str, store="in").left_join(names, lambda value, name: f"{value} {name}")
        joined.to_stream().to("out")

    engine = engine_for(define)
    engine.pipe("names", "a", "Ann", 0)
    engine.pipe("in", "a", "before", 5)
    engine.pipe("names", "b", "Bob", 10)
    engine.pipe("names", "a", "Anna", 11)
    engine.pipe("in", "a", "after", 12)
    assert [value for _, value, _ in emitted(engine)] == ["before None", "before Ann", "after Ann"]


def test_a_buffer_with_too_many_bytes_can_fail_the_task() -> None:
    engine = suppressed_counts(until_time_limit(100, max_bytes=40, when_full="shut-down"))
    engine.pipe("in", "a", "x", 0)
    with pytest.raises(BufferFullError, match=r"buffers 78 bytes, more than its max_bytes=40; pass a greater max_bytes="):
        engine.pipe("in", "b", "x", 1)


def test_the_value_before_an_update_counts_as_well_if_it_was_not_emitted() -> None:
    engine = suppressed_counts(until_time_limit(100, max_bytes=40, when_full="shut-down"))
    engine.pipe("in", "a", "x", 0)
    with pytest.raises(BufferFullError, match="buffers 47 bytes"):
        engine.pipe("in", "a", "x", 1)


def test_the_keys_of_sessions_have_two_timestamps_and_those_of_windows_one() -> None:
    def message(windows: Any) -> str:
        def define(builder: TopologyBuilder) -> None:
            counts = builder.stream("in", key=str, value=str).group_by_key().windowed_by(windows).count(store="counts")
            limit = until_time_limit(100, max_bytes=40, when_full="shut-down")
            counts.suppress(limit).to_stream(lambda key, _: key.key).to("out")

        with pytest.raises(BufferFullError) as raised:
            engine_for(define).pipe("in", "a", "x", 0)
        return str(raised.value)

    assert "buffers 47 bytes" in message(tumbling(10, grace=0))
    assert "buffers 55 bytes" in message(session(10, grace=0))


def test_the_bytes_of_emitted_updates_are_no_longer_in_the_buffer() -> None:
    engine = suppressed_counts(until_time_limit(10, max_bytes=78, when_full="shut-down"))
    for number, key in enumerate("abcdefgh"):
        engine.pipe("in", key, "x", number * 6)
    assert [key for key, _, _ in emitted(engine)] == list("abcdef")


def test_the_bytes_of_a_restored_buffer_are_known() -> None:
    topology = suppressed_counts(until_time_limit(100, max_bytes=60)).topology
    task, restored = (Task(topology, 0, 0, stores=MemoryStateStores()) for _ in range(2))
    task.process("in", "a", "x", 0)
    restored.restore(task.drain_changes())
    restored.process("in", "b", "x", 1)
    assert [output.key for output in restored.take_output()] == ["a"]


def test_a_limit_in_bytes_must_not_be_negative() -> None:
    with pytest.raises(TopologyError, match="max_bytes of suppress must be 0 or more, but is -1; pass None for no limit"):
        until_window_closes(max_bytes=-1)


@dataclass(frozen=True)
class Place:
    """A key that Python cannot order."""

    zone: str
    number: int


def test_keys_that_are_data_classes_are_emitted_in_the_order_of_their_fields() -> None:
    def define(builder: TopologyBuilder) -> None:
        places = builder.table("in", key=Place, value=str)
        places.suppress(until_time_limit(10, max_records=2)).to_stream().to("out")

    engine = engine_for(define)
    for place in (Place("b", 1), Place("a", 2), Place("a", 1)):
        engine.pipe("in", place, "x", 0)
    assert [key for key, _, _ in emitted(engine)] == [Place("a", 1)]
    engine.pipe("in", Place("c", 1), "x", 10)
    assert [key for key, _, _ in emitted(engine)] == [Place("a", 1), Place("a", 2), Place("b", 1)]
