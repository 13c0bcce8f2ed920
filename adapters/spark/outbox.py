"""What a task sends on: encodes its results and packs them into frames for the stages and the sink."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from adapters.spark.frames import Frame, Kind, Packed, Place, Sender, pack, split, wrap
from adapters.spark.plan import Plan
from application.operators.output import Output
from application.runtime.partitioner import partition_for
from application.runtime.topic_types import codec_type

END = -1
"""The stage of rows that no stage takes any more."""
_FLUSH_RECORDS = 8_192


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
        self._by_arrival = plan.order == "arrival"
        self._result_partition = task if plan.keep_partition else None
        self.begin(0)

    def begin(self, now_ms: int) -> None:
        """Begins a batch at this time."""
        self._now_ms = now_ms
        self._waiting: dict[tuple[int, int], list[Packed]] = {}
        self._full: list[Row] = []
        self._frames = 0
        self._number = 0

    def take(self, outputs: Iterable[Output], arrival: int = -1) -> None:
        """Takes results that came of the record with this arrival."""
        plan, task = self._plan, self._task
        for topic, key, value, timestamp, headers, sink in outputs:
            route = self._routes.get((topic, sink.name))
            if route is None:
                route = self._routes[topic, sink.name] = self._route(topic, sink)
            key_bytes = route.encode_key(key)
            partition: int | None
            if route.stage != END:
                partition = task if plan.keep_partition else partition_for(key_bytes or b"", route.partitions)
                place_of = (route.stage, partition)
            else:
                partition = self._result_partition
                if partition is None and route.partitioner is not None:
                    partition = route.partitioner(key, value, route.partitions)
                place_of = (END, task)
            self._put(place_of, Packed(topic, key_bytes, route.encode_value(value), timestamp, headers, partition), arrival)

    def put_result(self, record: Packed, arrival: int = -1) -> None:
        """Takes a record for the sink that is bytes already."""
        self._put((END, self._task), record, arrival)

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

    def _put(self, place_of: tuple[int, int], record: Packed, arrival: int) -> None:
        if self._by_arrival:
            record = record._replace(place=Place(arrival, self._number))
            self._number += 1
        waiting = self._waiting.get(place_of)
        if waiting is None:
            waiting = self._waiting[place_of] = []
        waiting.append(record)
        if len(waiting) >= _FLUSH_RECORDS:
            self._pack(place_of)

    def _pack(self, place_of: tuple[int, int]) -> None:
        stage, task = place_of
        kind = Kind.OUTPUT if stage == END else Kind.RECORDS
        for part in split(self._waiting.pop(place_of)):
            self._full.append(Row(task, stage, self._frame(kind, pack(part))))

    def _frame(self, kind: Kind, body: bytes) -> bytes:
        self._frames += 1
        return wrap(Frame(Sender(self._stage, self._task, self._frames), kind, self._now_ms, body))

    def _route(self, topic: str, sink: Any) -> _Route:
        plan = self._plan
        key_type, value_type = codec_type(sink.key_type), codec_type(sink.value_type)
        stage = plan.stage_of.get(topic)
        if stage is not None:
            key = plan.codecs.for_key(plan.internal_name(topic), key_type).encode
            return _Route(key, plan.codecs.for_state(value_type).encode, stage, plan.partitions[topic], None)
        key, value = plan.codecs.for_key(topic, key_type).encode, plan.codecs.for_value(topic, value_type).encode
        partitions = 0 if sink.partitioner is None else self._partitions_of(topic)
        return _Route(key, value, END, partitions, sink.partitioner)

    def _partitions_of(self, topic: str) -> int:
        return self._plan.log.partitions(topic) if topic in self._plan.log.topics() else self._plan.new_topic_partitions
