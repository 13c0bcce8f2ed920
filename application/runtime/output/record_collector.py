"""The record collector: encodes the output of a task and routes it to other tasks or to the event sink."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, Final, NamedTuple, Protocol, get_args, get_origin

from eddyline.application.operators.columns import RecordColumns
from eddyline.application.operators.output import Output, output_of
from eddyline.application.ports.codec import Codec, CodecUnavailableError
from eddyline.application.ports.event_log import Headers, TopicPartition
from eddyline.application.ports.event_sink import Results, SinkRecord, sink_record
from eddyline.application.runtime.input.record_queue import NO_ARRIVAL
from eddyline.application.runtime.plan.encoding import KeyEncoder, repartition_keys
from eddyline.application.runtime.plan.failures import OutputError
from eddyline.application.runtime.plan.partitioner import Partitions, chosen_partitions, partitions_of
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.runtime.plan.topic_types import codec_type
from eddyline.application.topology.nodes import Partitioner, RepartitionSinkNode, SinkNode
from eddyline.application.topology.windows import Windowed


class ColumnsOutput(NamedTuple):
    """Records that a task writes to a topic, by column; their origins are the numbers of the records that were processed."""

    topic: str
    sink: SinkNode | RepartitionSinkNode
    records: RecordColumns

    def outputs(self) -> Iterator[Output]:
        """Return the records one by one."""
        return map(output_of, zip(repeat(self.topic), *self.records[:4], repeat(self.sink), strict=False))


_PORTION: Final = 4_096
"""The number of records of a topic that are encoded at once."""


class Outlet(Protocol):
    """Where the record collector of a task sends encoded records; implemented by each engine."""

    def send(self, record: SinkRecord, arrival: int, to: TopicPartition | None = None) -> None:
        """Send a record to the event sink, or to the task that reads the partition `to` of a repartition topic.

        `arrival` is the arrival number of the record that caused it.
        """

    def send_all(self, results: Results) -> None:
        """Send many records to the event sink; no record has an arrival number. The default sends them one by one."""
        for record in results.records():
            self.send(record, NO_ARRIVAL)

    def send_to(self, records: Results, to: TopicPartition) -> None:
        """Likewise, to the task that reads a partition of a repartition topic."""
        for record in records.records():
            self.send(record, NO_ARRIVAL, to)


class Routed(NamedTuple):
    """An encoded output, and the partition of a repartition topic that it goes to, None for the event sink."""

    record: SinkRecord
    to: TopicPartition | None = None


class RoutedTogether(NamedTuple):
    """Many encoded outputs of one topic, and the partition of a repartition topic that they go to, None for the event sink."""

    records: Results
    to: TopicPartition | None = None


class _Route(NamedTuple):
    keys: KeyEncoder
    partitioned: KeyEncoder
    value: Codec
    internal: bool
    partitions: int
    partition_of: Partitions
    partitioner: Partitioner | None
    base_keys: KeyEncoder | None = None
    """What encodes the keys inside windowed keys, if these choose the partitions of results."""


class RecordCollector:
    """Collects the output of one task.

    Records of repartition topics are encoded like those of stores, and the hash of the key chooses their partition. The
    partition of results is chosen by the event sink. A partitioner of the sink node goes before both. With the option
    `keep_partition` both stay in the partition of the task.

    Args:
        plan: the plan of the run.
        partition: the partition of the task.
        outlet: receives the encoded records.
        without_partition: called with each output for which a partitioner chooses no partition; it is not sent.
    """

    def __init__(self, plan: RunPlan, partition: int, outlet: Outlet, without_partition: Callable[[Output], None]) -> None:
        self._plan, self._partition, self._outlet = plan, partition, outlet
        self._routes: dict[tuple[str, str], _Route] = {}
        self._by_arrival = plan.options.order == "arrival"
        self._keep_partition = plan.options.keep_partition
        self._without_partition = without_partition

    def collect(self, outputs: Sequence[Output], arrival: int = NO_ARRIVAL) -> None:
        """Encode and send output of the task; `arrival` is the arrival number of the record that caused it."""
        if not outputs:
            return
        topic, key, value, timestamp, own_headers, sink = outputs[0]
        route = self._route_of(topic, sink)
        if len(outputs) == 1 and not route.internal and route.partitioner is None:
            partition = self._partition if self._keep_partition else _chosen_by_base(route, key)
            fields = topic, route.keys.encode(key), route.value.encode(value), timestamp, own_headers, partition
            self._outlet.send(sink_record(fields), arrival)
            return
        together = self._of_one_topic(outputs)
        if together is not None:
            self._send_together(together)
            return
        for output in outputs:
            for record, to in self._routed(output, self._route_of(output.topic, output.sink)):
                self._outlet.send(record, arrival, to)

    def collect_columns(self, output: ColumnsOutput, arrival: int = NO_ARRIVAL) -> None:
        """Encode and send output of the task that it has by column."""
        together = self._together(output)
        if together is None:
            self.collect(list(output.outputs()), arrival)
        else:
            self._send_together(together)

    def _of_one_topic(self, outputs: Sequence[Output]) -> Iterator[RoutedTogether] | None:
        """Return outputs of one topic encoded, None if they must be routed one by one."""
        topics, *columns, sinks = zip(*outputs, strict=True)
        topic, sink, count = topics[0], sinks[0], len(outputs)
        same = topics.count(topic) == count and sinks.count(sink) == count
        if not same or self._route_of(topic, sink).partitioner is not None:
            return None
        return self._together(ColumnsOutput(topic, sink, RecordColumns(*columns)))

    def _together(self, output: ColumnsOutput) -> Iterator[RoutedTogether] | None:
        """Return output by column encoded, None if its records must be routed one by one."""
        topic, sink, (keys, values, timestamps, headers, _) = output
        route = self._route_of(topic, sink)
        if self._by_arrival or (route.internal and self._keep_partition):
            return None
        encode = self._to_tasks if route.internal else self._results
        return encode(route, topic, keys, values, timestamps, headers)

    def send(self, record: SinkRecord, arrival: int = NO_ARRIVAL) -> None:
        """Send an encoded record, such as a dead letter, to the event sink."""
        self._outlet.send(record, arrival)

    def routed(self, outputs: Sequence[Output]) -> list[Routed | RoutedTogether]:
        """Return outputs encoded and routed, without sending them.

        Raises:
            OutputError: an output cannot be encoded, or its partitioner fails.
            CodecUnavailableError: a codec cannot work at the moment.
        """
        together = self._of_one_topic(outputs) if len(outputs) > 1 else None
        found: list[Routed | RoutedTogether] = []
        if together is not None:
            try:
                found.extend(together)
            except CodecUnavailableError:
                raise
            except Exception:  # noqa: BLE001 - it is raised again, for the output that has caused it
                found.clear()
            else:
                return found
        for output in outputs:
            route = self._route_of(output.topic, output.sink)
            try:
                found.extend(self._routed(output, route))
            except CodecUnavailableError:
                raise
            except Exception as error:
                raise OutputError(output, error) from error
        return found

    def routed_columns(self, output: ColumnsOutput) -> Sequence[Routed | RoutedTogether]:
        """Return output by column encoded and routed, without sending it. Raises what codecs raise."""
        together = self._together(output)
        return self.routed(list(output.outputs())) if together is None else list(together)

    def first_failing(self, outputs: Sequence[Output]) -> int | None:
        """Return the index of the first output that cannot be encoded or routed, None if there is none."""
        for index, output in enumerate(outputs):
            try:
                self.routed((output,))
            except Exception:  # noqa: BLE001 - whatever it is, it is raised elsewhere
                return index
        return None

    def send_routed(self, routed: Iterable[Routed | RoutedTogether], arrival: int = NO_ARRIVAL) -> None:
        """Send outputs that `routed` and `routed_columns` returned."""
        for sent in routed:
            if isinstance(sent, RoutedTogether):
                self._send_together((sent,))
            else:
                self._outlet.send(sent.record, arrival, sent.to)

    def _send_together(self, routed: Iterable[RoutedTogether]) -> None:
        for records, to in routed:
            if to is None:
                self._outlet.send_all(records)
            else:
                self._outlet.send_to(records, to)

    def _results(
        self,
        route: _Route,
        topic: str,
        keys: Sequence[Any],
        values: Sequence[Any],
        timestamps: Sequence[int],
        headers: Sequence[Headers],
    ) -> Iterator[RoutedTogether]:
        """Encode results of one topic."""
        fixed = self._partition if self._keep_partition else None
        for part in _portions(len(keys)):
            encoded = route.keys.encode_all(keys[part]), route.value.encode_all(values[part])
            columns = (*encoded, timestamps[part], headers[part])
            if fixed is not None or route.base_keys is None or None in keys[part]:
                yield RoutedTogether(Results(topic, *columns, fixed))
                continue
            found = route.base_keys.encode_all([key.key for key in keys[part]])
            for partition, indexes in _by_partition(route.partition_of, found).items():
                yield RoutedTogether(_chosen(Results(topic, *columns, partition), indexes))

    def _to_tasks(
        self,
        route: _Route,
        topic: str,
        keys: Sequence[Any],
        values: Sequence[Any],
        timestamps: Sequence[int],
        headers: Sequence[Headers],
    ) -> Iterator[RoutedTogether]:
        """Encode records of one repartition topic, for the partitions that the hashes of their keys choose."""
        for part in _portions(len(keys)):
            columns = route.keys.encode_all(keys[part]), route.value.encode_all(values[part]), timestamps[part], headers[part]
            by_key = columns[0] if route.partitioned is route.keys else route.partitioned.encode_all(keys[part])
            for partition, indexes in _by_partition(route.partition_of, by_key).items():
                chosen = _chosen(Results(topic, *columns, partition), indexes)
                yield RoutedTogether(chosen, TopicPartition(topic, partition))

    def _routed(self, output: Output, route: _Route) -> tuple[Routed, ...]:
        topic, key, value, timestamp, headers, _ = output
        encoded_key = route.keys.encode(key)
        if route.partitioner is None:
            chosen: tuple[int | None, ...] | None = None
        else:
            found = chosen_partitions(route.partitioner, key, value, topic, 1 if self._keep_partition else route.partitions)
            chosen = None if found is None else tuple(found)
        if self._keep_partition:
            chosen = (self._partition,) * (1 if chosen is None else len(chosen))
        elif chosen is None:
            by_key = encoded_key if route.partitioned is route.keys else route.partitioned.encode(key)
            chosen = (route.partition_of[by_key or b""] if route.internal else _chosen_by_base(route, key),)
        if not chosen:
            self._without_partition(output)
            return ()
        encoded_value = route.value.encode(value)
        return tuple(
            Routed(
                SinkRecord(topic, encoded_key, encoded_value, timestamp, headers, partition),
                TopicPartition(topic, partition) if route.internal and partition is not None else None,
            )
            for partition in chosen
        )

    def _route_of(self, topic: str, sink: Any) -> _Route:
        route = self._routes.get((topic, sink.name))
        if route is None:
            route = self._routes[topic, sink.name] = self._route(topic, sink)
        return route

    def _route(self, topic: str, sink: Any) -> _Route:
        plan, codecs = self._plan, self._plan.ports.codecs
        key_type, value_type = codec_type(sink.key_type), codec_type(sink.value_type)
        if topic in plan.readers:
            found = repartition_keys(codecs, plan.internal_topic(topic), key_type)
            keys = KeyEncoder(found.codec, key_type)
            return _Route(
                keys,
                keys if found.partitioned is None else KeyEncoder(found.partitioned, key_type),
                codecs.for_state(value_type),
                internal=True,
                partitions=plan.partitions[topic],
                partition_of=partitions_of(plan.partitions[topic]),
                partitioner=sink.partitioner,
            )
        keys, value = KeyEncoder(codecs.for_key(topic, key_type), key_type), codecs.for_value(topic, value_type)
        base_keys = None
        if sink.partitioner is None and get_origin(key_type) is Windowed:
            base_type = codec_type(get_args(key_type)[0])
            base_keys = KeyEncoder(codecs.for_key(topic, key_type).base or codecs.for_state(base_type), base_type)
        partitions = 0 if sink.partitioner is None and base_keys is None else self._partitions_of(topic)
        return _Route(
            keys,
            keys,
            value,
            internal=False,
            partitions=partitions,
            partition_of=partitions_of(partitions),
            partitioner=sink.partitioner,
            base_keys=base_keys,
        )

    def _partitions_of(self, topic: str) -> int:
        log = self._plan.ports.log
        return log.partitions(topic) if topic in log.topics() else self._plan.options.new_topic_partitions


def _chosen_by_base(route: _Route, key: Any) -> int | None:
    """Return the partition of a windowed key, which the key inside chooses (`WindowedStreamPartitioner`); None for others."""
    return None if route.base_keys is None or key is None else route.partition_of[route.base_keys.encode(key.key) or b""]


def _by_partition(partition_of: Partitions, keys: Sequence[bytes | None]) -> dict[int, list[int]]:
    """Return the indexes of encoded keys by the partitions that their hashes choose."""
    chosen: dict[int, list[int]] = {}
    for index, partition in enumerate(partition_of.of_all([data or b"" for data in keys])):
        indexes = chosen.get(partition)
        if indexes is None:
            chosen[partition] = [index]
        else:
            indexes.append(index)
    return chosen


def _chosen(records: Results, indexes: Sequence[int]) -> Results:
    if len(indexes) == len(records.keys):
        return records
    topic, keys, values, timestamps, headers, partition = records
    return Results(
        topic,
        [keys[index] for index in indexes],
        [values[index] for index in indexes],
        [timestamps[index] for index in indexes],
        [headers[index] for index in indexes],
        partition,
    )


def _portions(count: int) -> Iterator[slice]:
    return (slice(first, first + _PORTION) for first in range(0, count, _PORTION))
