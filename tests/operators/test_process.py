"""process, process_values and punctuation."""

import pytest

from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.processor import FixedKeyProcessor, Processor, ProcessorContext, PunctuationType, Record
from eddyline.application.topology.store_builders import key_value_store
from tests.operators.running import engine_for, seen


class Running(Processor[str, int, str, int]):
    """Adds up values in a store and says where each record came from."""

    def init(self, context: ProcessorContext[str, int]) -> None:
        super().init(context)
        self.sums = context.state_store("sums")

    def process(self, record: Record[str, int]) -> None:
        total = (self.sums.get(record.key) or 0) + record.value
        self.sums.put(record.key, total)
        metadata = self.context.record_metadata
        assert metadata is not None
        self.context.forward(record.with_value(total).with_key(f"{metadata.topic}-{metadata.offset}"))


class Ticking(Processor[str, int, str, int]):
    """Forwards the time of every tick."""

    kind = PunctuationType.STREAM_TIME

    def init(self, context: ProcessorContext[str, int]) -> None:
        super().init(context)
        self.ticks = context.schedule(100, self.kind, self.tick)

    def process(self, record: Record[str, int]) -> None:
        if record.value == 0:
            self.ticks.cancel()

    def tick(self, now: int) -> None:
        self.context.forward(Record("tick", self.context.current_stream_time_ms(), now))


class TickingByTheWall(Ticking):
    """The same by the wall clock."""

    kind = PunctuationType.WALL_CLOCK_TIME


class Renaming(FixedKeyProcessor[str, int, int]):
    """Breaks its promise to keep the key."""

    def process(self, record: Record[str, int]) -> None:
        self.context.forward(record.with_key("other"))


class Choosing(Processor[str, int, str, int]):
    """Forwards to a child by name."""

    def process(self, record: Record[str, int]) -> None:
        self.context.forward(record, to=record.key)


def running(builder: TopologyBuilder) -> None:
    builder.add_state_store(key_value_store("sums", key=str, value=int))
    builder.stream("in", key=str, value=int).process(Running, stores=["sums"]).to("out")


def test_a_processor_reads_and_writes_its_store_and_knows_the_record() -> None:
    engine = engine_for(running)
    engine.pipe("in", "a", 5, 10)
    engine.pipe("in", "a", 6, 20)
    assert seen(engine) == [("in-0", 5, 10), ("in-1", 11, 20)]
    assert [(row.key, row.value) for row in engine.store("sums")] == [("a", 11)]


def test_stream_time_ticks_with_the_first_record_and_once_for_a_jump() -> None:
    engine = engine_for(lambda builder: builder.stream("in", key=str, value=int).process(Ticking).to("out"))
    for timestamp in (10, 90, 100, 950, 120, 1000):
        engine.pipe("in", "a", 1, timestamp)
    assert [timestamp for _, _, timestamp in seen(engine)] == [10, 100, 950, 1000]


def test_the_wall_clock_ticks_when_it_is_moved_and_stays_on_its_grid() -> None:
    engine = engine_for(lambda builder: builder.stream("in", key=str, value=int).process(TickingByTheWall).to("out"))
    for step in (99, 1, 250, 50):
        engine.advance_wall_clock(step)
    assert [timestamp for _, _, timestamp in seen(engine)] == [100, 350, 400]


def test_a_cancelled_punctuation_calls_no_more() -> None:
    engine = engine_for(lambda builder: builder.stream("in", key=str, value=int).process(Ticking).to("out"))
    for value, timestamp in ((1, 10), (0, 20), (1, 500)):
        engine.pipe("in", "a", value, timestamp)
    assert [timestamp for _, _, timestamp in seen(engine)] == [10]


def test_a_processor_that_must_keep_the_key_may_not_change_it() -> None:
    engine = engine_for(lambda builder: builder.stream("in", key=str, value=int).process_values(Renaming).to("out"))
    with pytest.raises(
        ValueError, match="step 'in-process-values' keeps the key, but forwards 'other' for a record with key 'a'"
    ):
        engine.pipe("in", "a", 1, 10)


def test_a_record_may_be_forwarded_to_one_child_by_name() -> None:
    def define(builder: TopologyBuilder) -> None:
        builder.add_source("source", "in", key=str, value=int)
        builder.add_processor("choose", Choosing, parents=["source"], key=str, value=int)
        builder.add_sink("left", "left-topic", parents=["choose"])
        builder.add_sink("right", "right-topic", parents=["choose"])

    engine = engine_for(define)
    engine.pipe("in", "right", 1, 10)
    assert [output.topic for output in engine.outputs()] == ["right-topic"]
    with pytest.raises(LookupError, match="step 'choose' has no child 'middle'; it has: left, right"):
        engine.pipe("in", "middle", 1, 10)


def test_a_store_that_a_step_is_not_connected_with_is_refused() -> None:
    with pytest.raises(LookupError, match="step 'in-process' is not connected with store 'sums', but with: none"):
        engine_for(lambda builder: builder.stream("in", key=str, value=int).process(Running).to("out"))
