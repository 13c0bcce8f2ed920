"""Final results of windows, emitted once when the window closes."""

from dataclasses import dataclass
from typing import Any

import pytest

from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import TopologyBuilder, hopping, on_window_close, session, sliding, tumbling
from tests.operators.counting import counting, pipe
from tests.operators.running import engine_for


def test_a_result_is_emitted_with_the_record_that_closes_its_window() -> None:
    engine = counting(
        lambda grouped: grouped.windowed_by(tumbling(10, grace=2), emit_strategy=on_window_close()).count(store="counts")
    )
    assert pipe(engine, "a", 1) == pipe(engine, "a", 11) == pipe(engine, "a", 5) == []
    assert pipe(engine, "b", 12) == [("a", 0, 10, 2, 5)]
    assert pipe(engine, "a", 5) == []
    assert engine.drops == {("counts-count", "late"): 1}


@pytest.mark.parametrize("windows", [tumbling(10, grace=0), session(5, grace=0)])
def test_a_record_without_a_value_closes_windows_too(windows: Any) -> None:
    engine = counting(lambda grouped: grouped.windowed_by(windows, emit_strategy=on_window_close()).count())
    pipe(engine, "a", 1)
    assert [update[0] for update in pipe(engine, "b", 100, value=None)] == ["a"]
    assert [update[0] for update in pipe(engine, "c", 200)] == ["b"]


def test_results_are_emitted_by_window_start_then_by_key() -> None:
    engine = counting(
        lambda grouped: grouped.windowed_by(hopping(10, advance=5, grace=50), emit_strategy=on_window_close()).count()
    )
    for key, timestamp in (("é", 7), ("b", 7), ("a", 12)):
        pipe(engine, key, timestamp)
    assert [update[:2] for update in pipe(engine, "a", 100)] == [("b", 0), ("é", 0), ("a", 5), ("b", 5), ("é", 5), ("a", 10)]


def test_no_result_is_lost_when_stream_time_jumps() -> None:
    for windows, key in ((tumbling(10, grace=0), ("a", 0, 10)), (sliding(10, grace=0), ("a", 0, 10))):
        engine = counting(lambda grouped, w=windows: grouped.windowed_by(w, emit_strategy=on_window_close()).count())  # type: ignore[misc]
        pipe(engine, "a", 1)
        assert pipe(engine, "a", 1_000_000) == [(*key, 1, 1)]


def test_no_session_is_lost_when_stream_time_jumps() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(session(10, grace=0), emit_strategy=on_window_close()).count())
    pipe(engine, "a", 1)
    pipe(engine, "a", 6)
    assert pipe(engine, "b", 1_000_000) == [("a", 1, 6, 2, 6)]


def test_sliding_and_session_windows_close_a_millisecond_later_since_their_ends_are_inclusive() -> None:
    sliding_counts = counting(lambda grouped: grouped.windowed_by(sliding(10, grace=0), emit_strategy=on_window_close()).count())
    pipe(sliding_counts, "a", 50)
    assert pipe(sliding_counts, "b", 50) == []
    assert pipe(sliding_counts, "b", 51) == [("a", 40, 50, 1, 50), ("b", 40, 50, 1, 50)]
    sessions = counting(
        lambda grouped: grouped.windowed_by(session(10, grace=0), retention_ms=1_000, emit_strategy=on_window_close()).count()
    )
    pipe(sessions, "a", 50)
    assert pipe(sessions, "b", 60) == []
    assert pipe(sessions, "b", 61) == [("a", 50, 50, 1, 50)]


def test_sessions_are_emitted_by_end_then_by_start_then_by_key() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(session(10, grace=50), emit_strategy=on_window_close()).count())
    for key, timestamp in (("b", 3), ("a", 2), ("b", 9), ("a", 9), ("c", 5)):
        pipe(engine, key, timestamp)
    assert [update[:3] for update in pipe(engine, "z", 500)] == [("c", 5, 5), ("a", 2, 9), ("b", 3, 9)]


def test_the_emit_interval_is_the_minimum_wall_clock_time_between_two_emissions() -> None:
    engine = counting(
        lambda grouped: grouped.windowed_by(
            tumbling(10, grace=0), retention_ms=1_000, emit_strategy=on_window_close(emit_interval=100)
        ).count()
    )
    pipe(engine, "a", 1)
    assert pipe(engine, "a", 11) == []
    engine.advance_wall_clock(99)
    assert pipe(engine, "a", 12) == []
    engine.advance_wall_clock(1)
    assert pipe(engine, "a", 13) == [("a", 0, 10, 1, 1)]
    engine.advance_wall_clock(99)
    assert pipe(engine, "a", 25) == []


def test_results_that_would_expire_in_the_store_are_emitted_before_the_interval_is_over() -> None:
    engine = counting(
        lambda grouped: grouped.windowed_by(tumbling(10, grace=0), emit_strategy=on_window_close(emit_interval=100)).count()
    )
    pipe(engine, "a", 1)
    assert pipe(engine, "a", 11) == []
    assert pipe(engine, "a", 21) == [("a", 0, 10, 1, 1)]


def test_a_session_that_ends_gap_and_grace_before_the_newest_is_emitted_when_it_closes() -> None:
    engine = counting(
        lambda grouped: grouped.windowed_by(session(10, grace=0), emit_strategy=on_window_close()).count(store="counts")
    )
    pipe(engine, "a", 30)
    assert pipe(engine, "b", 20) == []
    assert pipe(engine, "a", 31) == [("b", 20, 20, 1, 20)]
    assert not engine.drops


def test_a_record_extends_a_session_that_ended_a_gap_before() -> None:
    engine = counting(
        lambda grouped: grouped.windowed_by(session(10, grace=0), emit_strategy=on_window_close()).count(store="counts")
    )
    assert pipe(engine, "a", 20) == pipe(engine, "a", 30) == []
    assert pipe(engine, "b", 41) == [("a", 20, 30, 2, 30)]


@pytest.mark.parametrize(
    ("windows", "expected"),
    [(tumbling(10, grace=0), [("a", 0, 10, 1, 1)]), (session(10, grace=0), [("a", 1, 1, 1, 1)])],
)
def test_results_of_a_restored_store_are_emitted(windows: Any, expected: list[Any]) -> None:
    topology = counting(lambda grouped: grouped.windowed_by(windows, emit_strategy=on_window_close()).count()).topology
    task, restored = (Task(topology, 0, 0, stores=MemoryStateStores()) for _ in range(2))
    task.process("in", "a", "x", 1)
    restored.restore(task.drain_changes())
    restored.process("in", "b", "x", 100)
    final = [
        (sent.key.key, sent.key.window.start, sent.key.window.end, sent.value, sent.timestamp) for sent in restored.take_output()
    ]
    assert final == expected


def test_the_emit_intervals_of_two_aggregations_are_independent() -> None:
    def define(builder: TopologyBuilder) -> None:
        grouped = builder.stream("in", key=str, value=str).group_by_key()
        for name in ("one", "two"):
            windowed = grouped.windowed_by(
                tumbling(10, grace=0), retention_ms=1_000, emit_strategy=on_window_close(emit_interval=100)
            )
            windowed.count(store=name).to_stream().to(name)

    engine = engine_for(define)
    engine.pipe("in", "a", "x", 1)
    engine.advance_wall_clock(100)
    engine.pipe("in", "a", "x", 11)
    assert [output.topic for output in engine.outputs()] == ["one", "two"]


@dataclass(frozen=True)
class Place:
    """A key that Python cannot order."""

    zone: str
    number: int


@pytest.mark.parametrize("windows", [tumbling(10, grace=0), session(5, grace=0)])
def test_keys_that_are_data_classes_are_emitted_in_the_order_of_their_fields(windows: Any) -> None:
    def define(builder: TopologyBuilder) -> None:
        windowed = builder.stream("in", key=Place, value=str).group_by_key().windowed_by(windows, emit_strategy=on_window_close())
        windowed.count().to_stream().to("out")

    engine = engine_for(define)
    for place, timestamp in ((Place("b", 1), 0), (Place("a", 2), 0), (Place("a", 1), 0), (Place("c", 1), 100)):
        engine.pipe("in", place, "x", timestamp)
    assert [record.key.key for record in engine.take_outputs()] == [Place("a", 1), Place("a", 2), Place("b", 1)]


def test_a_result_has_the_headers_of_the_record_that_closes_or_expires_its_window() -> None:
    engine = counting(
        lambda grouped: grouped.windowed_by(
            tumbling(10, grace=0), retention_ms=100, emit_strategy=on_window_close(emit_interval=1_000)
        ).count()
    )
    for timestamp in (1, 11, 111):
        engine.pipe("in", "a", "x", timestamp, (("at", b"%d" % timestamp),))
    engine.advance_wall_clock(1_000)
    engine.pipe("in", "a", "x", 112, (("at", b"112"),))
    assert [(record.key.window.start, record.headers) for record in engine.take_outputs()] == [
        (0, (("at", b"111"),)),
        (10, (("at", b"112"),)),
    ]
