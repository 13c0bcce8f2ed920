"""The Spark engine: runs a flow as one streaming query, with its sub-topologies as consecutive stages."""

import json
import logging
import signal
import threading
import time
from _thread import start_new_thread
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from py4j.protocol import Py4JJavaError
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import StreamingQuery

from eddyline.adapters.spark.driver import checkpoint, checkpoint_files
from eddyline.adapters.spark.driver.checkpoint import Identity, identify
from eddyline.adapters.spark.driver.checkpoint_lock import CheckpointLock, lock
from eddyline.adapters.spark.driver.driver_session import DriverSession
from eddyline.adapters.spark.driver.hadoop_path import Location
from eddyline.adapters.spark.driver.moved_state import imported_state
from eddyline.adapters.spark.driver.progress import QueryProgress
from eddyline.adapters.spark.driver.query import BatchWriter, StoppingError, follows_machine_clock, start_query
from eddyline.adapters.spark.driver.session_settings import LOGGER
from eddyline.adapters.spark.driver.start_checks import LOCK_TIMEOUT_S, StartChecks, check_options
from eddyline.adapters.spark.failures import EngineError, engine_error, reported
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.adapters.spark.settings import is_uri
from eddyline.adapters.spark.source.datasource import complete_offsets
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.preparation import close_tasks, prepare_workers
from eddyline.adapters.spark.worker_logs import WorkerWarning, warning_in
from eddyline.application.ports.availability import ServiceUnavailableError
from eddyline.application.runtime.input.batch_planner import records_by_task
from eddyline.application.runtime.input.offsets import end_offsets
from eddyline.application.runtime.output.topics import TopicCreator, ensure_changelogs
from eddyline.application.runtime.plan.changelogs import BatchProgress
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.runtime.plan.topic_types import check_codecs
from eddyline.application.runtime.progress.report import OnProgress, RunReport
from eddyline.application.runtime.progress.store_changes import StoreChanges
from eddyline.application.topology import Topology


def batch_progress(query_folder: Location, batch: int, *, machine_clock: bool) -> BatchProgress:
    """Return number, wall-clock time and source offsets of a batch.

    Spark stores them before it runs the batch, so that a repeated batch has the same.

    Args:
        query_folder: Spark's own folder in the checkpoint.
        batch: The number of the batch.
        machine_clock: Whether tasks run at the time that Spark gives to the batch, not at that of the source.
    """
    _, metadata, source = (query_folder / "offsets" / str(batch)).read_text().splitlines()
    offset = json.loads(source)
    time_ms = json.loads(metadata)["batchTimestampMs"] if machine_clock else offset["at"]
    return BatchProgress(batch, time_ms, complete_offsets(offset))


@contextmanager
def stop_requests(request_stop: Callable[[], None]) -> Iterator[None]:
    """Call `request_stop` on the first signal of each kind; the previous handler receives the second one.

    Python runs signal handlers in the main thread only; in other threads this does nothing. `request_stop` is called in a thread
    of its own, since it would wait for ever for a lock that the interrupted thread holds.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) or signal.SIG_DFL for number in numbers}

    def handle(number: int, _frame: object) -> None:
        signal.signal(number, before[signal.Signals(number)])
        start_new_thread(request_stop, ())

    for number in numbers:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, before[number])


def assigned_partitions(plan: RunPlan, partitions: int) -> list[int] | None:
    """Return the Spark partition of each task, by the records that the log has; None if it is the task modulo their number."""
    if partitions >= max(plan.tasks):
        return None
    found = balanced(records_by_task(plan), partitions)
    return None if all(partition == task % partitions for task, partition in enumerate(found)) else found


def balanced(records: Sequence[int], partitions: int) -> list[int]:
    """Return the Spark partition of each task.

    No partition gets more tasks than it must, since the records of the past say little about those of the future. The largest
    tasks are assigned first, each to the partition with the fewest records so far (the rule of the longest processing time).
    Without records, task t is assigned to partition t modulo the number of partitions.

    Args:
        records: The number of records of each task.
        partitions: The number of Spark partitions.
    """
    most = -(-len(records) // partitions)
    loads, counts, assigned = [0] * partitions, [0] * partitions, [0] * len(records)
    for task in sorted(range(len(records)), key=lambda task: -records[task]):
        with_room = (number for number in range(partitions) if counts[number] < most)
        chosen = min(with_room, key=lambda number: (loads[number], counts[number]))
        assigned[task] = chosen
        loads[chosen] += records[task]
        counts[chosen] += 1
    return assigned


_POLL_S: Final = 0.05
_STOP_GRACE_S: Final = 20.0
"""How long a stop waits for the current batch; less than the 30 s after which Kubernetes kills a container by default."""
_PY4J: Final = logging.getLogger("py4j.clientserver")
_BACKOFFS_S: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)


class _Run(NamedTuple):
    query: StreamingQuery
    plan: SparkPlan
    progress: QueryProgress
    lock: CheckpointLock
    close: Callable[..., None]


class SparkEngine:
    """Runs a topology on Spark, from an event log to an event sink.

    Args:
        topology: the topology to run.
        ports: the log, the sink, the codecs and the state stores.
        options: the options of the run.
        checkpoint_dir: the directory of offsets and state, or its URI in a file system of Hadoop, such as `s3a://bucket/x`; a run
            continues where the previous one ended, however it ended.
        store_changes: receives the changes of the stores, if given.
        spark_config: settings of Spark; they override the defaults of the engine. Default of `spark.master`: that of
            spark-submit or of Spark's own configuration, else `local[*]`.
        session: the Spark session to use; by default the engine creates one.
        log_file: receives the output of Java and of the workers on this machine. Default: LOG_FILE in the checkpoint's directory;
            if the checkpoint is a URI, the standard streams.
        only_flows: whether this process uses Spark for flows alone: then a session that the engine creates starts sooner, without
            the functions of `pyspark.ml`.
        claim: called when a new checkpoint exists, before anything else is written; may refuse by raising, which removes it.

    `report` has the counts of all runs of this engine.
    """

    LOG_FILE: Final = checkpoint_files.LOG_FILE
    """The name of the file that receives the output of Java and of the workers."""

    def __init__(  # noqa: PLR0913 - each has a default but the first four, and a caller names it
        self,
        topology: Topology,
        ports: RunPorts,
        options: RunOptions,
        *,
        checkpoint_dir: Path | str,
        store_changes: StoreChanges | None = None,
        spark_config: Mapping[str, str] | None = None,
        session: SparkSession | None = None,
        log_file: Path | None = None,
        only_flows: bool = False,
        claim: Callable[[], None] | None = None,
    ) -> None:
        check_options(topology, options)
        self.report = RunReport()
        self._topology, self._ports, self._options = topology, ports, options
        if not is_uri(checkpoint_dir):
            log_file = log_file or Path(checkpoint_dir).absolute() / self.LOG_FILE
        self._session = DriverSession(options.application_id, spark_config or {}, log_file, session, only_flows=only_flows)
        self._folder, self._store_changes = self._session.location(checkpoint_dir), store_changes
        self._line = stage_line(topology)
        self._checks = StartChecks(topology, ports, options, self._folder)
        self._run: _Run | None = None
        self._claim = claim
        self._stopping, self._batch_start = threading.Event(), threading.Lock()
        self._current_batch, self._refused_batch, self._checked = -1, False, False

    @staticmethod
    def warning_in(line: str) -> WorkerWarning | None:
        """Return the warning of a worker in a line of the log file, None if it is another line."""
        return warning_in(line)

    def check_checkpoint(self) -> None:
        """Make sure that the checkpoint belongs to this flow and this log, before topics are created.

        Raises:
            CheckpointError: the checkpoint belongs to another application or topology.
            LogMismatchError: the checkpoint belongs to another log, or to topics that have been deleted since then.
        """
        self._checks.before_topics()

    def check(self) -> None:
        """Make sure that a run can start, without Java if the checkpoint is a local directory.

        Raises what `StartChecks.before_java` raises.
        """
        self._session.check_shared(self._folder)
        self._checks.before_java()
        self._checked = True

    def start(self) -> None:
        """Start a run without an end and return at once; call `stop` or `await_termination` afterwards."""
        self._stopping.clear()
        if not self._checked:
            self.check()
        self._start(available_now=False)

    def run(self, on_progress: OnProgress | None = None) -> RunReport:
        """Run until `stop()`, or until SIGINT or SIGTERM if called in the main thread. Raises EngineError."""
        return self._run_to_end(on_progress, available_now=False)

    def run_available_now(self, on_progress: OnProgress | None = None) -> RunReport:
        """Run until the records that the log holds now are processed; `stop()` and signals end it earlier. Raises EngineError."""
        return self._run_to_end(on_progress, available_now=True)

    def stop(self) -> None:
        """End the run after the current batch, or cancel the batch if it takes 20 s more; the next run continues there.

        A batch that is canceled is repeated by the next run, as after a crash.

        Raises:
            EngineError: the current batch failed.
        """
        with self._batch_start:
            self._stopping.set()
            batch = self._current_batch
        run = self._run
        if run is None:
            return
        deadline = time.monotonic() + _STOP_GRACE_S
        with suppress(StreamingQueryException):  # also that of a batch that this refuses; `exception` has it below
            while run.query.isActive and batch >= 0 and not run.progress.has_ended(batch):
                run.query.awaitTermination(_POLL_S)  # type: ignore[arg-type] # fractions of a second are accepted
                if time.monotonic() > deadline and run.query.isActive:
                    _PY4J.setLevel(logging.CRITICAL)  # it would log the end of the batch as an error
                    LOGGER.warning(
                        "batch %d has not ended %g s after the stop; canceled, the next run repeats it", batch, _STOP_GRACE_S
                    )
                    self._refused_batch = True
                    break
        run.query.stop()
        run.progress.commit()
        self._release()
        failure = run.query.exception()
        if failure is not None and not self._refused_batch:
            raise engine_error(failure) from failure

    def request_stop(self) -> None:
        """Let `run` or `run_available_now` end after the current batch; return at once. May be called in any thread."""
        self._stopping.set()

    def is_stopping(self) -> bool:
        """Return whether a run is to end, because of a signal or `request_stop`."""
        return self._stopping.is_set()

    def await_termination(self, timeout_s: float | None = None) -> bool:
        """Wait until the run has ended; return False if it has not after `timeout_s`. Raises EngineError if it failed."""
        run = self._run
        if run is None:
            return True
        try:
            if timeout_s is None:
                run.query.awaitTermination()
            elif not run.query.awaitTermination(timeout_s):  # type: ignore[arg-type] # fractions of a second are accepted
                return False  # if the query has failed since then, the next call raises that
            if (failure := run.query.exception()) is not None:  # not raised if the query fails just at the end of the timeout
                raise failure
        except StreamingQueryException as error:
            self._release()
            if not self._refused_batch:
                raise engine_error(error) from error
        self._release()
        return True

    def close(self) -> None:
        """Stop the run, then Spark, if the engine started it."""
        self.stop()
        self._session.stop()

    def _run_to_end(self, on_progress: OnProgress | None, *, available_now: bool) -> RunReport:
        self._stopping.clear()
        if not self._checked:
            self.check()
        self._session.get()  # replaces the handler of SIGINT when it starts, so it must start first
        with stop_requests(self._stopping.set):
            failures, started = 0, False
            while True:
                done = self.report.batches
                try:
                    self._start(available_now=available_now)
                    started = True
                    self._follow(on_progress, available_now=available_now)
                except (EngineError, ServiceUnavailableError) as error:
                    failures = 0 if self.report.batches > done else failures
                    retryable = error.retryable if isinstance(error, EngineError) else started
                    if not retryable or failures == len(_BACKOFFS_S):
                        raise
                    LOGGER.warning("%s; waiting %g s, then continuing after the last batch", error, _BACKOFFS_S[failures])
                    self._stopping.wait(_BACKOFFS_S[failures])
                    failures += 1
                    if not self._stopping.is_set():
                        continue
                return self.report

    def _follow(self, on_progress: OnProgress | None, *, available_now: bool) -> None:
        run = self._run
        if run is None:
            return
        until_idle = available_now and follows_machine_clock(run.plan)
        ended = False
        while not ended:
            ended = self.await_termination(_POLL_S)
            for progress in run.progress.new_batches():
                if on_progress is not None:
                    on_progress(progress, self.report)
            if not ended and (self._stopping.is_set() or (until_idle and run.progress.idle)):
                self.stop()

    def _start(self, *, available_now: bool) -> None:
        if self._run is not None:
            raise EngineError(f"application '{self._options.application_id}' is already running; stop it first")
        kept = checkpoint.stored_partitions(self._folder)
        run_plan = RunPlan.of(self._topology, self._ports, self._options, kept)
        session = self._session.get().newSession()
        self._session.check_shared(self._folder)
        groups = self._session.partitions(max(run_plan.tasks))
        checkpoint_lock = lock(session._jvm, self._folder, LOCK_TIMEOUT_S)  # noqa: SLF001 - the only way to Java's file locks
        try:
            options, log, (folder, topology) = self._options, self._checks.log_identity(), (self._folder, self._topology)
            is_new = checkpoint.stored_identity(folder) is None
            counts, assigned = run_plan.repartition_partitions, partial(assigned_partitions, run_plan, groups)
            identity = identify(folder, options.application_id, topology, groups, log, options.changelog_stores, counts, assigned)
            if is_new and self._claim is not None:
                try:
                    self._claim()
                except BaseException:
                    checkpoint.withdraw(folder)
                    raise
            self._run = self._begin(session, run_plan, identity, checkpoint_lock, available_now=available_now)
        except BaseException as error:
            checkpoint_lock.release()
            if isinstance(error, Py4JJavaError):
                raise engine_error(error) from error
            raise

    def _begin(
        self, session: SparkSession, run_plan: RunPlan, identity: Identity, held: CheckpointLock, *, available_now: bool
    ) -> _Run:
        plan = SparkPlan(
            run_plan,
            self._line,
            identity.writer,
            identity.groups,
            with_changes=self._store_changes is not None,
            log=identity.log,
            imported=imported_state(session, self._folder, identity),
            assigned=tuple(identity.assigned or ()),
            limit=self._session.batch_limit(self._options.batch_records),
        )
        broadcast = Broadcast(plan, owner=plan.writer)
        prepare_workers(session, broadcast, plan)
        check_codecs(self._topology, self._ports.codecs)
        topics = TopicCreator(self._ports.sink, self._options.new_topic_partitions)
        topics.ensure(spec.name for spec in self._topology.sink_topics)
        ensure_changelogs(run_plan, topics)
        target = end_offsets(self._ports.log, run_plan.log_topics()) if available_now else None
        self._current_batch, self._refused_batch = -1, False
        folder = self._folder / checkpoint_files.QUERY_FOLDER
        progress_of = partial(batch_progress, folder, machine_clock=follows_machine_clock(plan))
        results = BatchWriter(plan, self.report, self._store_changes, progress_of)

        def run_batch(broadcast: Broadcast, rows: DataFrame, batch: int) -> None:
            with self._batch_start:
                self._refused_batch = self._stopping.is_set()
                if self._refused_batch:
                    raise StoppingError(f"batch {batch}")
                self._current_batch = batch
            with reported():
                held.check()
                results.write(broadcast, rows, batch)
                held.check()  # Spark commits the batch next

        query = start_query(session, broadcast, plan, folder, run_batch, available_now=available_now)
        progress = QueryProgress(query, self._ports.log, target, self._options.application_id, self.report, results.by_batch)
        return _Run(query, plan, progress, held, partial(close_tasks, session, broadcast, plan))

    def _release(self) -> None:
        run, self._run = self._run, None
        if run is not None:
            try:
                run.close(failed=run.query.exception() is not None)
            finally:
                run.lock.release()
