"""The event log as a streaming source of Spark. Rows say which offsets a task is to read; the task reads them itself.

An offset of the source holds where each partition of each topic ends, whether the log has more behind that, and when it was
looked at, so that a repeated batch is the same batch.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from heapq import merge
from typing import Any, Final, TypeAlias

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from eddyline.adapters.spark.following import Ends, log_ends
from eddyline.adapters.spark.frames import Frame, Kind, Sender, unwrap, wrap
from eddyline.adapters.spark.inputs import Range
from eddyline.adapters.spark.outbox import Row
from eddyline.adapters.spark.plan import Plan
from eddyline.adapters.spark.rows import ROWS, in_batches
from eddyline.adapters.spark.shipping import Shipped
from eddyline.adapters.spark.stateless import run_stateless

SOURCE: Final = "eddyline"
"""The name of the source in Spark."""

Offset: TypeAlias = dict[str, Any]


class Rows(InputPartition):
    """Rows of a batch, made on the driver: some to be handed on, some to be run where they are read."""

    def __init__(self) -> None:
        self.handed_on: list[Row] = []
        self.run_here: list[Row] = []


class EventReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Plans batches of at most `limit` records over all partitions."""

    def __init__(self, shipped: Shipped, limit: int, groups: int) -> None:
        plan: Plan = shipped.value
        self._shipped, self._plan, self._limit, self._groups = shipped, plan, limit, groups
        self._log = plan.ports.log
        self._target: Ends | None = None
        self._unlimited = {spec.name for spec in plan.topology.source_topics if spec.global_}
        own = dict.fromkeys(topic for stage in range(len(plan.line)) for topic in plan.source_topics(stage))
        self._topics = [*own, *([plan.clock_topic] if plan.clock_topic is not None else [])]

    def initialOffset(self) -> Offset:  # noqa: N802 - Spark's names
        ends = {
            topic: [self._log.beginning_offset(topic, number) for number in range(self._log.partitions(topic))]
            for topic in self._topics
        }
        return {"ends": ends, "more": {}, "at": 0}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        return ReadMaxRows(self._limit)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        self._target = log_ends(self._log, self._topics)

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:  # noqa: N802
        last = self._target or log_ends(self._log, self._topics)
        begin = self._begin(start["ends"], last)
        most = None if isinstance(limit, ReadAllAvailable) else self._limit
        if self._plan.options.order == "arrival":
            ends, more = self._cut_by_arrival(begin, last, most), dict[str, list[int]]()
        else:
            ends, more = self._share(begin, last, most)
        if ends == start["ends"] and start["at"]:
            return start
        return {"ends": ends, "more": more, "at": time.time_ns() // 1_000_000}

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        begin, ends = self._begin(start["ends"], end["ends"]), end["ends"]
        slots = [Rows() for _ in range(self._groups)]
        for stage in range(len(self._plan.line)):
            own = [topic for topic in self._plan.source_topics(stage) if topic not in self._unlimited]
            shared = [topic for topic in self._plan.source_topics(stage) if topic in self._unlimited]
            for task in range(max([self._plan.tasks[self._plan.line[stage]], *(len(ends[topic]) for topic in own)])):
                places = [(topic, task) for topic in own if task < len(ends[topic])]
                places += [(topic, number) for topic in shared for number in range(len(ends[topic]))]
                places += self._clock_places(task, ends)
                here = stage in self._plan.in_reader
                ranges = [
                    Range(
                        topic,
                        number,
                        begin[topic][number],
                        ends[topic][number],
                        not here and number in end["more"].get(topic, ()),
                    )
                    for topic, number in places
                ]
                if not start["at"] or any(found.start < found.end for found in ranges):
                    body = json.dumps(ranges).encode()
                    row = Row(task, stage, wrap(Frame(Sender(stage, task, 0), Kind.RANGES, end["at"], body)))
                    if here:
                        slots[task % self._groups].run_here.append(row)
                    else:
                        slots[0].handed_on.append(row)
        return [rows for rows in slots if rows.run_here or rows.handed_on]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        if isinstance(partition, Rows):
            yield from in_batches(partition.handed_on, self._groups)
            for task, stage, frame in partition.run_here:
                yield from in_batches(run_stateless(self._shipped, stage, task, unwrap(frame)), self._groups)

    def stop(self) -> None:
        self._log.close()

    def _begin(self, start: Ends, last: Ends) -> Ends:
        """Where a batch begins: where the one before ended, or at the beginning of partitions that are new."""
        return {
            topic: [
                start[topic][number] if number < len(start[topic]) else self._log.beginning_offset(topic, number)
                for number in range(len(ends))
            ]
            for topic, ends in last.items()
        }

    def _share(self, begin: Ends, last: Ends, most: int | None) -> tuple[Ends, dict[str, list[int]]]:
        """Up to `most` records, from each partition in proportion to what waits there; and the partitions that have more."""
        waiting = {
            (topic, number): end - begin[topic][number]
            for topic, ends in last.items()
            for number, end in enumerate(ends)
            if topic not in self._unlimited
        }
        total = sum(waiting.values())
        ends = {topic: list(numbers) for topic, numbers in last.items()}
        more: dict[str, list[int]] = {}
        if most is None or total <= most:
            return ends, more
        for (topic, number), count in waiting.items():
            taken = -(-most * count // total)
            if taken < count:
                ends[topic][number] = begin[topic][number] + taken
                more.setdefault(topic, []).append(number)
        return ends, more

    def _cut_by_arrival(self, begin: Ends, last: Ends, most: int | None) -> Ends:
        """The first `most` records in the sequence over all topics."""
        places = [(topic, number) for topic, ends in last.items() for number in range(len(ends))]
        if most is None or sum(last[topic][number] - begin[topic][number] for topic, number in places) <= most:
            return last
        ends = {topic: list(numbers) for topic, numbers in begin.items()}
        arrivals = (self._arrivals(topic, number, begin[topic][number], last[topic][number]) for topic, number in places)
        for taken, (_, topic, number, offset) in enumerate(merge(*arrivals), 1):
            ends[topic][number] = offset + 1
            if taken == most:
                break
        return ends

    def _arrivals(self, topic: str, number: int, start: int, end: int) -> Iterator[tuple[int, str, int, int]]:
        for batch in self._log.read(topic, number, start, end):
            for record in batch:
                yield -1 if record.arrival is None else record.arrival, topic, number, record.offset

    def _clock_places(self, task: int, ends: Mapping[str, Sequence[int]]) -> list[tuple[str, int]]:
        topic = self._plan.clock_topic
        if topic is None:
            return []
        if self._plan.options.keep_partition:
            return [(topic, task)] if task < len(ends[topic]) else []
        return [(topic, number) for number in range(len(ends[topic]))]


def event_source(plan: Shipped, limit: int, groups: int) -> type[DataSource]:
    """The source class of one flow, to be registered with Spark."""

    class EventSource(DataSource):
        """Makes the reader of the flow."""

        @classmethod
        def name(cls) -> str:
            return SOURCE

        def schema(self) -> StructType:
            return ROWS

        def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's name
            del schema
            return EventReader(plan, limit, groups)

    return EventSource
