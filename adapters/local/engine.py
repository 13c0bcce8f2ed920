"""The local engine: runs a flow in this process, with state that is restored from its changelogs."""

import time
from collections.abc import Callable
from threading import Event
from typing import Final, TypeVar

from eddyline.adapters.local.garbage_collection import rare_garbage_collection
from eddyline.adapters.local.reporting import Reporter
from eddyline.adapters.local.session import LogChangedError, Session
from eddyline.adapters.local.standby import LOGGER
from eddyline.adapters.local.start import Started, topics_read
from eddyline.adapters.local.step import StepSize
from eddyline.adapters.local.streams import Streams
from eddyline.application.ports.clock import Clock
from eddyline.application.ports.event_log import OffsetOutOfRangeError
from eddyline.application.ports.task_streams import CommitLostError
from eddyline.application.runtime.input.interruption import Interruption
from eddyline.application.runtime.input.offsets import Offsets, end_offsets
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.runtime.plan.topic_types import check_codecs
from eddyline.application.runtime.progress.report import OnProgress, RunReport
from eddyline.application.topology import Topology

_T = TypeVar("_T")

_BACKOFFS_S: Final = (0.1, 0.5, 1.0, 2.0, 5.0)


class LocalEngine:
    """Runs a topology from an event log to an event sink; the next run continues where the last commit of this one ended.

    Every store has a changelog, from which the next run, or another process, restores it. Between two commits, records are
    processed as they come. `report` has the counts of all runs of this engine.

    Args:
        topology: the topology to run.
        ports: the log, the sink, the codecs and the state stores.
        options: the options of the run.
        streams: what the engine uses of the log besides the ports.
        clock: the wall clock.
    """

    def __init__(self, topology: Topology, ports: RunPorts, options: RunOptions, streams: Streams, clock: Clock) -> None:
        self.report = RunReport()
        check_codecs(topology, ports.codecs)
        self._topology, self._ports, self._options, self._streams, self._clock = topology, ports, options, streams, clock
        self._stopping, self._interruption = Event(), Interruption()
        self._size = StepSize(options, streams.step_s)

    def run(self, on_progress: OnProgress | None = None) -> RunReport:
        """Run until `stop()`."""
        return self._run(on_progress, available_now=False)

    def run_available_now(self, on_progress: OnProgress | None = None) -> RunReport:
        """Run until the records that the log holds now are processed, or `stop()` is called; no task waits for others."""
        return self._run(on_progress, available_now=True)

    def stop(self) -> None:
        """Let the run end with a commit after the record that is being processed; return at once. May be called in any thread."""
        self._stopping.set()
        self._interruption.requested = True

    def _run(self, on_progress: OnProgress | None, *, available_now: bool) -> RunReport:
        target: Offsets | None = None
        if available_now:
            target = self._retried(lambda: end_offsets(self._ports.log, topics_read(self._plan())))
            if target is None:
                return self.report
        reporter = Reporter(self.report, on_progress, self._options.trigger_interval_ms / 1_000, target)
        with rare_garbage_collection():
            self._retried(lambda: self._sessions(reporter, target))
        reporter.flush()
        return self.report

    def _plan(self) -> RunPlan:
        return RunPlan.of(self._topology, self._ports, self._options)

    def _sessions(self, reporter: Reporter, target: Offsets | None) -> None:
        """Run sessions until one of them reaches the end."""
        while not self._stopping.is_set():
            started = Started.of(self._topology, self._ports, self._options, self.report)
            try:
                Session(
                    started, self._streams, self._clock, reporter, self._stopping, self._interruption, self._size, target
                ).run()
                break
            except LogChangedError as changed:
                LOGGER.warning("%s", changed)
            except OffsetOutOfRangeError as lost:
                if self._options.auto_offset_reset == "none":
                    raise
                LOGGER.warning("%s; continuing as auto.offset.reset=%s says", lost, self._options.auto_offset_reset)

    def _retried(self, action: Callable[[], _T]) -> _T | None:
        """Return the result of an action, which begins again when something did not answer, or another process took over."""
        retryable: tuple[type[Exception], ...] = (CommitLostError, *self._streams.retryable)
        failures, begun = 0, time.monotonic()
        while not self._stopping.is_set():
            try:
                return action()
            except retryable as error:
                failures = 0 if time.monotonic() - begun > 2 * _BACKOFFS_S[-1] else failures
                LOGGER.warning("%s; waiting, then continuing after the last commit", error)
            self._stopping.wait(_BACKOFFS_S[min(failures, len(_BACKOFFS_S) - 1)])
            failures, begun = failures + 1, time.monotonic()
        return None
