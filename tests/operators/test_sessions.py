"""Aggregation in session windows."""

from eddyline import TopologyBuilder
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.topology import session
from eddyline.testing import MemoryEngine
from tests.adapters.memory.running import built, run_of
from tests.operators.counting import counting, pipe
from tests.runtime.plans import all_records


def test_events_up_to_a_gap_apart_share_a_session() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(session(10, grace=0)).count())
    pipe(engine, "a", 0)
    assert pipe(engine, "a", 10) == [("a", 0, 0, None, 0), ("a", 0, 10, 2, 10)]
    assert pipe(engine, "a", 21) == [("a", 21, 21, 1, 21)]


def test_an_event_that_connects_two_sessions_merges_them() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(session(10, grace=50)).count(store="counts"))
    pipe(engine, "a", 0)
    pipe(engine, "a", 20)
    assert pipe(engine, "a", 10) == [("a", 0, 0, None, 0), ("a", 20, 20, None, 20), ("a", 0, 20, 3, 20)]
    assert [(row.window, row.value) for row in engine.store("counts")] == [((0, 20), 3)]


def test_a_session_of_a_single_timestamp_is_updated_without_a_tombstone() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(session(10, grace=0)).count())
    pipe(engine, "a", 5)
    assert pipe(engine, "a", 5) == [("a", 5, 5, 2, 5)]


def test_an_event_within_a_session_emits_a_tombstone_for_the_same_window_first() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(session(10, grace=0)).count())
    pipe(engine, "a", 0)
    pipe(engine, "a", 10)
    assert pipe(engine, "a", 5) == [("a", 0, 10, None, 10), ("a", 0, 10, 3, 10)]


def test_an_event_is_late_if_the_end_of_its_session_is() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(session(10, grace=0)).count(store="counts"))
    pipe(engine, "a", 20)
    pipe(engine, "b", 25)
    assert pipe(engine, "a", 12) == [("a", 20, 20, None, 20), ("a", 12, 20, 2, 20)]
    assert pipe(engine, "c", 14) == []
    assert engine.drops == {("counts-count", "late"): 1}


def test_reduce_merges_sessions_with_its_reducer() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(session(10, grace=50)).reduce(lambda one, other: one + other))
    pipe(engine, "a", 0, "x")
    pipe(engine, "a", 20, "y")
    assert pipe(engine, "a", 10, "z")[-1] == ("a", 0, 20, "xyz", 20)


def test_aggregate_merges_sessions_in_the_order_of_their_ends_and_adds_the_event_last() -> None:
    engine = counting(
        lambda grouped: grouped.windowed_by(session(10, grace=50)).aggregate(
            str,
            lambda key, aggregate, value: f"{aggregate}{key}{value}",
            merge=lambda one, other: f"{one}{other}|",
            with_key=True,
        )
    )
    pipe(engine, "a", 20, "2")
    pipe(engine, "a", 0, "0")
    assert pipe(engine, "a", 10, "1")[-1] == ("a", 0, 20, "a0|a2|a1", 20)


def test_of_the_latest_updates_only_those_sessions_have_tombstones_that_were_forwarded() -> None:
    def define(builder: TopologyBuilder) -> None:
        grouped = builder.stream("in", key=str, value=str).group_by_key().windowed_by(session(10, grace=0))
        grouped.count().to_stream(lambda windowed, _count: f"{windowed.window.start} to {windowed.window.end}", key=str).to("out")

    log = MemoryEventLog()
    log.create_topic("in", 1)
    run = run_of(built(define), log, emit="latest")
    for timestamp in (0, 5, 10):
        log.append("in", b"a", b"x", timestamp)
    run.run_available_now()
    assert [(record.key, record.value) for record in all_records(log, "out")] == [(b"0 to 10", b"3")]
    for timestamp in (15, 20):
        log.append("in", b"a", b"x", timestamp)
    run.run_available_now()
    found = [(record.key, record.value) for record in all_records(log, "out")]
    assert found[1:] == [(b"0 to 10", None), (b"0 to 20", b"5")]


def test_sessions_with_a_gap_of_0_are_the_records_of_one_timestamp_as_in_kafka_streams() -> None:
    builder = TopologyBuilder()
    sessions = builder.stream("in", key=str, value=int).group_by_key().windowed_by(session(0, grace=5))
    sessions.count(store="s").to_stream().to("out")
    engine = MemoryEngine(builder.build())
    for timestamp in (10, 10, 11, 8, 10):
        engine.pipe("in", "a", 1, timestamp)
    counts = [(*output.key.window, output.value) for output in engine.outputs() if output.value is not None]
    assert counts == [(10, 10, 1), (10, 10, 2), (11, 11, 1), (8, 8, 1), (10, 10, 3)]
