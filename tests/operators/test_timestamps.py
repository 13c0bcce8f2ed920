"""Event time comes from the log, or from a timestamp extractor."""

from eddyline.application.topology import SourceRecord, TopologyBuilder, wall_clock_time
from tests.operators.running import emitted, engine_for


def at(record: SourceRecord) -> int | None:
    found = record.value.get("at")
    return found if isinstance(found, int) else None


def define(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=dict, timestamp=at).map_values(lambda value: value.get("n")).to("out")


def test_a_record_gets_the_timestamp_of_the_extractor() -> None:
    engine = engine_for(define)
    engine.pipe("in", "a", {"at": 77, "n": 1}, 10)
    assert emitted(engine) == [("a", 1, 77)]


def test_a_record_without_a_valid_timestamp_is_dropped_with_a_reason() -> None:
    engine = engine_for(define)
    engine.pipe("in", "a", {"n": 1}, 10)
    engine.pipe("in", "a", {"at": -1, "n": 1}, 10)
    assert engine.outputs() == []
    assert engine.drops == {("in", "invalid-timestamp"): 2}


def test_one_topic_can_use_wall_clock_time_and_another_an_extractor() -> None:
    def both(builder: TopologyBuilder) -> None:
        clocked = builder.stream("clocked", key=str, value=int, timestamp=wall_clock_time)
        clocked.merge(builder.stream("stamped", key=str, value=int, timestamp=lambda record: record.value)).to("out")

    engine = engine_for(both, wall_clock_ms=500)
    engine.pipe("clocked", "a", 1, 10)
    engine.pipe("stamped", "b", 2, 10)
    engine.advance_wall_clock(250)
    engine.pipe("clocked", "c", 3, 10)
    assert emitted(engine) == [("a", 1, 500), ("b", 2, 2), ("c", 3, 750)]
