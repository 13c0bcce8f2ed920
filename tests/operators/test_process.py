"""process, process_values and punctuation."""

import pytest

from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.processor import FixedKeyProcessor, Processor, ProcessorContext, PunctuationType, Record
from eddyline.application.topology.stores import key_value_store
from eddyline.testing import MemoryEngine
from tests.operators.running import emitted, engine_for


class Summing(Processor[str, int, str, int]):
    """Adds up values in a store and forwards the sum with topic and offset as the key."""

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
    """Forwards the time of every punctuation."""

    kind = PunctuationType.STREAM_TIME

    def init(self, context: ProcessorContext[str, int]) -> None:
        super().init(context)
        self.ticks = context.schedule(100, self.kind, self.tick)

    def process(self, record: Record[str, int]) -> None:
        if record.value == 0:
            self.ticks.cancel()

    def tick(self, now: int) -> None:
        self.context.forward(Record("tick", self.context.current_stream_time_ms(), now))


class WallClockTicking(Ticking):
    """Forwards the time of every wall-clock punctuation."""

    kind = PunctuationType.WALL_CLOCK_TIME


class Renaming(FixedKeyProcessor[str, int, int]):
    """Changes the key, which it must not."""

    def process(self, record: Record[str, int]) -> None:
        self.context.forward(record.with_key("other"))


class Routing(Processor[str, int, str, int]):
    """Forwards each record to the child that its key names."""

    def process(self, record: Record[str, int]) -> None:
        self.context.forward(record, to=record.key)


def summing(builder: TopologyBuilder) -> None:
    builder.add_state_store(key_value_store("sums", key=str, value=int))
    builder.stream("in", key=str, value=int).process(Summing, stores=["sums"]).to("out")


def test_a_processor_can_use_its_store_and_the_metadata_of_the_record() -> None:
    engine = engine_for(summing)
    engine.pipe("in", "a", 5, 10)
    engine.pipe("in", "a", 6, 20)
    assert emitted(engine) == [("in-0", 5, 10), ("in-1", 11, 20)]
    assert [(row.key, row.value) for row in engine.store("sums")] == [("a", 11)]


def test_a_stream_time_punctuation_fires_with_the_first_record_and_once_if_stream_time_jumps() -> None:
    engine = engine_for(lambda builder: builder.stream("in", key=str, value=int).process(Ticking).to("out"))
    for timestamp in (10, 90, 100, 950, 120, 1000):
        engine.pipe("in", "a", 1, timestamp)
    assert [timestamp for _, _, timestamp in emitted(engine)] == [10, 100, 950, 1000]


def test_a_wall_clock_punctuation_fires_when_the_clock_advances_at_multiples_of_its_interval() -> None:
    engine = engine_for(lambda builder: builder.stream("in", key=str, value=int).process(WallClockTicking).to("out"))
    for elapsed in (99, 1, 250, 50):
        engine.advance_wall_clock(elapsed)
    assert [timestamp for _, _, timestamp in emitted(engine)] == [100, 350, 400]


def test_a_cancelled_punctuation_no_longer_fires() -> None:
    engine = engine_for(lambda builder: builder.stream("in", key=str, value=int).process(Ticking).to("out"))
    for value, timestamp in ((1, 10), (0, 20), (1, 500)):
        engine.pipe("in", "a", value, timestamp)
    assert [timestamp for _, _, timestamp in emitted(engine)] == [10]


def test_a_fixed_key_processor_must_not_change_the_key() -> None:
    engine = engine_for(lambda builder: builder.stream("in", key=str, value=int).process_values(Renaming).to("out"))
    with pytest.raises(
        ValueError, match=r"processor 'in-process-values' must keep the key 'a', but forwarded 'other'; use process\(…\)"
    ):
        engine.pipe("in", "a", 1, 10)


def test_a_record_can_be_forwarded_to_one_child_by_name() -> None:
    def define(builder: TopologyBuilder) -> None:
        builder.add_source("source", "in", key=str, value=int)
        builder.add_processor("route", Routing, parents=["source"], key=str, value=int)
        builder.add_sink("left", "left-topic", parents=["route"])
        builder.add_sink("right", "right-topic", parents=["route"])

    engine = engine_for(define)
    engine.pipe("in", "right", 1, 10, (("trace", b"x"),))
    assert [output[:5] for output in engine.outputs()] == [("right-topic", "right", 1, 10, (("trace", b"x"),))]
    with pytest.raises(LookupError, match="processor 'route' has no child 'middle'; its children: left, right"):
        engine.pipe("in", "middle", 1, 10)


def test_a_store_that_the_processor_is_not_connected_to_is_rejected() -> None:
    with pytest.raises(
        LookupError, match="processor 'in-process' is not connected to store 'sums'; its stores: none; pass stores="
    ):
        engine_for(lambda builder: builder.stream("in", key=str, value=int).process(Summing).to("out"))


class Copying(Processor[str, int, str, int]):
    """Forwards each record as it is."""

    def process(self, record: Record[str, int]) -> None:
        self.context.forward(record)


class Keeping(FixedKeyProcessor[str, int, int]):
    """Forwards each record to the child that its value names."""

    def process(self, record: Record[str, int]) -> None:
        self.context.forward(record, to="even" if record.value % 2 == 0 else "odd")


@pytest.mark.parametrize("process", ["process", "process_values"])
def test_a_record_is_forwarded_with_its_timestamp_and_headers(process: str) -> None:
    supplier = Copying if process == "process" else KeepingAll
    engine = engine_for(lambda builder: getattr(builder.stream("in", key=str, value=int), process)(supplier).to("out"))
    engine.pipe("in", "a", 7, 5, (("trace", b"x"),))
    assert [output[1:5] for output in engine.outputs("out")] == [("a", 7, 5, (("trace", b"x"),))]


class KeepingAll(FixedKeyProcessor[str, int, int]):
    """Forwards each record as it is."""

    def process(self, record: Record[str, int]) -> None:
        self.context.forward(record)


def test_a_fixed_key_processor_can_choose_a_child() -> None:
    def define(builder: TopologyBuilder) -> None:
        processed = builder.stream("in", key=str, value=int).process_values(Keeping)
        processed.to("even-topic", name="even")
        processed.to("odd-topic", name="odd")

    engine = engine_for(define)
    for value in (1, 2, 3):
        engine.pipe("in", "a", value, 5)
    assert [output.topic for output in engine.outputs()] == ["odd-topic", "even-topic", "odd-topic"]


class Hurried(Copying):
    """Schedules a punctuation without a pause."""

    def init(self, context: ProcessorContext[str, int]) -> None:
        super().init(context)
        context.schedule(0, PunctuationType.STREAM_TIME, print)


def test_a_punctuation_needs_an_interval_of_a_millisecond_or_more() -> None:
    with pytest.raises(ValueError, match="the punctuation interval of processor 'in-process' must be 1 ms or more, but is 0 ms"):
        engine_for(lambda builder: builder.stream("in", key=str, value=int).process(Hurried).to("out"))


def test_a_processor_can_drop_a_record_with_a_reason() -> None:
    class Named(Processor[str, int, str, int]):
        def process(self, record: Record[str, int]) -> None:
            if not record.key:
                self.context.drop(record, "null-key")
            else:
                self.context.forward(record)

    builder = TopologyBuilder()
    builder.stream("in", key=str, value=int).process(Named, key=str, value=int, name="named").to("out")
    engine = MemoryEngine(builder.build())
    engine.pipe("in", None, 1, 5)
    engine.pipe("in", "a", 2, 6)
    assert [output.value for output in engine.outputs()] == [2]
    assert dict(engine.drops) == {("named", "null-key"): 1}
    assert engine.dropped[0].source is not None
