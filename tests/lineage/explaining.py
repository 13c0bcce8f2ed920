"""Flows that ran in memory, explanations of their results, and runs over some of their input alone."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.run import MemoryRun
from eddyline.application.lineage.explanation import Explanation
from eddyline.application.lineage.lineage import Lineage
from eddyline.application.lineage.schedules import KnownBatch
from eddyline.application.lineage.search import Source
from eddyline.application.ports.event_log import LogRecord, Position
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.topology import Topology
from tests.runtime.plans import all_records, memory_ports

CODECS = JsonCodecs()


class Input(NamedTuple):
    """A record for a topic; key and value are plain."""

    topic: str
    key: Any
    value: Any
    timestamp: int
    partition: int = 0


class Ran:
    """A topology that has run over some input.

    Args:
        topology: The topology.
        inputs: The input, in the order of arrival.
        partitions: The number of partitions of each source topic.
        source: More fields of `Source`.
        options: Options of the run.
    """

    def __init__(
        self,
        topology: Topology,
        inputs: Iterable[Input],
        *,
        partitions: int = 1,
        source: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.topology, self.partitions = topology, partitions
        defaults: dict[str, Any] = {"application_id": "app", "trigger_interval_ms": 0, "new_topic_partitions": partitions}
        self.options = RunOptions(**{**defaults, **options})
        self.log = self._log()
        for arrival, record in enumerate(inputs):
            self.append(record, arrival)
        self.run(self.log)
        self.lineage = Lineage(Source(topology, memory_ports(self.log), self.options, **(source or {})))

    def append(self, record: Input, arrival: int = 0) -> None:
        """Append a record to its topic."""
        spec = self.topology.source_topic(record.topic)
        assert spec is not None
        key = CODECS.for_key(record.topic, spec.key_type).encode(record.key)
        value = CODECS.for_value(record.topic, spec.value_type).encode(record.value)
        self.log.create_topic(record.topic, self.partitions)
        self.log.append(record.topic, key, value, record.timestamp, partition=record.partition, arrival=arrival)

    def run(self, log: MemoryEventLog) -> None:
        """Run the topology over a log."""
        MemoryRun(self.topology, memory_ports(log), self.options, MemoryClock()).run_available_now()

    @property
    def outputs(self) -> list[LogRecord]:
        """The results in all topics that the topology writes."""
        topics = [topic for topic in self.log.topics() if self.topology.source_topic(topic) is None]
        return [record for topic in topics if not topic.startswith("app-") for record in all_records(self.log, topic)]

    def explain(self, record: LogRecord) -> Explanation:
        """Return why there is a result."""
        return self.lineage.explain_output(Position(*record[:3]))

    def alone(self, positions: Collection[Position]) -> Sequence[LogRecord]:
        """Return the results of a run over these input records alone, in a log of their own."""
        log = self._log()
        for spec in self.topology.source_topics:
            for record in all_records(self.log, spec.name):
                if Position(*record[:3]) in positions:
                    topic, partition, _, timestamp, key, value, headers, arrival, _ = record
                    log.append(topic, key, value, timestamp, headers, partition=partition, arrival=arrival)
        self.run(log)
        topics = set(log.topics()) - {spec.name for spec in self.topology.source_topics}
        return [record for topic in topics for record in all_records(log, topic)]

    def gives(self, positions: Collection[Position], record: LogRecord) -> bool:
        """Return whether a run over these input records alone gives an equal result."""
        return any(_content(other) == _content(record) for other in self.alone(positions))

    def _log(self) -> MemoryEventLog:
        log = MemoryEventLog()
        for spec in self.topology.source_topics:
            log.create_topic(spec.name, self.partitions)
        return log


def offsets(found: Explanation, *, topic: str | None = None) -> list[int]:
    """Return the offsets of the inputs of an explanation, or of those in a topic."""
    return [record.position.offset for record in found.inputs if topic in {None, record.position.topic}]


def _content(record: LogRecord) -> tuple[Any, ...]:
    return record.topic, record.key, record.value, record.timestamp, record.headers


__all__ = ["CODECS", "Input", "KnownBatch", "Ran", "offsets"]
