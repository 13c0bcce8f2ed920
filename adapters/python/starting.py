"""Runs of flows inside a program, in parallel with its other work: `async with eddyline.start(flow) as running:`."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, RLock, Thread
from types import TracebackType
from typing import Any, Final, Literal

from eddyline.adapters.cli.catalogue import known_flows
from eddyline.adapters.cli.engines import open_engine
from eddyline.adapters.cli.requests import Request, topology_of
from eddyline.adapters.cli.restoring import check_owner
from eddyline.adapters.container import Container
from eddyline.adapters.python.clients import container_of
from eddyline.adapters.python.state import ApplicationState, StoreState, state_of
from eddyline.application.flows.flow import Flow
from eddyline.application.flows.registry import find_flow
from eddyline.application.runtime.plan.changelogs import chosen_stores
from eddyline.application.runtime.progress.report import Progress as Reached
from eddyline.application.runtime.progress.report import RunReport
from eddyline.application.topology.errors import listed

_LOGGER: Final = logging.getLogger("eddyline.run")
_ENGINES: Final = ("local", "memory", "spark")
_POLL_S: Final = 0.1


@dataclass(frozen=True)
class RunProgress:
    """What a run has done since it was started.

    Attributes:
        records: Records taken from the log.
        written: Results by topic.
        dead_letters: Records that became dead letters.
        dropped: Records that were dropped, by node and reason.
        batches: Batches or commits.
        is_running: Whether the run goes on.
    """

    records: int = 0
    written: Mapping[str, int] = field(default_factory=dict)
    dead_letters: int = 0
    dropped: Mapping[tuple[str, str], int] = field(default_factory=dict)
    batches: int = 0
    is_running: bool = True


class RunningFlow:
    """A flow that runs in threads of this process; its methods may be called by any thread.

    In asyncio, `state` and its stores read from the log, so call them in threads: `await asyncio.to_thread(…)`, or in FastAPI by
    path operations with `def`.
    """

    def __init__(self, request: Request, container: Container, *, alerts: bool) -> None:
        settings = request.settings
        options = container.options(application_id=request.application_id, flow=request.flow)
        chosen_stores(request.topology, options.changelog_stores)
        self._request, self._container, self._lock = request, container, RLock()
        check_owner(request, container, options)
        self._engine = open_engine(request, container, options, request.spark_log, warn=_LOGGER.warning)
        self._deliveries = container.flow_alerts(request.flow, request.topology) if alerts else None
        self._report = RunReport()
        self._error: BaseException | None = None
        self._state: ApplicationState | None = None
        self._stopping = Event()
        self._threads = [Thread(target=self._run, name=f"flow {request.flow.name}", daemon=True)]
        if self._deliveries is not None:
            self._threads.append(Thread(target=self._deliver, name=f"alerts of {request.flow.name}", daemon=True))
        _LOGGER.info("starting flow '%s' on the engine %s", request.flow.name, settings.engine)
        for thread in self._threads:
            thread.start()

    def state(self, store: str | None = None) -> StoreState:
        """Return a store by its name, which may be omitted if there is one only; see `eddyline.state`.

        Raises:
            QueryError: There is no such store.
        """
        with self._lock:
            if self._state is None:
                self._state = state_of(self._request, self._container)
            return self._state.store(store)

    @property
    def progress(self) -> RunProgress:
        """What the run has done so far."""
        with self._lock:
            report = self._report
        return RunProgress(
            report.records,
            dict(report.written),
            report.dead_letters,
            dict(report.drops),
            report.batches,
            self._threads[0].is_alive(),
        )

    def request_stop(self) -> None:
        """Let the run end with a commit after what is being processed; return at once."""
        self._stopping.set()
        self._engine.request_stop()

    def stop(self) -> None:
        """Let the run end, and wait until it has. Raises what `wait` raises."""
        self.request_stop()
        self.wait()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the run has ended, and return whether it has; raise the error with which it has ended, if any."""
        self._threads[0].join(timeout_s)
        if self._threads[0].is_alive():
            return False
        self._stopping.set()
        for thread in self._threads:
            thread.join()
        if self._error is not None:
            raise self._error
        return True

    def close(self) -> None:
        """Stop, and close files and connections. Raises what `wait` raises."""
        try:
            self.stop()
        finally:
            if self._state is not None:
                self._state.close()
            self._container.sink().close()
            self._container.log().close()

    def _run(self) -> None:
        try:
            with closing(self._engine):
                self._engine.runner.run(self._note)
        except BaseException as error:  # noqa: BLE001 - raised where the run is waited for
            self._error = error
            _LOGGER.error("flow '%s' has ended: %s", self._request.flow.name, error)  # noqa: TRY400 - the error is raised later
        finally:
            self._stopping.set()

    def _note(self, _reached: Reached, report: RunReport) -> None:
        copy = report.copy()
        with self._lock:
            self._report = copy

    def _deliver(self) -> None:
        if self._deliveries is not None:
            with closing(self._deliveries):
                self._deliveries.run(self._stopping)


class AsyncRunningFlow:
    """A flow that runs in threads of this process, for asyncio; see RunningFlow."""

    def __init__(self, running: RunningFlow) -> None:
        self._running = running

    def state(self, store: str | None = None) -> StoreState:
        """Return a store, which answers from the log: call it, and the store, in a thread. See `RunningFlow.state`."""
        return self._running.state(store)

    @property
    def progress(self) -> RunProgress:
        """What the run has done so far."""
        return self._running.progress

    def request_stop(self) -> None:
        """Let the run end with a commit after what is being processed; return at once."""
        self._running.request_stop()

    async def stop(self) -> None:
        """Let the run end, and wait until it has. Raises what `wait` raises."""
        self._running.request_stop()
        await self.wait()

    async def wait(self) -> None:
        """Wait until the run has ended; raise the error with which it has ended, if any."""
        while not await asyncio.to_thread(self._running.wait, _POLL_S):
            pass


class Start:
    """A flow to run: `with` it, or `async with` it in asyncio."""

    def __init__(self, start: Callable[[], RunningFlow]) -> None:
        self._start = start
        self._running: RunningFlow | None = None

    def __enter__(self) -> RunningFlow:
        self._running = self._start()
        return self._running

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._end(error)

    async def __aenter__(self) -> AsyncRunningFlow:
        self._running = await asyncio.to_thread(self._start)
        return AsyncRunningFlow(self._running)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await asyncio.shield(asyncio.to_thread(self._end, error))

    def _end(self, error: BaseException | None) -> None:
        running, self._running = self._running, None
        if running is None:
            return
        try:
            running.close()
        except BaseException as failed:
            if error is None:
                raise
            if failed is not error:
                error.add_note(f"and the flow has ended: {failed}")


def start(
    flow: Flow | str,
    *,
    engine: Literal["local", "memory", "spark"] = "local",
    flows: str | Sequence[str] = (),
    config: Path | None = None,
    alerts: bool = False,
    **settings: Any,
) -> Start:
    """Run a flow beside the program, until the block of `with` or `async with` ends.

    The flow reads and writes the topics of the event log that the settings choose, as `eddyline run` does, and continues where
    its last run has ended. When the block ends, the run ends with a commit, and an error with which it has ended is raised. All
    stores can be asked for their state, unless `changelog_stores` chooses some.

    Args:
        flow: The flow, or its name.
        engine: The engine: `local` and `memory` run in threads of this process, `spark` starts Spark.
        flows: Modules or files with more flows, as `--flows` of the commands.
        config: The settings file; by default `eddyline.toml`, if it exists.
        alerts: Whether to deliver the alerts of the flow meanwhile.
        settings: Settings of the flow, or of Eddyline with underscores for dots: `data_dir="data"`, `emit="latest"`,
            `bootstrap_servers="127.0.0.1:9092"`, which implies `log="kafka"`. `log` may also be an
            `eddyline.testing.MemoryEventLog`, which producers and consumers of a test share with the flow.

    Raises:
        LookupError: The flow is unknown, or lacks a topic.
        ValueError: A setting is unknown or invalid.
        OSError: The event log cannot be reached.
        CommandError: Topics are missing, or another engine has state of the application, which it would process again.
        Exception: When the block ends, what the functions of the flow raise, unless an exception handler is set.
    """
    if engine not in _ENGINES:
        raise ValueError(f"unknown engine '{engine}'; choose one of: {listed(_ENGINES)}")
    modules = (flows,) if isinstance(flows, str) else tuple(flows)

    def begin() -> RunningFlow:
        found = find_flow(flow, known_flows(modules, config)) if isinstance(flow, str) else flow
        of_flow = {name: value for name, value in settings.items() if name in found.settings}
        others = {name: value for name, value in settings.items() if name not in of_flow}
        container = container_of(config, {"engine": engine, **others}, choices=tuple(found.settings), state=True)
        if engine == "spark" and container.settings().log == "memory":
            raise ValueError("the processes of Spark cannot read a log in memory; choose engine='local', or log='files'")
        request = Request(found, topology_of(found, container.settings(), of_flow), container.settings())
        return RunningFlow(request, container, alerts=alerts)

    return Start(begin)
