"""Replays cases of one topology on Spark: one query, a partition for each case, records in the order of the input."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.replay.case import Case, ClockStep, RecordStep
from eddyline.adapters.cli.replay.decoding import Decoder
from eddyline.adapters.cli.replay.result import Emitted, Encoder
from eddyline.adapters.settings import Settings
from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.event_log import EventLog, Headers
from eddyline.application.ports.event_sink import EventSink, SinkRecord
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.plan.options import LogClock, RunOptions, RunPorts
from eddyline.application.runtime.plan.topic_types import store_types
from eddyline.application.runtime.progress.store_changes import StoreChanges
from eddyline.application.runtime.progress.store_rows import StoreRow, rows_of
from eddyline.application.topology import Topology
from eddyline.application.topology.types import UNKNOWN

if TYPE_CHECKING:
    from eddyline.adapters.container import Container

_CLOCK = "replay-wall-clock"

SparkEngineFactory = Callable[..., Any]
"""Makes a Spark engine from a topology, ports, options and the keyword arguments of SparkEngine."""


def replay_on_spark(
    cases: Sequence[Case], topology: Topology, container: "Container", new_engine: SparkEngineFactory
) -> list[dict[str, Any]]:
    """Return what the topology emits in each case, in order, and its stores at the end, but for buffers of operators.

    Args:
        cases: The cases, each of which has passed `check_steps`.
        topology: The topology of the cases.
        container: The codecs and the state stores.
        new_engine: Makes the engine.

    Raises:
        EngineError: the run fails.
    """
    codecs = container.codecs()
    with tempfile.TemporaryDirectory(prefix="eddyline-replay-") as folder:
        files = container_for(Settings(data_dir=Path(folder)))
        store_changes = container.store_changes()
        new_engine(
            topology,
            ports=RunPorts(_input(cases, topology, codecs), OneTopicSink(files.sink(), len(cases)), codecs, container.stores()),
            options=RunOptions(
                application_id="replay", emit="every-update", order="arrival", clock=LogClock(_CLOCK), keep_partition=True
            ),
            checkpoint_dir=Path(folder, "checkpoint"),
            store_changes=store_changes,
        ).run_available_now()
        results = files.log()
        encoder = Encoder(topology, codecs)
        return [
            encoder.document(_emitted(results, number, topology, codecs), _stores(store_changes, number, topology, codecs))
            for number in range(len(cases))
        ]


def _input(cases: Sequence[Case], topology: Topology, codecs: Codecs) -> EventLog:
    log = container_for().memory_log()
    named = [spec.name for spec in topology.source_topics]
    matching = topology.matching_topics(dict.fromkeys(s.topic for case in cases for s in case.steps if isinstance(s, RecordStep)))
    for topic in (*named, *matching, _CLOCK):
        log.create_topic(topic, len(cases))
    for number, case in enumerate(cases):
        decoder = Decoder(case, topology, codecs)
        now = 0
        for index, step in enumerate(case.steps):
            if isinstance(step, ClockStep):
                now += step.advance_ms
                log.append(_CLOCK, None, None, now, partition=number, arrival=index)
            else:
                log.append(*decoder.sent(index, step), partition=number, arrival=index)
    return log


def _emitted(results: EventLog, number: int, topology: Topology, codecs: Codecs) -> Iterator[Emitted]:
    types = {spec.name: (spec.key_type, spec.value_type) for spec in topology.sink_topics}
    for batch in results.read(OneTopicSink.TOPIC, number, 0, results.end_offset(OneTopicSink.TOPIC, number)):
        for record in batch:
            topic, headers = original_topic(record.headers)
            key_type, value_type = types.get(topic, (UNKNOWN, UNKNOWN))
            key = codecs.for_key(topic, key_type).decode(record.key, record.headers)
            value = codecs.for_value(topic, value_type).decode(record.value, record.headers)
            yield Emitted(topic, key, value, record.timestamp, headers, None)


def _stores(store_changes: StoreChanges, number: int, topology: Topology, codecs: Codecs) -> dict[str, list[StoreRow]]:
    seen = set(store_changes.stores())
    rows: dict[str, list[StoreRow]] = {}
    for name, spec in topology.stores.items():
        if spec.internal:
            continue
        key_type, value_type = store_types(spec)
        decode_key, decode_value = codecs.for_state(key_type).decode, codecs.for_state(value_type).decode
        entries = store_changes.entries(name) if name in seen else iter(())
        rows[name] = rows_of(
            spec,
            (StoreChange(decode_key(entry.key), decode_value(entry.value)) for entry in entries if entry.partition == number),
        )
    return rows


_HEADER = "replay-topic"


class OneTopicSink(EventSink):
    """Writes to the topic TOPIC of another sink; the topic has a partition for each case."""

    TOPIC: ClassVar[str] = "output"

    def __init__(self, sink: EventSink, partitions: int) -> None:
        self._sink = sink
        self._sink.create_topic(self.TOPIC, partitions)

    def create_topic(self, topic: str, partitions: int, *, compacted: bool = False) -> None:
        """Do nothing: no other topic is needed."""

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        return self._sink.write(writer, slot, batch, [self._redirected(record) for record in records])

    def _redirected(self, record: SinkRecord) -> SinkRecord:
        return record._replace(topic=self.TOPIC, headers=((_HEADER, record.topic.encode()), *record.headers))


def original_topic(headers: Headers) -> tuple[str, Headers]:
    """Return the topic that a record was written to, and the record's own headers."""
    (_, topic), *own = headers
    return (topic or b"").decode(), tuple(own)
