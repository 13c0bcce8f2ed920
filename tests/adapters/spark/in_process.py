"""Runs a flow batch by batch as Spark does, but in this process: everything of the adapter but Spark itself.

Batches may fail after their results were written, and workers may lose what they keep; results must not show either.
"""

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pyspark.sql.streaming.datasource import ReadMaxRows

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.read_model import MemoryReadModel
from eddyline.adapters.memory.state_stores import MemoryStateStores
from eddyline.adapters.spark.driver.query import stored_entries
from eddyline.adapters.spark.exchange.frames import Frame, Kind, unpack_frame
from eddyline.adapters.spark.exchange.reports import unpack_report, unpack_written
from eddyline.adapters.spark.exchange.rows import END, Row
from eddyline.adapters.spark.exchange.task_ids import TaskIds
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.adapters.spark.sink.slot_writer import write_slot
from eddyline.adapters.spark.source.datasource import EventReader, Offset
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.cache import RunCache
from eddyline.adapters.spark.worker.hosted_task import HostedTask
from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.event_sink import EventSink
from eddyline.application.ports.read_model import StoredEntry
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.options import RunOptions, RunPorts
from eddyline.application.runtime.report import RunReport
from eddyline.application.runtime.run_plan import RunPlan
from eddyline.application.runtime.store_rows import StoreRow, rows_of
from eddyline.application.runtime.task_stores import store_types
from eddyline.application.topology import Topology
from tests.adapters.spark.state.chunk_store import MemoryChunkStore


class InProcess:
    """A run of a topology over a log in memory; results are written to the same log, unless there is a `sink`."""

    def __init__(
        self,
        topology: Topology,
        log: MemoryEventLog,
        *,
        codecs: Codecs | None = None,
        sink: EventSink | None = None,
        workers: int = 2,
        seed: int = 0,
        **options: Any,
    ) -> None:
        self.topology, self.log = topology, log
        self.report, self.read_model = RunReport(), MemoryReadModel()
        given: dict[str, Any] = {"application_id": "app", "emit": "every-update", "new_topic_partitions": 1, **options}
        ports = RunPorts(log, sink or MemoryEventSink(log), codecs or JsonCodecs(), MemoryStateStores())
        run = RunPlan.of(topology, ports, RunOptions(**given))
        self.plan = SparkPlan(run, stage_line(topology), "app-1", groups=2, with_changes=True)
        self.batch = -1
        self._broadcast = _NotPickled(self.plan)
        self._cells: dict[tuple[int, int], MemoryChunkStore] = {}
        self._workers = [RunCache(self._broadcast) for _ in range(workers)]
        self._random = random.Random(seed)
        self._at: Offset | None = None

    def run(self, limit: int = 1_000_000, *, failing: float = 0.0, forgetting: float = 0.0) -> "InProcess":
        """Run until what the log holds now is processed, in batches of at most `limit` records."""
        plan = _limited(self.plan, limit)
        reader = EventReader(self._broadcast, plan)
        self._at = self._at or reader.initialOffset()
        reader.prepareForTriggerAvailableNow()
        while (end := reader.latestOffset(self._at, ReadMaxRows(limit))) != self._at:
            start, self._at = self._at, json.loads(json.dumps(end))
            self.batch += 1
            while self._random.random() < failing:
                before = {place: cells.copy() for place, cells in self._cells.items()}
                self._run_batch(reader, start, self._at)
                self._cells = before
            for number in range(len(self._workers)):
                if self._random.random() < forgetting:
                    self._workers[number] = RunCache(self._broadcast)
            self._add(self._run_batch(reader, start, self._at))
        return self

    def results(self, topic: str) -> list[LogRecord]:
        """Return the records of a topic, partition by partition."""
        if topic not in self.log.topics():
            return []
        numbers = range(self.log.partitions(topic))
        return [
            record
            for number in numbers
            for batch in self.log.read(topic, number, 0, self.log.end_offset(topic, number))
            for record in batch
        ]

    def store(self, name: str) -> list[StoreRow]:
        """Return the rows of a store in the read model."""
        if name not in self.read_model.stores():
            return []
        codecs = self.plan.run.ports.codecs
        key, value = (codecs.for_state(found) for found in store_types(self.topology.stores[name]))
        entries = self.read_model.entries(name)
        return rows_of(self.topology.stores[name], [StoreChange(key.decode(e.key), value.decode(e.value)) for e in entries])

    def _add(self, reports: list[Frame]) -> None:
        changes: list[StoredEntry] = []
        for frame in reports:
            if frame.kind is Kind.REPORT:
                self.report.add(unpack_report(frame.body))
            elif frame.kind is Kind.WRITTEN:
                self.report.written.update(unpack_written(frame.body))
            else:
                changes += stored_entries(frame)
        self.read_model.apply(self.batch, changes)

    def _run_batch(self, reader: EventReader, start: Offset, end: Offset) -> list[Frame]:
        ids = TaskIds(self.plan.groups)
        rows = [
            Row(ids.task(group), stage, frame)
            for partition in reader.partitions(start, end)
            for found in reader.read(partition)
            for group, stage, frame in zip(*(column.to_pylist() for column in found.columns), strict=True)
        ]
        for stage in self.plan.stateful:
            own = [row for row in rows if row.stage == stage]
            rows = [row for row in rows if row.stage != stage]
            for task in sorted({row.task for row in own}):
                frames = [unpack_frame(row.frame) for row in own if row.task == task]
                self._random.shuffle(frames)
                rows += self._run_task(stage, task, frames)
        assert {row.stage for row in rows} <= {END}
        self._random.shuffle(rows)
        return [frame for slot in range(self.plan.groups) for frame in self._write(slot, rows)]

    def _write(self, slot: int, rows: list[Row]) -> Iterator[Frame]:
        frames = [(row.task % self.plan.groups, unpack_frame(row.frame)) for row in rows]
        one_slot = self.plan.run.options.order == "arrival"
        own = [frame for of_slot, frame in frames if (0 if one_slot else of_slot) == slot]
        return write_slot(self._workers[0], slot, self.batch, own)

    def _run_task(self, stage: int, task: int, frames: list[Frame]) -> list[Row]:
        cells = self._cells.setdefault((stage, task), MemoryChunkStore())
        worker, now = self._random.choice(self._workers), frames[0].now_ms
        state, hosted = worker.take(stage, task, now)
        missed = state.catch_up(cells)
        if missed.rebuilt:
            hosted = HostedTask(self.plan, stage, task, now)
        hosted.restore(missed.changes)
        rows = list(hosted.run(frames, now))
        state.commit(cells, hosted.changes)
        worker.put(stage, task, state, hosted)
        return rows


class _NotPickled(Broadcast):
    """A plan that stays in this process."""

    def __init__(self, plan: SparkPlan) -> None:
        self.run, self.owner = str(id(plan)), plan.writer
        self._plan = plan

    def unpickle(self) -> SparkPlan:
        return self._plan


def _limited(plan: SparkPlan, limit: int) -> SparkPlan:
    run = replace(plan.run, options=replace(plan.run.options, max_batch_records=limit))
    return replace(plan, run=run)


def drops_of(counted: Counter[tuple[str, str]] | dict[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    """Return drops in a form that can be compared."""
    return {place: number for place, number in counted.items() if number}
