"""Runs a flow and shows its progress and its result."""

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import typer

from eddyline.adapters.cli.background_archive import BackgroundArchive
from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.engines import open_engine
from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.log_context import is_logged, log_errors
from eddyline.adapters.cli.requests import Request
from eddyline.adapters.cli.restoring import RestoreFrom, restore
from eddyline.adapters.cli.run_log import begin_run_log, log_batch, show_output_file, show_result, show_warning, warn
from eddyline.adapters.cli.screen import progress_bar
from eddyline.adapters.cli.serving import served
from eddyline.adapters.cli.spark_log import SparkLog
from eddyline.adapters.cli.stopping import StoppedError, StopRequest, StopSignals
from eddyline.adapters.cli.topic_settings import topic_setting_warnings
from eddyline.application.runtime.plan.changelogs import chosen_stores
from eddyline.application.runtime.plan.run_plan import log_topics
from eddyline.application.runtime.progress.report import OnProgress, RunReport
from eddyline.application.runtime.progress.report import Progress as Reached
from eddyline.application.topology.graph import topology_warnings
from eddyline.application.topology.nodes import PeekNode, ProcessorNode

if TYPE_CHECKING:
    from eddyline.adapters.cli.reloading import Reload
    from eddyline.adapters.container import Container
    from eddyline.application.monitoring.run_monitor import RunMonitor


_ONLY_FOR: Final = {"spark": ("spark.", "package"), "local": ("commit.interval.ms", "input.buffer.max.bytes")}
"""Settings that one engine alone reads, or how their names begin."""


def check_effective(engines: Collection[str], given: Collection[str], address: Collection[str], *, serve: bool) -> None:
    """Make sure that options that were given on the command line have an effect.

    Args:
        engines: The engines of the flows.
        given: The settings that were given, with dots or underscores.
        address: The settings of the address of a server that were given.
        serve: Whether the run has a server.

    Raises:
        UsageError: Only other engines read a setting, or there is no server.
    """
    used = " and ".join(f"'{engine}'" for engine in sorted(set(engines)))
    for name in sorted(found.replace("_", ".") for found in given):
        other = next((only for only, names in _ONLY_FOR.items() if only not in engines and name.startswith(names)), None)
        if other is not None:
            raise UsageError(
                f"setting '{name}' has no effect on engine {used}, only on engine '{other}'; leave it out, or run the flow"
                f" with --engine {other}"
            )
    if address and not serve:
        name = min(address).replace("_", ".")
        raise UsageError(f"setting '{name}' is that of a server, which a run has only with --serve; add --serve, or leave it out")


def run_flow(
    request: Request,
    *,
    available_now: bool,
    serve: bool = False,
    monitor: "RunMonitor | None" = None,
    restore_from: RestoreFrom | None = None,
    reload: "Reload | None" = None,
) -> RunReport:
    """Run a flow to the current end offsets (`available_now`) or until SIGINT or SIGTERM, and print what it has done.

    With `serve`, queries of its state are answered meanwhile. A `monitor` receives its progress, if it is not served. With
    `restore_from`, the state is moved from another engine first. With `reload`, changed modules stop the run.
    """
    if serve:
        request = served_request(request)
    started = time.monotonic()
    report = RunReport()
    try:
        with StopSignals() as signals, SparkLog() as spark_log:
            begin_run_log([request], available_now=available_now)
            run = FlowRun(request, spark_log, available_now=available_now, restore_from=restore_from)
            unknown = list(topic_setting_warnings([request]))
            run.prepare(unknown)

            @contextmanager
            def watching(stop: Callable[[], None]) -> Iterator["RunMonitor | None"]:
                with (
                    _served_alone(request, stop, reload) if serve else nullcontext(monitor) as found,
                    nullcontext() if reload is None else reload.watching(signals, stop, [found]),
                ):
                    yield found

            report = run.execute(signals, watching, with_progress=True)
    except (StoppedError, KeyboardInterrupt):  # before there was a run to stop, or after its end
        show_result(report, request, time.monotonic() - started)
        raise typer.Exit from None
    show_result(report, request, time.monotonic() - started)
    return report


@contextmanager
def _served_alone(request: Request, stop: Callable[[], None], reload: "Reload | None") -> Iterator["RunMonitor"]:
    with served([request], stop, reload=reload) as (monitor,), monitor.running():
        yield monitor


class FlowRun:
    """A flow on its engine; it can be executed again after a failure, once it is prepared.

    Args:
        request: The flow.
        spark_log: The log file of Spark.
        available_now: Whether it runs to the current end offsets.
        restore_from: Where the state is moved from when it is prepared, if another engine has left it.
        with_archive: Whether Spark's Java classes may be archived meanwhile.
    """

    def __init__(
        self,
        request: Request,
        spark_log: SparkLog,
        *,
        available_now: bool,
        restore_from: RestoreFrom | None = None,
        with_archive: bool = True,
    ) -> None:
        self._request, self._spark_log, self._with_archive = request, spark_log, with_archive
        self._available_now, self._restore_from = available_now, restore_from

    def prepare(self, warnings: Sequence[str] = ()) -> None:
        """Check the settings, show warnings, these first, and move state."""
        request = self._request
        self.renew()
        chosen_stores(request.topology, self._options.changelog_stores)
        for warning in (*warnings, *topology_warnings(request.topology, request.settings.emit)):
            warn(warning)
        if request.settings.engine == "spark" and is_logged():
            self._container.let_workers_log(request.settings.log_level)
        restore(request, self._container, self._options, self._restore_from)

    def renew(self) -> None:
        """Open the event log and everything else again, which may be what has failed."""
        self._container = container_for(self._request.settings)
        self._options = self._container.options(application_id=self._request.application_id, flow=self._request.flow)

    def execute(
        self,
        stopping: StopSignals | StopRequest,
        watching: Callable[[Callable[[], None]], AbstractContextManager["RunMonitor | None"]],
        *,
        with_progress: bool = False,
    ) -> RunReport:
        """Run to the end.

        Args:
            stopping: Stops the run.
            watching: Returns what receives the progress, from the function that stops the run.
            with_progress: Whether a run that writes no log shows a progress bar.
        """
        request, container, options = self._request, self._container, self._options
        with_archive = self._with_archive and request.settings.engine == "spark"
        archive = BackgroundArchive(container.archive_in_background) if with_archive else None
        tracer = container.run_tracer(options.application_id, request.flow.name)
        with (
            self._runner(stopping) as (runner, stop),
            watching(stop) as monitor,
            nullcontext() if tracer is None else tracer.running(),
        ):
            log_errors()
            report: RunReport
            watched = partial(_to_all, [found.on_progress for found in (monitor, tracer, archive) if found is not None])
            if not self._available_now:
                report = runner.run(watched(log_batch))
            elif is_logged() or not with_progress:
                report = runner.run_available_now(watched(log_batch if is_logged() else _show_nothing))
            else:
                with _progress(request, container) as on_progress:
                    report = runner.run_available_now(watched(on_progress))
        if archive is not None:
            archive.end()
        return report

    @contextmanager
    def _runner(self, stopping: StopSignals | StopRequest) -> Iterator[tuple[Any, Callable[[], None]]]:
        """Yield what runs the flow, and a function that lets it end after the current batch and returns at once."""
        request = self._request
        log_file = self._spark_log.file or request.spark_log
        engine = open_engine(request, self._container, self._options, log_file, warn=warn, only_flows=True)
        if request.settings.engine != "spark":
            with closing(engine), stopping.stopping(engine.request_stop):
                yield engine.runner, engine.request_stop
            return
        if any(isinstance(node, PeekNode | ProcessorNode) for node in request.topology.nodes):
            show_output_file(str(log_file))
        self._spark_log.open(log_file, partial(_show_warning, engine.runner))
        with stopping.received_by(engine.runner.is_stopping, engine.request_stop):
            yield engine.runner, engine.request_stop


def _show_nothing(_reached: Reached, _report: RunReport) -> None:
    """Show nothing of a batch."""


def served_request(request: Request) -> Request:
    """Return a request whose run can be queried and watched, unless its settings say otherwise."""
    settings = request.settings
    stores = "all" if settings.changelog_stores == "none" else settings.changelog_stores
    update = {"changelog_stores": stores, "metrics_recording_level": settings.metrics_recording_level or "debug"}
    return request._replace(settings=settings.model_copy(update=update))


def _to_all(watching: Sequence[OnProgress], shown: OnProgress) -> OnProgress:
    """Return a function that passes progress to all of these; a server knows a batch before its line is shown."""

    def on_progress(reached: Reached, report: RunReport) -> None:
        for receive in (*watching, shown):
            receive(reached, report)

    return on_progress


def _show_warning(engine: Any, line: str) -> None:
    """Write a line of Spark's log file to the log of the run, if it is a warning of a worker."""
    found = engine.warning_in(line)
    if found is not None:
        show_warning(*found)


@contextmanager
def _progress(request: Request, container: "Container") -> Iterator[OnProgress]:
    log = container.log()
    bounds = log.topic_bounds(log_topics(request.topology, log))
    available = sum(end - begin for numbers in bounds.values() for begin, end in numbers)
    with progress_bar() as bar:
        task = bar.add_task(f"running {request.flow.name}", total=available)

        def show(reached: Reached, report: RunReport) -> None:
            left = 0 if reached.total is None else reached.total - reached.done
            read = report.records + sum(count for (_, reason), count in report.drops.items() if reason == "undecodable")
            bar.update(task, completed=read, total=read + left)

        yield show
