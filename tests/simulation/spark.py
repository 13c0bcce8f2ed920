"""Spark, as far as a flow depends on it: the checkpoint, a driver that runs batches, and workers that run attempts of tasks."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any, Final

from pyspark.sql.streaming.datasource import ReadMaxRows

from eddyline.adapters.spark.driver.progress import QueryProgress
from eddyline.adapters.spark.exchange.frames import unpack_frame
from eddyline.adapters.spark.exchange.rows import END, Row
from eddyline.adapters.spark.exchange.task_ids import TaskIds
from eddyline.adapters.spark.source.datasource import EventReader, Offset, complete_offsets
from eddyline.adapters.spark.worker import cache
from eddyline.adapters.spark.worker.task_server import TaskBatch, process
from eddyline.application.runtime.output.topics import TopicCreator, ensure_changelogs
from eddyline.application.runtime.plan.changelogs import BatchProgress
from eddyline.application.runtime.progress.report import RunReport
from tests.adapters.spark.state.chunk_store import MemoryChunkStore, MemorySpark
from tests.simulation.application import Application, SimulatedBroadcast
from tests.simulation.checkpoint import JobFailedError
from tests.simulation.flow import APPLICATION
from tests.simulation.scheduler import Event, Process

GROUPS: Final = 2
MAX_FAILURES: Final = 4
_GIVE_UP_S: Final = 120.0
KINDS: Final = ("attempt given up", "two attempts", "output lost", "slow step", "offsets lost")
"""The faults of Spark."""


class Worker:
    """A worker in one run: what attempts of tasks do in it."""

    def __init__(self, application: Application, run: str, process: Process) -> None:
        self._application, self._scheduler = application, application.scheduler
        self.broadcast = SimulatedBroadcast(run, process.name, application.plan_for(process.name))

    def read(self, partition: Any, progress: BatchProgress) -> list[Row]:
        """Run the stateless tasks of a partition of the source."""
        reader = EventReader(self.broadcast, self.broadcast.unpickle(), lambda: progress)
        ids = TaskIds(GROUPS)
        rows = []
        for found in reader.read(partition):
            columns = (column.to_pylist() for column in found.columns)
            rows += [Row(ids.task(group), stage, frame) for group, stage, frame in zip(*columns, strict=True)]
            self._step()
        return rows

    def run_stage(self, stage: int, group: int, progress: BatchProgress, rows: Sequence[Row]) -> list[Row]:
        """Run the tasks of a stage that are in a group, from the state before the batch, and store the state after it."""
        checkpoint, batch = self._application.checkpoint, progress.batch
        stores = checkpoint.load_state(stage, group, batch)
        output: list[Row] = []
        for task in sorted({row.task for row in rows}):
            frames = [unpack_frame(row.frame) for row in rows if row.task == task]
            kept = MemorySpark(stores.setdefault(task, MemoryChunkStore()))
            given = TaskBatch(stage, task, frames, max(frame.now_ms for frame in frames), progress)
            for row in process(cache.CACHES.of(self.broadcast), given, kept):
                output.append(row)
                self._step()
        self._step()
        checkpoint.store_state(stage, group, batch, stores)
        return output

    def _step(self) -> None:
        if self._application.faults.happens("slow step", 0.02):
            self._scheduler.sleep(self._scheduler.random.uniform(0.05, 3.0))
        elif self._scheduler.random.random() < 0.3:
            self._scheduler.pause()


class Driver:
    """A driver, which continues from the checkpoint until it dies."""

    def __init__(self, application: Application, process: Process) -> None:
        self._application, self._process = application, process
        self._scheduler, self._faults = application.scheduler, application.faults
        self._checkpoint, self._draw = application.checkpoint, application.scheduler.random
        self._run = application.new_run()
        self._workers: dict[Process, Worker] = {}
        self._plan = application.plan_for(process.name)
        self._reader = EventReader(SimulatedBroadcast(self._run, process.name, self._plan), self._plan)
        self._query = SimpleNamespace(recentProgress=[], lastProgress=None)
        self._progress = QueryProgress(self._query, self._plan.run.ports.log, None, APPLICATION, RunReport())  # type: ignore[arg-type]

    def run(self, is_complete: Callable[[], bool]) -> None:
        """Run batches until the input is complete and processed. Raises JobFailedError."""
        self._start()
        batch = max(self._checkpoint.commits, default=-1) + 1
        while True:
            start = self._offset(batch - 1) or self._reader.initialOffset()
            if batch not in self._checkpoint.offsets:
                complete = is_complete()
                end = self._reader.latestOffset(start, ReadMaxRows(1))
                if end == start:
                    if complete:
                        return
                    self._scheduler.sleep(self._draw.uniform(0.01, 0.3))
                    continue
                self._checkpoint.add_offsets(batch, end)
                self._scheduler.note(f"batch {batch} ends at {end['ends']}")
            stored = self._offset(batch)
            assert stored is not None
            self.run_batch(batch, start, stored)
            self._checkpoint.commits[batch] = None
            self._report(batch, start, stored)
            batch += 1

    def run_batch(self, batch: int, start: Offset, end: Offset) -> None:
        """Run the stages of a batch one after the other."""
        partitions, progress = self._reader.partitions(start, end), self.batch_progress(batch)
        doomed = batch not in self._checkpoint.begun and self._faults.happens("offsets lost", 0.12)
        if doomed:
            self._checkpoint.at_risk[batch] = None
            self._scheduler.at(self._draw.choice((0.0, 0.01, 0.05)), self._process.kill)
        rows = self._run_tasks([partial(Worker.read, partition=one, progress=progress) for one in partitions])
        for stage in self._plan.stateful:
            own = [[row for row in rows if row.stage == stage and row.task % GROUPS == group] for group in range(GROUPS)]
            rows = [row for row in rows if row.stage != stage]
            rows += self._run_tasks(
                [
                    partial(Worker.run_stage, stage=stage, group=group, progress=progress, rows=own[group])
                    for group in range(GROUPS)
                ]
            )
        assert {row.stage for row in rows} <= {END}
        if doomed:
            self._process.kill()

    def batch_progress(self, batch: int) -> BatchProgress:
        """Return what the checkpoint says about a batch."""
        offset = self._offset(batch)
        assert offset is not None
        return BatchProgress(batch, offset["at"], complete_offsets(offset))

    def _start(self) -> None:
        """Check the checkpoint and create topics, as the engine does before a query starts."""
        self._lose_offsets()
        ports = self._plan.run.ports
        written = ports.sink.newest_batch(self._plan.writer)
        if written is not None and written > max(self._checkpoint.offsets, default=-1):
            self._application.failures.append(f"the sink has batch {written}, which the checkpoint does not know")
        creator = TopicCreator(ports.sink, 1)
        creator.ensure(spec.name for spec in self._plan.run.topology.sink_topics)
        ensure_changelogs(self._plan.run, creator)

    def _lose_offsets(self) -> None:
        """Lose the offsets of a batch whose results have not been written, as a file system that was not flushed does."""
        last = max(self._checkpoint.offsets, default=-1)
        unused = last not in self._checkpoint.commits and last not in self._checkpoint.begun
        others = self._application.attempts + sum(driver.alive for driver in self._application.drivers) - 1
        if last in self._checkpoint.at_risk and unused and not others:
            self._scheduler.note(f"batch {last} is lost")
            self._checkpoint.lose(last)
            self._scheduler.sleep(self._draw.uniform(0.0, 3.0))

    def _offset(self, batch: int) -> Offset | None:
        found = self._checkpoint.offsets.get(batch)
        return None if found is None else json.loads(found)

    def _report(self, batch: int, start: Offset, end: Offset) -> None:
        """Commit the offsets of the batch to the consumer group, as the engine does."""
        source = {"startOffset": json.dumps(start), "endOffset": json.dumps(end)}
        durations = {"addBatch": 1, "triggerExecution": 1}
        report = {"batchId": batch, "numInputRows": 1, "durationMs": durations, "sources": [source]}
        self._query.recentProgress, self._query.lastProgress = [report], report
        for _ in self._progress.new_batches():
            pass

    # --- tasks --------------------------------------------------------------------------------------------------------

    def _run_tasks(self, tasks: Sequence[Callable[[Worker], list[Any]]]) -> list[Any]:
        """Run tasks side by side, and return their rows. Raises JobFailedError if one fails too often."""
        results: list[list[Any]] = [[] for _ in tasks]

        def run(number: int) -> None:
            results[number] = self._run_task(tasks[number])

        threads = [self._process.spawn(partial(run, number)) for number in range(len(tasks))]
        for thread in threads:
            thread.ended.wait()
            if thread.ended.value is not None:
                raise thread.ended.value
        return [row for rows in results for row in rows]

    def _run_task(self, task: Callable[[Worker], list[Any]]) -> list[Any]:
        failures = 0
        while True:
            first = self._attempt(task)
            attempts = [first]
            if self._faults.happens("two attempts", 0.05):
                attempts.append(self._attempt(task))
            given_up = self._faults.happens("attempt given up", 0.03)
            attempts[-1].wait(self._draw.choice((0.01, 0.1, 2.0)) * self._draw.random() if given_up else _GIVE_UP_S)
            done = next((found for found in attempts if found.is_set), None)
            if done is None:
                continue
            rows, error = done.value
            if error is not None:
                failures += 1
                if failures == MAX_FAILURES:
                    raise JobFailedError(repr(error))
            elif rows is not None and not self._faults.happens("output lost", 0.03):
                return rows  # type: ignore[no-any-return]

    def _attempt(self, task: Callable[[Worker], list[Any]]) -> Event:
        """Start an attempt on a worker. The value of the event is its rows and its error, both None if the worker has died."""
        while not (alive := [process for process in self._application.workers if process.alive]):
            self._scheduler.sleep(0.1)
        process, scheduler = self._draw.choice(alive), self._scheduler
        worker = self._workers.get(process)
        if worker is None:
            worker = self._workers[process] = Worker(self._application, self._run, process)
        ended = Event(scheduler)

        def run() -> None:
            scheduler.sleep(self._draw.uniform(0.0, 0.003))
            result: tuple[list[Any] | None, Exception | None]
            try:
                result = task(worker), None
            except Exception as error:  # noqa: BLE001 - it fails the attempt
                self._application.note_failure(error)
                result = None, error
            scheduler.at(self._draw.uniform(0.0005, 0.003), lambda: ended.set(result))

        def noticed() -> None:
            self._application.attempts -= 1
            scheduler.at(self._draw.uniform(0.01, 1.0), lambda: ended.set((None, None)))

        self._application.attempts += 1
        process.spawn(run).ended.watch(noticed)
        return ended
