"""In which batches the records of a log were processed, as far as that is known.

A flow that ran on Spark has its latest batches in its checkpoint. Otherwise they are planned again, as a run over the whole log
plans them, or every record is a batch of its own.
"""

from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from typing import NamedTuple, Protocol

from eddyline.application.lineage.origins import Origin
from eddyline.application.ports.event_log import EventLog, LogRecord, TopicPartition
from eddyline.application.runtime.input.batch_planner import BatchEnd, plan_batch, task_ranges
from eddyline.application.runtime.input.offsets import Offsets, partitions_of
from eddyline.application.runtime.input.record_queue import OffsetRange
from eddyline.application.runtime.plan.run_plan import RunPlan


class KnownBatch(NamedTuple):
    """A batch of an earlier run.

    Attributes:
        number: Its number.
        time_ms: The wall-clock time of its tasks in ms since the epoch.
        ends: The end offset of each partition.
        more: The partitions that held more records then, by topic.
    """

    number: int
    time_ms: int
    ends: dict[str, list[int]]
    more: dict[str, list[int]]


class Batch(NamedTuple):
    """What the tasks read in a batch: sub-topology, task and offset ranges; `now_ms` is the wall-clock time."""

    now_ms: int
    reads: Sequence[tuple[int, int, list[OffsetRange]]]


class Schedule(Protocol):
    """The batches in which a log is replayed; `description` completes "the log was replayed …"."""

    description: str

    def batches(self, plan: RunPlan, start: Offsets, end: Offsets) -> Iterator[Batch]:
        """Return the batches between two positions."""


class PlannedBatches:
    """The batches of a run that finds the whole log when it starts; `now_ms` is its wall-clock time, which never advances."""

    description = "in the batches that one run over the whole log has"

    def __init__(self, now_ms: int) -> None:
        self._now = now_ms

    def batches(self, plan: RunPlan, start: Offsets, end: Offsets) -> Iterator[Batch]:
        """Return the batches between two positions."""
        while start != end:
            planned = plan_batch(plan, start, end)
            yield Batch(self._now, list(task_ranges(plan, start, planned)))
            start = planned.offsets


class KnownBatches:
    """The batches of an earlier run, and before and after them those that a run would plan."""

    description = "in the batches that the flow has recorded"

    def __init__(self, known: Sequence[KnownBatch]) -> None:
        self._known = known

    def batches(self, plan: RunPlan, start: Offsets, end: Offsets) -> Iterator[Batch]:
        """Return the batches between two positions."""
        if self._known[0].number > 0:
            yield from PlannedBatches(self._known[0].time_ms).batches(plan, start, _bounded(self._known[0].ends, start, end))
            start = _bounded(self._known[0].ends, start, end)
        for batch in self._known:
            ends = _bounded(batch.ends, start, end)
            yield Batch(batch.time_ms, list(task_ranges(plan, start, BatchEnd(ends, batch.more))))
            start = ends
        yield from PlannedBatches(self._known[-1].time_ms).batches(plan, start, end)


class SingleRecords:
    """Every record is a batch of its own, in the order of timestamps as a task takes them."""

    description = "record by record"

    def __init__(self, now_ms: int) -> None:
        self._now = now_ms

    def batches(self, plan: RunPlan, start: Offsets, end: Offsets) -> Iterator[Batch]:
        """Return the batches between two positions."""
        readers = readers_of(plan, start, end)
        for record in _by_time(plan.ports.log, start, end):
            source = TopicPartition(record.topic, record.partition)
            offsets = OffsetRange(*source, record.offset, record.offset + 1)
            yield Batch(self._now, [(*task, [offsets]) for task in readers.get(source, ())])


class SelectedBatches:
    """The batches in which some records were processed, with these alone; `times` has the wall-clock time of every batch.

    Batches without these records are left out, unless `all_batches` is set because of wall-clock punctuation.
    """

    description = "in the same batches"

    def __init__(self, selected: Iterable[Origin], times: Sequence[int], *, all_batches: bool) -> None:
        self._times, self._all = times, all_batches
        self._ranges: dict[int, dict[TopicPartition, tuple[int, int]]] = {}
        for origin in selected:
            topic, partition, offset = origin.position
            source, ranges = TopicPartition(topic, partition), self._ranges.setdefault(origin.batch, {})
            first, last = ranges.get(source, (offset, offset))
            ranges[source] = min(first, offset), max(last, offset)

    def batches(self, plan: RunPlan, start: Offsets, end: Offsets) -> Iterator[Batch]:
        """Return the batches with these records."""
        readers = readers_of(plan, start, end)
        every_task = sorted({task for tasks in readers.values() for task in tasks})
        for number in range(len(self._times)) if self._all else sorted(self._ranges):
            reads: dict[tuple[int, int], list[OffsetRange]] = {task: [] for task in every_task} if self._all else {}
            for source, (first, last) in self._ranges.get(number, {}).items():
                for task in readers.get(source, ()):
                    reads.setdefault(task, []).append(OffsetRange(*source, first, last + 1))
            yield Batch(self._times[number], [(*task, ranges) for task, ranges in reads.items()])


def readers_of(plan: RunPlan, start: Offsets, end: Offsets) -> dict[TopicPartition, list[tuple[int, int]]]:
    """Return the tasks that read each partition: sub-topology and number."""
    readers: dict[TopicPartition, list[tuple[int, int]]] = {}
    whole = BatchEnd({topic: list(offsets) for topic, offsets in end.items()}, {})
    for sub, task, ranges in task_ranges(plan, start, whole):
        for offsets in ranges:
            readers.setdefault(TopicPartition(offsets.topic, offsets.partition), []).append((sub, task))
    return readers


def _bounded(ends: Offsets, start: Offsets, end: Offsets) -> dict[str, list[int]]:
    """Return recorded end offsets, for all partitions that the log has now, and not outside of what is replayed."""
    return {
        topic: [
            max(first, min(last, ends[topic][number] if number < len(ends.get(topic, ())) else first))
            for number, (first, last) in enumerate(zip(start[topic], numbers, strict=True))
        ]
        for topic, numbers in end.items()
    }


def _by_time(log: EventLog, start: Offsets, end: Offsets) -> Iterator[LogRecord]:
    """Yield the records of all partitions, always the head with the lowest timestamp."""
    sources = [_records(log, *source, start[source.topic][source.partition], end) for source in partitions_of(end)]
    heads = [(head.timestamp, index, head) for index, source in enumerate(sources) if (head := next(source, None)) is not None]
    heapify(heads)
    while heads:
        _, index, record = heads[0]
        yield record
        following = next(sources[index], None)
        if following is None:
            heappop(heads)
        else:
            heapreplace(heads, (following.timestamp, index, following))


def _records(log: EventLog, topic: str, partition: int, start: int, end: Offsets) -> Iterator[LogRecord]:
    for batch in log.read(topic, partition, start, end[topic][partition]):
        yield from batch
