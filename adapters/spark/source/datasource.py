"""The event log as a streaming source of Spark. A row has the offset ranges that a task is to read from the log itself.

An offset of the source has everything that a repeated batch needs to be the same: the end offset of each partition (`ends`), the
partitions that hold more records (`more`), whether there are more by arrival (`partial`, if there are), the wall-clock time at
which the batch was planned (`at`, in ms), and the positions that were out of range and reset at its start (`resets`, if there are
any). With changelogs, a batch with `more` has the ends of the last batch without (`complete`): tasks may have left records after
them. Offsets that differ in `at` alone are those of a batch without records, for tasks whose sources are idle.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow

from eddyline.adapters.spark.exchange.frames import Frame, Kind, Sender, pack_frame, unpack_frame
from eddyline.adapters.spark.exchange.reports import machine_ms
from eddyline.adapters.spark.exchange.rows import Row, arrow_batches
from eddyline.adapters.spark.failures import reported
from eddyline.adapters.spark.plan import SparkPlan
from eddyline.adapters.spark.worker.batch_context import worker_batch
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.stateless import StatelessBatch, run_stateless
from eddyline.application.runtime.input.batch_planner import BatchEnd, plan_batch, task_ranges
from eddyline.application.runtime.input.batch_size import batch_limit
from eddyline.application.runtime.input.offsets import (
    Offsets,
    beginning_offsets,
    end_offsets,
    ends_of,
    records_between,
    with_new_partitions,
)
from eddyline.application.runtime.output.topics import check_changelog_partitions
from eddyline.application.runtime.plan.changelogs import BatchProgress
from eddyline.application.runtime.progress.log_identity import check_log
from eddyline.application.runtime.progress.offset_reset import PositionReset, check_partitions, find_resets, with_resets

Offset: TypeAlias = dict[str, Any]


class Rows(InputPartition):
    """Rows of a batch that one worker reads: those `for_stages` are passed on, the `stateless` tasks run in the worker."""

    def __init__(self) -> None:
        self.for_stages: list[Row] = []
        self.stateless: list[Row] = []


class EventReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Plans batches on the driver and reads their rows in the workers, to which only the broadcast is sent.

    `batch` returns in a worker the batch that it works on; `ids` has the integers of the tasks.
    """

    def __init__(self, broadcast: Broadcast, plan: SparkPlan, batch: Callable[[], BatchProgress] = worker_batch) -> None:
        self._broadcast, self.ids, self._groups, self._batch = broadcast, plan.task_ids(), plan.groups, batch
        self._plan, self._log = plan, plan.run.ports.log
        self._target: dict[str, list[int]] | None = None

    @property
    def _topics(self) -> list[str]:
        return self._plan.topics

    def initialOffset(self) -> Offset:  # noqa: N802 - Spark's names
        with reported():
            begin = beginning_offsets(self._log, self._topics)
            known = self._plan.imported.offsets if self._plan.imported is not None else {}
            ends = {topic: [*known.get(topic, ())[: len(at)], *at[len(known.get(topic, ())) :]] for topic, at in begin.items()}
            return {"ends": ends, "more": {}, "at": 0}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        return ReadMaxRows(self._plan.run.options.batch_records)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        with reported():
            self._target = end_offsets(self._log, self._topics)

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:  # noqa: N802
        with reported():
            topics = self._topics
            self._check_log(topics)
            bounds = self._log.topic_bounds(topics)
            last = self._target or ends_of(bounds)
            check_partitions(start["ends"], last)
            self._plan.run.check_partitions(last)
            check_changelog_partitions(self._plan.run, last)
            begin = with_new_partitions(self._log, start["ends"], last)
            resets = find_resets(begin, last, bounds, self._plan.run.options.auto_offset_reset)
            begin = with_resets(begin, resets)
            end = BatchEnd(last, {}) if isinstance(limit, ReadAllAvailable) else self._next_batch(begin, last)
            now = machine_ms()
            if end.offsets == start["ends"] and start["at"] and not self._is_idle_since(start["at"], now):
                return start
            found = {"ends": end.offsets, "more": end.more, "at": now} | ({"partial": True} if end.partial else {})
            if end.more and self._plan.run.changelogs:
                found["complete"] = complete_offsets(start)
            return {**found, "resets": resets} if resets else found

    def _next_batch(self, start: Offsets, last: Offsets) -> BatchEnd:
        plan, options = self._plan, self._plan.run.options
        limit = options.batch_records if plan.limit is None else plan.limit.get(options.batch_records)
        return plan_batch(plan.run, start, last, batch_limit(limit, records_between(start, last), options))

    def _is_idle_since(self, last_ms: int, now_ms: int) -> bool:
        """Return whether a batch without records is due, so that stream time follows the wall clock."""
        timeout_ms = self._plan.run.shortest_idle_timeout_ms
        return timeout_ms is not None and now_ms - last_ms >= timeout_ms

    def _check_log(self, topics: list[str]) -> None:
        """Make sure before each batch that no topic has been deleted and created again. Raises LogMismatchError."""
        if self._plan.log is not None:
            check_log(self._plan.log, self._log.identity(topics), self._plan.run.options.application_id)

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        with reported():
            resets = [PositionReset(*reset) for reset in end.get("resets", ())]
            begin = with_resets(with_new_partitions(self._log, start["ends"], end["ends"]), resets)
            slots = [Rows() for _ in range(self._groups)]
            stages = {index: stage for stage, index in enumerate(self._plan.line)}
            kind = Kind.PARTIAL_RANGES if end.get("partial") else Kind.RANGES
            for index, task, ranges in task_ranges(self._plan.run, begin, BatchEnd(end["ends"], end["more"])):
                stage = stages[index]
                runs_here = stage in self._plan.in_reader
                # Tasks with changelogs report their progress in every batch, and those with idle timeouts look at the wall clock.
                always = not start["at"] or index in self._plan.run.changelogs or index in self._plan.run.with_idle_timeouts
                if always or any(found.start < found.end for found in ranges):
                    sent = [found._replace(more=False) for found in ranges] if runs_here else ranges
                    frame = Frame(Sender(stage, task, 0), kind, end["at"], json.dumps(sent).encode())
                    row = Row(task, stage, pack_frame(frame))
                    if runs_here:
                        slots[self.ids.partition(task)].stateless.append(row)
                    else:
                        slots[0].for_stages.append(row)
            return [rows for rows in slots if rows.stateless or rows.for_stages]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        if isinstance(partition, Rows):
            with reported():
                yield from arrow_batches(partition.for_stages, self.ids)
                for task, stage, frame in partition.stateless:
                    yield from arrow_batches(self._run_stateless(stage, task, frame), self.ids)

    def _run_stateless(self, stage: int, task: int, frame: bytes) -> Iterator[Row]:
        given = StatelessBatch(stage, task, unpack_frame(frame), self._batch())
        return run_stateless(self._broadcast, given, self.ids.partition(task))

    def stop(self) -> None:
        self._log.close()

    def __getstate__(self) -> dict[str, Any]:
        return {"_broadcast": self._broadcast, "ids": self.ids, "_batch": self._batch}


def complete_offsets(offset: Offset) -> dict[str, list[int]]:
    """Return the offsets before which all records have been processed after a batch; empty if they are not known."""
    found: dict[str, list[int]] = offset.get("complete", {}) if offset["more"] else offset["ends"]
    return found
