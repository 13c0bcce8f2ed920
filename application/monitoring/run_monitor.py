"""Collects what a run reports, for all that show it."""

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Final

from eddyline.application.monitoring.run_status import (
    STABLE_S,
    BatchSeconds,
    BatchStatus,
    NodeStatus,
    PartitionStatus,
    RunState,
    RunStatus,
    TaskStatus,
    Totals,
    sum_of,
)
from eddyline.application.operators.context import DropReason
from eddyline.application.ports.clock import Clock
from eddyline.application.ports.event_log import EventLog, TopicPartition
from eddyline.application.queries.freshness import SourceEnds
from eddyline.application.runtime.plan.options import RecordingLevel
from eddyline.application.runtime.progress.report import Progress, RunReport, TaskState
from eddyline.application.topology import Topology
from eddyline.application.topology.nodes import Node, SourceNode

_KEPT_BATCHES: Final = 600
_RATE_MS: Final = 30_000
_BUCKETS_S: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
_EXCEPTIONS: Final = frozenset({DropReason.PROCESSING_ERROR, DropReason.PRODUCTION_ERROR})


class RunMonitor:
    """Collects what a run reports; `on_progress` is its `OnProgress`. Its methods may be called in any thread.

    Args:
        topology: The topology that runs.
        log: The event log that it reads, for the ends of its source topics.
        clock: The wall clock.
        application_id: The application.
        flow: The name of the flow.
        engine: The name of the engine.
        recording_level: What the run counts.
    """

    def __init__(
        self,
        topology: Topology,
        log: EventLog,
        clock: Clock,
        *,
        application_id: str,
        flow: str,
        engine: str,
        recording_level: RecordingLevel = "info",
    ) -> None:
        self._topology, self._clock, self._ends = topology, clock, SourceEnds(log)
        self._application_id, self._flow, self._engine, self._level = application_id, flow, engine, recording_level
        self._lock = Lock()
        self._state, self._failure = RunState.CREATED, ""
        self._failures = self._restarts = self._begun = 0
        self._restart_at: int | None = None
        self._not_reloaded: str | None = None
        self._started = clock.now_ms()
        self._totals = RunReport()
        self._skipped: Mapping[TopicPartition, int] = {}
        self._tasks: dict[str, tuple[TaskState, int]] = {}
        self._positions: dict[TopicPartition, tuple[int, int | None]] = {}
        self._history: deque[BatchStatus] = deque(maxlen=_KEPT_BATCHES)
        self._durations = [0] * len(_BUCKETS_S)
        self._seconds = 0.0
        self._internal = {node.topic for node in topology.nodes if isinstance(node, SourceNode) and node.repartition}

    # --- what happens -------------------------------------------------------------------------------------------------

    @contextmanager
    def running(self) -> Iterator[None]:
        """Set the state of the run to that of the `with` block: it runs, has ended or has failed."""
        with self._lock:
            self._restarts += self._restart_at is not None
            self._begun = self._clock.now_ms()
        self._set(RunState.RUNNING)
        try:
            yield
        except Exception as error:
            self._set(RunState.ERROR, f"{type(error).__name__}: {error}")
            raise
        self._set(RunState.NOT_RUNNING)

    def restarting(self, failure: str, wait_s: float) -> None:
        """Set the state of a run that has failed, and begins again after `wait_s` seconds."""
        self._set(RunState.RESTARTING, failure)
        with self._lock:
            self._failures += 1
            self._restart_at = self._clock.now_ms() + round(wait_s * 1_000)

    def failed(self, failure: str) -> None:
        """Set the state of a run that has failed, and does not begin again."""
        self._set(RunState.ERROR, failure)

    def not_reloaded(self, reason: str) -> None:
        """Say that changed code could not be loaded, and why, so that the run goes on with the code that it has."""
        self._not_reloaded = reason

    def stopping(self) -> None:
        """Set the state of a running run to one that will end after the current batch."""
        with self._lock:
            if self._state is RunState.RUNNING:
                self._state = RunState.PENDING_SHUTDOWN

    def on_progress(self, progress: Progress, report: RunReport) -> None:
        """Add a batch."""
        start, positions = progress.start, progress.positions
        lag = sum_of(max(0, end - positions[where]) for where, end in self._known_ends(positions).items())
        now, batch = self._clock.now_ms(), progress.report
        with self._lock:
            self._totals.include(batch)
            self._skipped = dict(report.skipped)
            self._tasks.update({task: (state, now) for task, state in batch.tasks.items()})
            self._tasks = {task: found for task, found in self._tasks.items() if task in report.tasks}
            advanced = {where: time for where, (_, time) in self._positions.items()}
            self._positions = {
                where: (offset, now if offset > start.get(where, 0) else advanced.get(where))
                for where, offset in positions.items()
            }
            has_advanced = any(offset > start.get(where, 0) for where, offset in positions.items())
            self._failures = 0 if has_advanced else self._failures
            if batch.batches:
                self._seconds += progress.seconds
                for index, bound in enumerate(_BUCKETS_S):
                    self._durations[index] += progress.seconds <= bound
            self._history.append(self._batch(progress, now, lag))

    def _batch(self, progress: Progress, now: int, lag: int | None) -> BatchStatus:
        report, states = progress.report, [state for state, _ in self._tasks.values()]
        return BatchStatus(
            batch=progress.batch,
            time=now,
            seconds=progress.seconds,
            records=report.records,
            written=sum(report.written.values()),
            dropped=sum(report.drops.values()),
            lag=lag,
            stream_time=max((state.stream_time for state in states if state.stream_time is not None), default=None),
            state_entries=sum_of(state.entries for state in states),
            state_bytes=sum_of(state.size_bytes for state in states),
        )

    def _failures_in_a_row(self) -> int:
        """Return how often the run has failed since it last processed records, or ran for a while."""
        is_stable = self._state is RunState.RUNNING and self._clock.now_ms() - self._begun > STABLE_S * 1_000
        return 0 if is_stable else self._failures

    def _set(self, state: RunState, failure: str = "") -> None:
        with self._lock:
            self._failures = self._failures_in_a_row()
            self._state, self._failure, self._restart_at = state, failure, None

    # --- what is known ------------------------------------------------------------------------------------------------

    def snapshot(self) -> RunStatus:
        """Return the status of the run now."""
        with self._lock:
            positions = dict(self._positions)
        ends = self._known_ends(positions)
        now = self._clock.now_ms()
        with self._lock:
            since = max(self._started, now - _RATE_MS)
            recent = [batch for batch in self._history if batch.time >= since]
            seconds = max(now - since, 1) / 1_000
            return RunStatus(
                application_id=self._application_id,
                flow=self._flow,
                engine=self._engine,
                state=self._state,
                failure=self._failure or None,
                failures=self._failures_in_a_row(),
                restarts=self._restarts,
                restart_at=self._restart_at,
                not_reloaded=self._not_reloaded,
                recording_level=self._level,
                started=self._started,
                time=now,
                totals=self._counted(),
                nodes=tuple(map(self._node, self._topology.nodes)),
                tasks=tuple(sorted(map(_task, *zip(*self._tasks.values(), strict=True)), key=_task_order) if self._tasks else ()),
                partitions=tuple(
                    PartitionStatus(*where, offset, ends.get(where), advanced)
                    for where, (offset, advanced) in sorted(positions.items())
                ),
                metrics=dict(sorted(self._totals.metrics.items())),
                history=tuple(self._history),
                batch_seconds=BatchSeconds(
                    tuple(zip(_BUCKETS_S, self._durations, strict=True)), self._totals.batches, self._seconds
                ),
                records_per_second=sum(batch.records for batch in recent) / seconds,
                written_per_second=sum(batch.written for batch in recent) / seconds,
            )

    def _counted(self) -> Totals:
        found = self._totals.copy()
        handled: Counter[str] = Counter()
        for (node, reason), number in found.drops.items():
            if reason in _EXCEPTIONS:
                handled[node] += number
        return Totals(
            batches=found.batches,
            records_in={topic: number for topic, number in found.consumed.items() if topic not in self._internal},
            records_out=found.written,
            undecodable=found.undecodable,
            dropped=found.drops,
            handled_exceptions=handled,
            late=sum(number for (_, reason), number in found.drops.items() if reason == DropReason.LATE),
            late_windows=found.late_windows.total(),
            dead_letters=found.dead_letters,
            skipped=self._skipped,
            transactions=found.transactions,
        )

    def _node(self, node: Node) -> NodeStatus:
        sub = next((sub.index for sub in self._topology.sub_topologies if node.name in sub.nodes), None)
        dropped = {reason: number for (name, reason), number in self._totals.drops.items() if name == node.name}
        return NodeStatus(node.name, _kind(node), node.parents, sub, self._processed(node), dropped)

    def _processed(self, node: Node) -> int | None:
        consumed = self._totals.consumed
        if isinstance(node, SourceNode):
            if node.pattern is None:
                return consumed[node.topic]
            return sum(number for topic, number in consumed.items() if node.pattern.fullmatch(topic))
        return self._totals.processed[node.name] if self._level == "debug" else None

    def _known_ends(self, positions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Return the ends of the partitions; none if the log does not answer, which is for the run to report."""
        try:
            bounds = {topic: self._ends.bounds(topic) for topic in {where.topic for where in positions}}
        except Exception:  # noqa: BLE001 - whatever it is, the run meets it too
            return {}
        return {
            where: bounds[where.topic][where.partition][1] for where in positions if where.partition < len(bounds[where.topic])
        }


def _task(state: TaskState, time: int) -> TaskStatus:
    sub_topology, _, partition = state.task.partition("_")
    return TaskStatus(state.task, int(sub_topology), int(partition), state.stream_time, state.entries, state.size_bytes, time)


def _task_order(task: TaskStatus) -> tuple[int, int]:
    return task.sub_topology, task.partition


def _kind(node: Node) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", type(node).__name__.removesuffix("Node")).lower()
