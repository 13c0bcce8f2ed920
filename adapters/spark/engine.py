"""The Spark engine: one streaming query a flow, its sub-topologies as stages in one line, all results through one sink."""

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import StreamingQuery

from eddyline.adapters.spark.checkpoint import CheckpointLock, Identity, identify, lock
from eddyline.adapters.spark.datasource import SOURCE, event_source
from eddyline.adapters.spark.failures import EngineError, explained
from eddyline.adapters.spark.following import Ends, Follower, log_ends
from eddyline.adapters.spark.frames import Frame, Kind, unpack, unwrap
from eddyline.adapters.spark.plan import Plan, in_line
from eddyline.adapters.spark.rows import ROWS
from eddyline.adapters.spark.session import build_session
from eddyline.adapters.spark.shipping import Shipped
from eddyline.adapters.spark.signals import asking
from eddyline.adapters.spark.sink import TOLD, slot_writer
from eddyline.adapters.spark.stage import Stage
from eddyline.application.ports.read_model import ReadModel, StoredEntry
from eddyline.application.runtime.options import RunOptions, RunPorts
from eddyline.application.runtime.partitions import task_counts, topic_partitions
from eddyline.application.runtime.report import OnProgress, RunReport
from eddyline.application.runtime.topic_types import topic_types
from eddyline.application.topology import Topology
from eddyline.application.topology.nodes import ProcessorNode

LOG_FILE: Final = "spark.log"
"""What Java and the workers print, in the checkpoint's folder."""
_POLL_S: Final = 0.05
_TAKE_OVER_S: Final = 60.0
_WAITS_S: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)


class _NotBegunError(RuntimeError):
    """A batch that was planned after the run was asked to end; the next run takes it up."""


class _Run(NamedTuple):
    query: StreamingQuery
    follower: Follower
    held: CheckpointLock


class SparkEngine:
    """Runs a topology on Spark, from an event log to an event sink.

    Args:
        topology: what to run.
        ports: the log, the sink, the codecs and the state stores.
        options: the options of the run.
        checkpoint_dir: the folder of offsets and state; a run continues where the one before ended, however it ended.
        read_model: receives the changes of the stores, too.
        master: where Spark runs.
        spark_config: Spark's own settings, over those of the engine.
        session: a session to use in place of one of the engine's own.

    `report` counts what has been done since the engine was made.
    """

    def __init__(
        self,
        topology: Topology,
        ports: RunPorts,
        options: RunOptions,
        *,
        checkpoint_dir: Path,
        read_model: ReadModel | None = None,
        master: str = "local[*]",
        spark_config: Mapping[str, str] | None = None,
        session: SparkSession | None = None,
    ) -> None:
        self.report = RunReport()
        self._topology, self._ports, self._options = topology, ports, options
        self._log, self._application_id = ports.log, options.application_id
        self._folder, self._read_model = Path(checkpoint_dir).absolute(), read_model
        self._master, self._spark_config, self._session = master, spark_config, session
        self._line = in_line(topology)
        self._run: _Run | None = None
        self._batch_in_hand = -1
        self._stopping = threading.Event()
        self._beginning = threading.Lock()
        self._refused = False

    # --- running ------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Starts to run without an end; returns at once. `stop` or `await_termination` must follow."""
        self._stopping.clear()
        self._start(available_now=False)

    def run(self, on_progress: OnProgress | None = None) -> RunReport:
        """Runs until `stop()`, or SIGINT or SIGTERM where this is the main thread. Raises EngineError."""
        return self._run_to_end(on_progress, available_now=False)

    def run_available_now(self, on_progress: OnProgress | None = None) -> RunReport:
        """Runs until all is done that the log holds now; may be stopped before as `run` is. Raises EngineError."""
        return self._run_to_end(on_progress, available_now=True)

    def stop(self) -> None:
        """Ends the run when the batch in hand is done. What it has not got to is taken up by the next run.

        Raises EngineError when that batch failed.
        """
        with self._beginning:
            self._stopping.set()
            batch = self._batch_in_hand
        run = self._run
        if run is None:
            return
        while run.query.isActive and batch >= 0 and not run.follower.has_ended(batch):
            run.query.awaitTermination(_POLL_S)  # type: ignore[arg-type] # fractions of a second are taken
        run.query.stop()
        run.follower.note()
        self._release()
        failure = run.query.exception()
        if failure is not None and not self._refused:
            raise explained(failure) from failure

    def await_termination(self, timeout_s: float | None = None) -> bool:
        """Waits until the run has ended; False when it has not. Raises EngineError when it failed."""
        run = self._run
        if run is None:
            return True
        try:
            if timeout_s is None:
                run.query.awaitTermination()
            elif not run.query.awaitTermination(timeout_s):  # type: ignore[arg-type] # fractions of a second are taken
                return False
        except StreamingQueryException as error:
            if not self._refused:
                raise explained(error) from error
        finally:
            if not run.query.isActive:
                self._release()
        return True

    def close(self) -> None:
        """Stops the run, then Spark, where the engine started it."""
        self.stop()
        if self._session is not None:
            self._session.stop()
            self._session = None

    def _run_to_end(self, on_progress: OnProgress | None, *, available_now: bool) -> RunReport:
        self._stopping.clear()
        self._spark()  # takes SIGINT for itself when it starts
        with asking(self._stopping.set):
            failures = 0
            while True:
                done = self.report.batches
                self._start(available_now=available_now)
                try:
                    self._follow(on_progress, until_idle=available_now and self._follows_machine_clock())
                except EngineError as error:
                    failures = 0 if self.report.batches > done else failures
                    if not error.may_pass or failures == len(_WAITS_S):
                        raise
                    self._stopping.wait(_WAITS_S[failures])
                    failures += 1
                    if not self._stopping.is_set():
                        continue
                return self.report

    def _follow(self, on_progress: OnProgress | None, *, until_idle: bool) -> None:
        run = self._run
        if run is None:
            return
        ended = False
        while not ended:
            ended = self.await_termination(_POLL_S)
            for progress in run.follower.news():
                if on_progress is not None:
                    on_progress(progress, self.report)
            if not ended and (self._stopping.is_set() or (until_idle and run.follower.idle)):
                self.stop()

    # --- set-up -------------------------------------------------------------------------------------------------------

    def _spark(self) -> SparkSession:
        if self._session is None:
            self._session = build_session(
                self._application_id, master=self._master, config=self._spark_config, log_file=self._folder / LOG_FILE
            )
        return self._session

    def _start(self, *, available_now: bool) -> None:
        if self._run is not None:
            raise EngineError(f"'{self._application_id}' is running already: stop it first")
        topics = [spec.name for spec in self._topology.source_topics]
        partitions = topic_partitions(self._topology, {topic: self._log.partitions(topic) for topic in topics})
        tasks = task_counts(self._topology, partitions)
        session = self._spark().newSession()
        groups = min(max(tasks), session.sparkContext.defaultParallelism)
        held = lock(session._jvm, self._folder, _TAKE_OVER_S)  # noqa: SLF001 - the only way to Java's file locks
        try:
            identity = identify(self._folder, self._application_id, self._topology, groups)
            query, target = self._begin(session, identity, tasks, partitions, available_now=available_now)
        except BaseException:
            held.release()
            raise
        self._run = _Run(query, Follower(query, self._log, target, self._application_id), held)

    def _begin(
        self,
        session: SparkSession,
        identity: Identity,
        tasks: tuple[int, ...],
        partitions: Mapping[str, int],
        *,
        available_now: bool,
    ) -> tuple[StreamingQuery, Ends | None]:
        """Starts the query; tells where the log ends now, too, for a run with an end."""
        plan = Plan(
            topology=self._topology,
            ports=self._ports,
            options=self._options,
            line=self._line,
            tasks=tasks,
            partitions=partitions,
            writer=identity.writer,
            with_changes=self._read_model is not None,
        )
        self._ports.codecs.check(*topic_types(self._topology))
        for spec in self._topology.sink_topics:
            self._ports.sink.create_topic(spec.name, self._options.new_topic_partitions)
        topics = [spec.name for spec in self._topology.source_topics]
        target = log_ends(self._log, topics) if available_now else None
        self._batch_in_hand, self._refused = -1, False
        return self._start_query(session, plan, identity.groups, available_now=available_now), target

    def _start_query(self, session: SparkSession, plan: Plan, groups: int, *, available_now: bool) -> StreamingQuery:
        shipped = Shipped(plan)
        session.conf.set("spark.sql.shuffle.partitions", str(groups))
        session.dataSource.register(event_source(shipped, self._options.max_batch_records, groups))
        rows = session.readStream.format(SOURCE).load()
        time_mode = "ProcessingTime" if self._follows_machine_clock() else "None"
        for stage in plan.stateful:
            rows = rows.groupBy("group").transformWithStateInPandas(Stage(shipped, stage, groups), ROWS, "append", time_mode)
        writer = rows.writeStream.queryName(self._application_id).outputMode("append")
        writer = writer.option("checkpointLocation", str(self._folder / "spark")).foreachBatch(self._batch(shipped, groups))
        if available_now:
            return writer.trigger(availableNow=True).start()
        return writer.trigger(processingTime=f"{self._options.trigger_interval_ms} milliseconds").start()

    def _follows_machine_clock(self) -> bool:
        """Whether a task may ask to be woken by the machine's clock; only then Spark runs batches without data."""
        return self._options.clock is None and any(isinstance(node, ProcessorNode) for node in self._topology.nodes)

    def _release(self) -> None:
        run, self._run = self._run, None
        if run is not None:
            run.held.release()

    # --- a batch ------------------------------------------------------------------------------------------------------

    def _batch(self, plan: Shipped, groups: int) -> Callable[[DataFrame, int], None]:
        one_slot = self._options.order == "arrival"

        def run(rows: DataFrame, batch: int) -> None:
            with self._beginning:
                self._refused = self._stopping.is_set()
                if self._refused:
                    raise _NotBegunError(f"batch {batch}")
                self._batch_in_hand = batch
            # An exchange of its own keeps the number of workers, each with its copy of the state, at the number of cores.
            slots = rows.repartition(1) if one_slot else rows.repartition(groups, "group")
            told = slots.mapInArrow(slot_writer(plan, batch, groups), TOLD).collect()
            changes: list[StoredEntry] = []
            for row in told:
                frame = unwrap(bytes(row["frame"]))
                if frame.kind is Kind.REPORT:
                    self.report.add(json.loads(frame.body))
                elif frame.kind is Kind.CHANGES:
                    changes += _stored_entries(frame)
            if self._read_model is not None:
                self._read_model.apply(batch, changes)
            self.report.batches += 1

        return run


def _stored_entries(frame: Frame) -> list[StoredEntry]:
    return [StoredEntry(store, partition or 0, key or b"", value) for store, key, value, _, _, partition, _ in unpack(frame.body)]
