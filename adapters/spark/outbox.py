"""What a task sends on: encodes its results and packs them into frames for the stages and the sink."""

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Any, NamedTuple

from eddyline.adapters.spark.frames import FRAME_BYTES, Columns, Frame, Kind, Packed, Place, Sender, measured, wrap
from eddyline.adapters.spark.plan import Plan
from eddyline.application.operators.output import Output
from eddyline.application.runtime.encoding import key_encoder
from eddyline.application.runtime.partitioner import partition_for
from eddyline.application.runtime.topic_types import codec_type

END = -1
"""The stage of rows that no stage takes any more."""


class Row(NamedTuple):
    """A row between stages: the task that it is for (at the end: that it comes from), the stage and the frame."""

    task: int
    stage: int
    frame: bytes


class _Route(NamedTuple):
    encode_key: Callable[[Any], bytes | None]
    encode_value: Callable[[Any], bytes | None]
    stage: int
    partitions: int
    partitioner: Callable[[Any, Any, int], int] | None


class Outbox:
    """Takes the results of one task and gives rows."""

    def __init__(self, plan: Plan, stage: int, task: int) -> None:
        self._plan, self._stage, self._task = plan, stage, task
        self._routes: dict[tuple[str, str], _Route] = {}
        self._by_arrival = plan.options.order == "arrival"
        self._result_partition = task if plan.options.keep_partition else None
        self._end = (END, task)
        self.begin(0)

    def begin(self, now_ms: int) -> None:
        """Begins a batch at this time."""
        self._now_ms = now_ms
        self._waiting: dict[tuple[int, int], Columns] = {}
        self._full: list[Row] = []
        self._frames = 0
        self._number = 0

    def take(self, outputs: Sequence[Output], arrival: int = -1) -> None:
        """Takes results that came of the record with this arrival."""
        if not outputs:
            return
        topics, _, _, _, _, sinks = columns = tuple(zip(*outputs, strict=True))
        topic, sink, count = topics[0], sinks[0], len(outputs)
        route = self._route_of(topic, sink)
        alike = topics.count(topic) == count and sinks.count(sink) == count
        if alike and route.stage == END and route.partitioner is None and not self._by_arrival:
            self._take_alike(route, columns)
        else:
            for output in outputs:
                self._take_one(output, arrival)

    def put_result(self, record: Packed, arrival: int = -1) -> None:
        """Takes a record for the sink that is bytes already."""
        self._put(self._end, record, arrival)

    def rows(self) -> Iterator[Row]:
        """The rows that are full."""
        full, self._full = self._full, []
        return iter(full)

    def flush(self) -> Iterator[Row]:
        """All rows that are left."""
        for place_of in list(self._waiting):
            self._pack(place_of)
        return self.rows()

    def row(self, kind: Kind, body: bytes) -> Row:
        """A row for the driver."""
        return Row(self._task, END, self._frame(kind, body))

    def _take_alike(self, route: _Route, columns: tuple[tuple[Any, ...], ...]) -> None:
        """Results of one step for one topic, which the sink places: the way that most results go."""
        topics, keys, values, timestamps, headers, _ = columns
        partition = self._result_partition
        own_keys, own_values = measured(list(map(route.encode_key, keys))), measured(list(map(route.encode_value, values)))
        if own_keys.size + own_values.size > FRAME_BYTES:
            for record in map(Packed, topics, own_keys.blobs, own_values.blobs, timestamps, headers, repeat(partition)):
                self._put(self._end, record, -1)
        elif self._columns(self._end).add_all(topics[0], own_keys, own_values, timestamps, headers, partition):
            self._pack(self._end)

    def _take_one(self, output: Output, arrival: int) -> None:
        topic, key, value, timestamp, headers, sink = output
        route = self._route_of(topic, sink)
        key_bytes = route.encode_key(key)
        if route.stage != END:
            own = self._plan.options.keep_partition
            partition = self._task if own else partition_for(key_bytes or b"", route.partitions)
            record = Packed(topic, key_bytes, route.encode_value(value), timestamp, headers, partition)
            self._put((route.stage, partition), record, arrival)
            return
        chosen = self._result_partition
        if chosen is None and route.partitioner is not None:
            chosen = route.partitioner(key, value, route.partitions)
        self._put(self._end, Packed(topic, key_bytes, route.encode_value(value), timestamp, headers, chosen), arrival)

    def _put(self, place_of: tuple[int, int], record: Packed, arrival: int) -> None:
        columns = self._columns(place_of)
        if self._by_arrival:
            columns.places.append(Place(arrival, self._number))
            self._number += 1
        if columns.add(*record[:6]):
            self._pack(place_of)

    def _columns(self, place_of: tuple[int, int]) -> Columns:
        columns = self._waiting.get(place_of)
        if columns is None:
            columns = self._waiting[place_of] = Columns()
        return columns

    def _pack(self, place_of: tuple[int, int]) -> None:
        stage, task = place_of
        kind = Kind.OUTPUT if stage == END else Kind.RECORDS
        self._full.append(Row(task, stage, self._frame(kind, self._waiting.pop(place_of).pack())))

    def _frame(self, kind: Kind, body: bytes) -> bytes:
        self._frames += 1
        return wrap(Frame(Sender(self._stage, self._task, self._frames), kind, self._now_ms, body))

    def _route_of(self, topic: str, sink: Any) -> _Route:
        route = self._routes.get((topic, sink.name))
        if route is None:
            route = self._routes[topic, sink.name] = self._route(topic, sink)
        return route

    def _route(self, topic: str, sink: Any) -> _Route:
        plan = self._plan
        key_type, value_type = codec_type(sink.key_type), codec_type(sink.value_type)
        stage = plan.stage_of.get(topic)
        if stage is not None:
            key = plan.ports.codecs.for_key(plan.internal_name(topic), key_type).encode
            value = plan.ports.codecs.for_state(value_type).encode
            return _Route(key_encoder(key, key_type), value, stage, plan.partitions[topic], None)
        key, value = plan.ports.codecs.for_key(topic, key_type).encode, plan.ports.codecs.for_value(topic, value_type).encode
        partitions = 0 if sink.partitioner is None else self._partitions_of(topic)
        return _Route(key_encoder(key, key_type), value, END, partitions, sink.partitioner)

    def _partitions_of(self, topic: str) -> int:
        return (
            self._plan.ports.log.partitions(topic)
            if topic in self._plan.ports.log.topics()
            else self._plan.options.new_topic_partitions
        )
