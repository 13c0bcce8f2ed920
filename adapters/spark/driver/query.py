"""Builds the streaming query of a flow: the source, the stateful stages one after the other, and one sink."""

from collections.abc import Callable, Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import StreamingQuery

from eddyline.adapters.spark.driver.hadoop_path import HadoopPath, Location
from eddyline.adapters.spark.driver.session_settings import (
    FILE_MANAGER,
    LOCAL_FILE_MANAGER,
    REMOTE_FILE_MANAGER,
    WITHOUT_CHECKSUMS,
)
from eddyline.adapters.spark.exchange.columns import unpack_records
from eddyline.adapters.spark.exchange.frames import Frame, Kind, unpack_frame
from eddyline.adapters.spark.exchange.reports import unpack_report, unpack_written
from eddyline.adapters.spark.exchange.rows import ROWS
from eddyline.adapters.spark.plan import SparkPlan
from eddyline.adapters.spark.sink.arrival_writer import REPORTS, arrival_writer
from eddyline.adapters.spark.source.event_source import SOURCE, event_source
from eddyline.adapters.spark.worker.batch_context import set_batch
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.stage import Stage
from eddyline.application.runtime.input.batch_size import BatchSize
from eddyline.application.runtime.plan.changelogs import BatchProgress
from eddyline.application.runtime.progress.report import RunReport
from eddyline.application.runtime.progress.store_changes import ChangedEntry, StoreChanges
from eddyline.application.topology.nodes import ProcessorNode

_KEPT_BATCHES = 1_000


class StoppingError(RuntimeError):
    """A batch was planned after the run was asked to stop; the next run processes it."""


def start_query(
    session: SparkSession,
    broadcast: Broadcast,
    plan: SparkPlan,
    folder: Location,
    run_batch: Callable[[Broadcast, DataFrame, int], None],
    *,
    available_now: bool,
) -> StreamingQuery:
    """Start the query of a plan, with Spark's checkpoint in `folder`; `run_batch` writes the results of each batch."""
    options = plan.run.options
    session.conf.set("spark.sql.shuffle.partitions", str(plan.groups))
    if isinstance(folder, HadoopPath) and session.conf.get(FILE_MANAGER) == LOCAL_FILE_MANAGER:
        session.conf.set(FILE_MANAGER, REMOTE_FILE_MANAGER)
        session.conf.set(*WITHOUT_CHECKSUMS)
    session.dataSource.register(event_source(broadcast, plan))
    rows = session.readStream.format(SOURCE).load()
    time_mode = "ProcessingTime" if follows_machine_clock(plan) else "None"
    for processor in (Stage(broadcast, stage, plan.task_ids()) for stage in plan.stateful):
        rows = rows.groupBy("group").transformWithStateInPandas(processor, ROWS, "append", time_mode)
    writer = rows.writeStream.queryName(options.application_id).outputMode("append")
    writer = writer.option("checkpointLocation", _location(folder)).foreachBatch(
        lambda batch_rows, batch: run_batch(broadcast, batch_rows, batch)
    )
    if available_now:
        return writer.trigger(availableNow=True).start()
    return writer.trigger(processingTime=f"{options.trigger_interval_ms} milliseconds").start()


def _location(folder: Location) -> str:
    """Return the URI of a checkpoint: without a scheme it would be in the default file system, which is HDFS on many clusters."""
    return f"file://{folder}" if isinstance(folder, Path) else str(folder)


def follows_machine_clock(plan: SparkPlan) -> bool:
    """Return whether tasks may have wall-clock punctuation by the system clock; only then does Spark run batches without data."""
    return plan.run.clock_topic is None and any(isinstance(node, ProcessorNode) for node in plan.run.topology.nodes)


class BatchWriter:
    """Runs each batch, in which the workers write its results, and collects their reports.

    `progress` returns what the changelogs say about a batch; it is called only if there are any. Counts are added to `report`;
    the changes of stores are applied to `store_changes`, if there is one. `by_batch` has the counts of the last batches by
    number.
    """

    def __init__(
        self, plan: SparkPlan, report: RunReport, store_changes: StoreChanges | None, progress: Callable[[int], BatchProgress]
    ) -> None:
        self._plan, self._report, self._store_changes, self._progress = plan, report, store_changes, progress
        self.by_batch: dict[int, RunReport] = {}
        self._size = BatchSize(plan.run.options)

    def write(self, broadcast: Broadcast, rows: DataFrame, batch: int) -> None:
        """Run a batch; `rows` have passed all stages."""
        plan, before = self._plan, self._report.begin_batch()
        progress = self._progress(batch) if plan.run.changelogs else BatchProgress(batch, 0, {})
        changes: list[ChangedEntry] = []
        times: list[tuple[int, int]] = []
        set_batch(rows.sparkSession.sparkContext, progress)
        if plan.by_arrival:
            rows = rows.repartition(1).mapInArrow(arrival_writer(broadcast, progress), REPORTS)
        for row in rows.collect():
            frame = unpack_frame(bytes(row["frame"]))
            if frame.kind is Kind.REPORT:
                report = unpack_report(frame.body)
                self._report.add(report)
                if report.times is not None:
                    times.append(report.times)
            elif frame.kind is Kind.WRITTEN:
                self._report.written.update(unpack_written(frame.body))
            elif frame.kind is Kind.CHANGES:
                changes += stored_entries(frame)
        if self._store_changes is not None:
            self._store_changes.apply(batch, changes)
        self._report.batches += 1
        self.by_batch[batch] = found = self._report.since(before)
        self.by_batch.pop(batch - _KEPT_BATCHES, None)
        if plan.limit is not None and times:
            limit = self._size.limit
            self._size.ended(found.records, seconds_between(times))
            if self._size.limit != limit:
                plan.limit.set(self._size.limit)


def seconds_between(times: Sequence[tuple[int, int]]) -> float:
    """Return the seconds from the earliest beginning to the latest end of some pairs in ms, of which there is at least one."""
    began, ended = zip(*times, strict=True)
    return float(max(ended) - min(began)) / 1_000


def stored_entries(frame: Frame) -> list[ChangedEntry]:
    """Return the changed entries of stores in a frame."""
    return [
        ChangedEntry(record.topic, record.partition or 0, record.key or b"", record.value)
        for record in unpack_records(frame.body)
    ]
