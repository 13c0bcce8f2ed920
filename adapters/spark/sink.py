"""Writes a batch's results to the event sink, a slot for each of Spark's partitions, and gives the driver what it must know.

A slot's records are the same, in the same order, however often a batch is repeated, so the sink may skip what it has.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, overload

import pyarrow as pa
from pyspark.sql.types import BinaryType, StructField, StructType

from eddyline.adapters.spark.frames import Frame, Kind, Place, Sender, counts, unpack, unpack_parts, unwrap, wrap
from eddyline.adapters.spark.plan import Plan
from eddyline.adapters.spark.shipping import Shipped
from eddyline.adapters.spark.tasks import partition_of
from eddyline.application.ports.event_sink import SinkRecord

TOLD: Final = StructType([StructField("frame", BinaryType())])
"""The rows that come back to the driver."""

_ARROW: Final = pa.schema([("frame", pa.binary())])
_NOT_PLACED: Final = Place(-1, -1)


def write_slot(plan: Plan, slot: int, batch: int, frames: Iterable[Frame]) -> Iterator[Frame]:
    """Writes the results among a slot's frames; gives the other frames, and a report of how many records each topic got."""
    results: list[Frame] = []
    for frame in frames:
        if frame.kind is Kind.OUTPUT:
            results.append(frame)
        else:
            yield frame
    if not results:
        return
    results.sort()
    written = sum((Counter(counts(frame.body)) for frame in results), Counter[str]())
    for topic in written:
        if topic not in plan.made_topics:
            plan.ports.sink.create_topic(topic, plan.options.new_topic_partitions)
            plan.made_topics.add(topic)
    plan.ports.sink.write(plan.writer, slot, batch, _by_place(results) if plan.options.order == "arrival" else _Results(results))
    yield Frame(Sender(0, slot, 0), Kind.REPORT, 0, json.dumps({"written": written}).encode())


def slot_writer(shipped: Shipped, batch: int, groups: int) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Writes the slots among rows; a slot's rows must all come to one of its calls."""

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        plan: Plan = shipped.value
        slots: dict[int, list[Frame]] = {}
        for rows in batches:
            for group, data in zip(rows.column("group").to_pylist(), rows.column("frame").to_pylist(), strict=True):
                slot = 0 if plan.options.order == "arrival" else partition_of(group, groups)
                slots.setdefault(slot, []).append(unwrap(data))
        for slot, frames in sorted(slots.items()):
            told = [wrap(frame) for frame in write_slot(plan, slot, batch, frames)]
            yield pa.RecordBatch.from_arrays([pa.array(told, pa.binary())], schema=_ARROW)

    return write


class _Results(Sequence[SinkRecord]):
    """The records of frames, unpacked frame by frame each time they are gone through, so that few are in memory at once."""

    def __init__(self, frames: Sequence[Frame]) -> None:
        self._bodies = [frame.body for frame in frames]

    def __len__(self) -> int:
        return sum(sum(counts(body).values()) for body in self._bodies)

    def __iter__(self) -> Iterator[SinkRecord]:
        for body in self._bodies:
            yield from map(_sink_record, zip(*unpack_parts(body)[:-1], strict=True))

    @overload
    def __getitem__(self, place: int) -> SinkRecord: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[SinkRecord]: ...

    def __getitem__(self, place: int | slice) -> SinkRecord | Sequence[SinkRecord]:
        return list(self)[place]


_sink_record: Callable[[Iterable[Any]], SinkRecord] = partial(tuple.__new__, SinkRecord)  # the class itself takes twice as long


def _by_place(frames: Sequence[Frame]) -> list[SinkRecord]:
    """The records in the sequence over all topics: by arrival, then stage by stage, as they were given there."""
    placed = [(record.place or _NOT_PLACED, frame.sender, record) for frame in frames for record in unpack(frame.body)]
    placed.sort(key=lambda found: (found[0].arrival, found[1].stage, found[1].task, found[0].number))
    return [SinkRecord(*record[:6]) for _, _, record in placed]
