"""Runs a flow batch by batch as the Spark adapter does, with everything but Spark itself, in this process.

Batches may fail after their results were written, and workers may lose their caches; neither may change the results.
"""

import json
import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pyspark.sql.streaming.datasource import ReadMaxRows

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.spark.driver.query import stored_entries
from eddyline.adapters.spark.exchange.frames import Frame, Kind, unpack_frame
from eddyline.adapters.spark.exchange.reports import unpack_report, unpack_written
from eddyline.adapters.spark.exchange.rows import END, Row
from eddyline.adapters.spark.exchange.task_ids import TaskIds
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.adapters.spark.sink.arrival_server import write_by_arrival
from eddyline.adapters.spark.source.datasource import EventReader, Offset, complete_offsets
from eddyline.adapters.spark.state.chunks import ChunkedState
from eddyline.adapters.spark.state.portable import ImportedState, exported_task
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.cache import RunCache
from eddyline.adapters.spark.worker.task_server import TaskBatch, process
from eddyline.application.operations.exported_state import ExportedState
from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.event_sink import EventSink
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.output.topics import TopicCreator, ensure_changelogs
from eddyline.application.runtime.plan.changelogs import BatchProgress
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.runtime.plan.topic_types import store_types
from eddyline.application.runtime.progress.report import RunReport
from eddyline.application.runtime.progress.store_changes import ChangedEntry, StoreChanges
from eddyline.application.runtime.progress.store_rows import StoreRow, rows_of
from eddyline.application.topology import Topology
from eddyline.application.topology.evolution import described
from tests.adapters.spark.state.chunk_store import MemoryChunkStore, MemorySpark
from tests.runtime.plans import all_records, memory_ports


class InProcessRun:
    """A run of a topology over a log in memory; results are written to the same log unless there is a `sink`.

    `options` are fields of RunOptions, and `stores`, the state stores.
    """

    def __init__(
        self,
        topology: Topology,
        log: MemoryEventLog,
        *,
        codecs: Codecs | None = None,
        sink: EventSink | None = None,
        workers: int = 2,
        seed: int = 0,
        imported: ImportedState | None = None,
        kept: Mapping[str, int] | None = None,
        **options: Any,
    ) -> None:
        self.topology, self.log = topology, log
        self.report, self.store_changes = RunReport(), StoreChanges()
        given: dict[str, Any] = {"application_id": "app", "emit": "every-update", "new_topic_partitions": 1, **options}
        ports = memory_ports(log, codecs=codecs, sink=sink)
        ports = replace(ports, stores=given.pop("stores", ports.stores))
        run = RunPlan.of(topology, ports, RunOptions(**given), kept)
        writer = "app-1" if imported is None else "app-2"
        self.plan = SparkPlan(run, stage_line(topology), writer, groups=2, with_changes=True, imported=imported)
        ensure_changelogs(run, TopicCreator(run.ports.sink, 1))
        self.batch = -1
        self._broadcast = LocalBroadcast(self.plan)
        self._chunks: dict[tuple[int, int], MemoryChunkStore] = {}
        self._workers = [RunCache(self._broadcast) for _ in range(workers)]
        self._random = random.Random(seed)
        self._offset: Offset | None = None

    def run(
        self,
        max_batch_records: int = 1_000_000,
        *,
        failure_rate: float = 0.0,
        cache_loss_rate: float = 0.0,
        batches: int | None = None,
    ) -> "InProcessRun":
        """Run until the records that the log holds now are processed, or for a number of batches.

        Args:
            max_batch_records: the most records of a batch.
            failure_rate: the probability that a batch fails after its results were written, and is repeated.
            cache_loss_rate: the probability that a worker loses its cache before a batch.
            batches: the number of batches after which to stop.
        """
        plan = _with_limit(self.plan, max_batch_records)
        reader = EventReader(self._broadcast, plan, self._progress)
        self._offset = self._offset or reader.initialOffset()
        reader.prepareForTriggerAvailableNow()
        while (end := reader.latestOffset(self._offset, ReadMaxRows(max_batch_records))) != self._offset:
            if batches is not None and self.batch + 1 == batches:
                break
            start, self._offset = self._offset, json.loads(json.dumps(end))
            self.batch += 1
            while self._random.random() < failure_rate:
                before = {task: chunks.copy() for task, chunks in self._chunks.items()}
                self._run_batch(reader, start, self._offset)
                self._chunks = before
            for number in range(len(self._workers)):
                if self._random.random() < cache_loss_rate:
                    self._workers[number].close()
                    self._workers[number] = RunCache(self._broadcast)
            self._add(self._run_batch(reader, start, self._offset))
        return self

    def close(self) -> None:
        """Close the stores and the clients of the workers."""
        for worker in self._workers:
            worker.close()

    def results(self, topic: str) -> list[LogRecord]:
        """Return the records of a topic, partition by partition."""
        return all_records(self.log, topic)

    def store(self, name: str) -> list[StoreRow]:
        """Return the rows of a store in the read model."""
        if name not in self.store_changes.stores():
            return []
        codecs = self.plan.run.ports.codecs
        key, value = (codecs.for_state(found) for found in store_types(self.topology.stores[name]))
        entries = self.store_changes.entries(name)
        return rows_of(self.topology.stores[name], [StoreChange(key.decode(e.key), value.decode(e.value)) for e in entries])

    def exported(self) -> ExportedState:
        """Return the state after the last batch, as an export returns it."""
        assert self._offset is not None
        tasks = []
        for (stage, task), chunks in self._chunks.items():
            state = ChunkedState()
            state.catch_up(chunks)
            sub = self.topology.sub_topologies[self.plan.line[stage]]
            tasks.append(exported_task((*sub.source_topics, *sub.repartition_sources), task, state.items()))
        log = self.log.identity(self.plan.topics)
        partitions = self.plan.run.repartition_partitions
        return ExportedState("app", described(self.topology), log, self._offset["ends"], partitions, tasks)

    def _add(self, frames: list[Frame]) -> None:
        changes: list[ChangedEntry] = []
        for frame in frames:
            if frame.kind is Kind.REPORT:
                self.report.add(unpack_report(frame.body))
            elif frame.kind is Kind.WRITTEN:
                self.report.written.update(unpack_written(frame.body))
            else:
                changes += stored_entries(frame)
        self.store_changes.apply(self.batch, changes)

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
        frames = [unpack_frame(row.frame) for row in rows]
        return list(write_by_arrival(self._workers[0], self._progress(), frames)) if self.plan.by_arrival else frames

    def _progress(self) -> BatchProgress:
        assert self._offset is not None
        return BatchProgress(self.batch, self._offset["at"], complete_offsets(self._offset))

    def _run_task(self, stage: int, task: int, frames: list[Frame]) -> list[Row]:
        chunks = self._chunks.setdefault((stage, task), MemoryChunkStore())
        batch = TaskBatch(stage, task, frames, frames[0].now_ms, self._progress())
        return list(process(self._random.choice(self._workers), batch, MemorySpark(chunks)))


class LocalBroadcast(Broadcast):
    """A broadcast that is not pickled, since it does not leave this process."""

    def __init__(self, plan: SparkPlan) -> None:
        self.run, self.owner = str(id(plan)), plan.writer
        self._plan = plan

    def unpickle(self) -> SparkPlan:
        return self._plan


def _with_limit(plan: SparkPlan, max_batch_records: int) -> SparkPlan:
    run = replace(plan.run, options=replace(plan.run.options, max_batch_records=max_batch_records))
    return replace(plan, run=run)


def without_zeros(drops: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    """Return the drops whose number is not 0."""
    return {reason: number for reason, number in drops.items() if number}
