"""Processors and transformers of the user, which get plain values; what they emit and store has origins nevertheless."""

from collections.abc import Callable
from typing import Any

from eddyline.application.lineage.origins import joined, origins_of, plain
from eddyline.application.lineage.plain_stores import plain_store
from eddyline.application.lineage.tracker import Tracker
from eddyline.application.topology import Topology
from eddyline.application.topology.metrics import Metrics
from eddyline.application.topology.processor import (
    Cancellable,
    Processor,
    ProcessorContext,
    PunctuationType,
    Record,
    ValueTransformerWithKey,
)
from eddyline.application.topology.records import RecordMetadata
from eddyline.application.topology.windows import Duration


def traced_processor(
    supplier: Callable[[], Processor[Any, Any, Any, Any]], topology: Topology, tracker: Tracker
) -> Processor[Any, Any, Any, Any]:
    """Return a new processor that passes origins on."""
    return _TracedProcessor(supplier(), topology, tracker)


def traced_transformer(
    supplier: Callable[[], ValueTransformerWithKey[Any, Any, Any]], topology: Topology, tracker: Tracker
) -> ValueTransformerWithKey[Any, Any, Any]:
    """Return a new transformer that passes origins on."""
    return _TracedTransformer(supplier(), topology, tracker)


class _TracedProcessor(Processor[Any, Any, Any, Any]):
    def __init__(self, processor: Processor[Any, Any, Any, Any], topology: Topology, tracker: Tracker) -> None:
        self._processor, self._topology, self._tracker = processor, topology, tracker

    def init(self, context: ProcessorContext[Any, Any]) -> None:
        with self._tracker.frame(None):
            self._processor.init(_TracedContext(context, self._topology, self._tracker))

    def process(self, record: Record[Any, Any]) -> None:
        given = joined((self._tracker.trigger, origins_of(record.value)))
        with self._tracker.frame(given):
            self._processor.process(record.with_value(plain(record.value)))

    def on_commit(self) -> None:
        with self._tracker.frame(self._tracker.trigger):
            self._processor.on_commit()

    def close(self) -> None:
        self._processor.close()


class _TracedTransformer(ValueTransformerWithKey[Any, Any, Any]):
    def __init__(self, transformer: ValueTransformerWithKey[Any, Any, Any], topology: Topology, tracker: Tracker) -> None:
        self._transformer, self._topology, self._tracker = transformer, topology, tracker

    def init(self, context: ProcessorContext[Any, Any]) -> None:
        with self._tracker.frame(None):
            self._transformer.init(_TracedContext(context, self._topology, self._tracker))

    def transform(self, key: Any, value: Any) -> Any:
        with self._tracker.frame(joined((self._tracker.trigger, origins_of(value)))) as frame:
            return self._tracker.traced(self._transformer.transform(key, plain(value)), frame.origins(key))

    def on_commit(self) -> None:
        with self._tracker.frame(self._tracker.trigger):
            self._transformer.on_commit()

    def close(self) -> None:
        self._transformer.close()


class _TracedContext(ProcessorContext[Any, Any]):
    """The context of a processor that gets plain values."""

    def __init__(self, context: ProcessorContext[Any, Any], topology: Topology, tracker: Tracker) -> None:
        self._context, self._topology, self._tracker = context, topology, tracker

    @property
    def task_id(self) -> str:
        return self._context.task_id

    @property
    def record_metadata(self) -> RecordMetadata | None:
        return self._context.record_metadata

    @property
    def metrics(self) -> Metrics:
        return self._context.metrics

    def forward(self, record: Record[Any, Any], *, to: str | None = None) -> None:
        value = self._tracker.traced(record.value, self._tracker.frames[-1].origins(record.key))
        self._context.forward(record.with_value(value), to=to)

    def drop(self, record: Record[Any, Any], reason: str) -> None:
        self._context.drop(record, reason)

    def state_store(self, name: str) -> Any:
        return plain_store(self._context.state_store(name), self._topology.stores[name], self._tracker)

    def schedule(self, interval: Duration, kind: PunctuationType, callback: Callable[[int], None]) -> Cancellable:
        def punctuate(now: int) -> None:
            with self._tracker.punctuation() as trigger, self._tracker.frame(trigger):
                callback(now)

        return self._context.schedule(interval, kind, punctuate)

    def commit(self) -> None:
        self._context.commit()

    def current_stream_time_ms(self) -> int:
        return self._context.current_stream_time_ms()

    def current_system_time_ms(self) -> int:
        return self._context.current_system_time_ms()
