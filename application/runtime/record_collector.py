"""The record collector: encodes the output of a task and routes it to other tasks or to the event sink."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple, Protocol

from eddyline.application.operators.context import DropReason
from eddyline.application.operators.output import Output
from eddyline.application.ports.event_log import Headers, TopicPartition
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.encoding import key_encoder
from eddyline.application.runtime.partitioner import chosen_partitions, partition_for
from eddyline.application.runtime.record_queue import NO_ARRIVAL
from eddyline.application.runtime.run_plan import RunPlan
from eddyline.application.runtime.topic_types import codec_type
from eddyline.application.topology.nodes import Partitioner


class Results(NamedTuple):
    """Encoded records of one topic, by column; `partition` is that of all records, or None if the sink chooses it."""

    topic: str
    keys: Sequence[bytes | None]
    values: Sequence[bytes | None]
    timestamps: Sequence[int]
    headers: Sequence[Headers]
    partition: int | None


class Outlet(Protocol):
    """Where the record collector of a task sends encoded records; implemented by each engine."""

    def send(self, record: SinkRecord, arrival: int, to: TopicPartition | None = None) -> None:
        """Send a record to the event sink, or to the task that reads the partition `to` of a repartition topic.

        `arrival` is the arrival number of the record that caused it.
        """

    def send_all(self, results: Results) -> None:
        """Send many records to the event sink."""


class _Route(NamedTuple):
    encode_key: Callable[[Any], bytes | None]
    encode_value: Callable[[Any], bytes | None]
    internal: bool
    partitions: int
    partitioner: Partitioner | None


class RecordCollector:
    """Collects the output of one task.

    Records of repartition topics are encoded like those of stores, and the hash of the key chooses their partition. The
    partition of results is chosen by the event sink. A partitioner of the sink node goes before both. With the option
    `keep_partition` both stay in the partition of the task. `drops` counts the records for which a partitioner chose no
    partition, by node and reason.
    """

    def __init__(self, plan: RunPlan, partition: int, outlet: Outlet) -> None:
        self._plan, self._partition, self._outlet = plan, partition, outlet
        self._routes: dict[tuple[str, str], _Route] = {}
        self._by_arrival = plan.options.order == "arrival"
        self._keep_partition = plan.options.keep_partition
        self.drops: Counter[tuple[str, str]] = Counter()

    def collect(self, outputs: Sequence[Output], arrival: int = NO_ARRIVAL) -> None:
        """Encode and send output of the task; `arrival` is the arrival number of the record that caused it."""
        if not outputs:
            return
        topics, keys, values, timestamps, headers, sinks = zip(*outputs, strict=True)
        topic, sink, count = topics[0], sinks[0], len(outputs)
        route = self._route_of(topic, sink)
        same = topics.count(topic) == count and sinks.count(sink) == count
        if same and not route.internal and route.partitioner is None and not self._by_arrival:
            partition = self._partition if self._keep_partition else None
            encoded_keys, encoded_values = list(map(route.encode_key, keys)), list(map(route.encode_value, values))
            self._outlet.send_all(Results(topic, encoded_keys, encoded_values, timestamps, headers, partition))
        else:
            for output in outputs:
                self._collect_one(output, arrival)

    def send(self, record: SinkRecord, arrival: int = NO_ARRIVAL) -> None:
        """Send an encoded record, such as a dead letter, to the event sink."""
        self._outlet.send(record, arrival)

    def _collect_one(self, output: Output, arrival: int) -> None:
        topic, key, value, timestamp, headers, sink = output
        route = self._route_of(topic, sink)
        encoded_key = route.encode_key(key)
        chosen: Collection[int | None] | None = None
        if route.partitioner is not None:
            chosen = chosen_partitions(route.partitioner, key, value, topic, 1 if self._keep_partition else route.partitions)
            if chosen is not None and not chosen:
                self.drops[sink.name, DropReason.NO_PARTITION] += 1
                return
        if self._keep_partition:
            chosen = (self._partition,) * (1 if chosen is None else len(chosen))
        elif chosen is None:
            chosen = (partition_for(encoded_key or b"", route.partitions) if route.internal else None,)
        encoded_value = route.encode_value(value)
        for partition in chosen:
            to = TopicPartition(topic, partition) if route.internal and partition is not None else None
            self._outlet.send(SinkRecord(topic, encoded_key, encoded_value, timestamp, headers, partition), arrival, to)

    def _route_of(self, topic: str, sink: Any) -> _Route:
        route = self._routes.get((topic, sink.name))
        if route is None:
            route = self._routes[topic, sink.name] = self._route(topic, sink)
        return route

    def _route(self, topic: str, sink: Any) -> _Route:
        plan, codecs = self._plan, self._plan.ports.codecs
        key_type, value_type = codec_type(sink.key_type), codec_type(sink.value_type)
        if topic in plan.readers:
            key = codecs.for_key(plan.internal_topic(topic), key_type).encode
            return _Route(
                key_encoder(key, key_type),
                codecs.for_state(value_type).encode,
                internal=True,
                partitions=plan.partitions[topic],
                partitioner=sink.partitioner,
            )
        key, value = codecs.for_key(topic, key_type).encode, codecs.for_value(topic, value_type).encode
        partitions = 0 if sink.partitioner is None else self._partitions_of(topic)
        return _Route(key_encoder(key, key_type), value, internal=False, partitions=partitions, partitioner=sink.partitioner)

    def _partitions_of(self, topic: str) -> int:
        log = self._plan.ports.log
        return log.partitions(topic) if topic in log.topics() else self._plan.options.new_topic_partitions
