"""Runs a flow and shows its progress and its result."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.requests import Request
from eddyline.adapters.cli.screen import counted, message, progress_bar
from eddyline.adapters.cli.spark_log import spark_output_to
from eddyline.adapters.cli.stopping import stopped_by_signals
from eddyline.adapters.cli.topic_settings import topic_setting_warnings
from eddyline.adapters.cli.topics import ensure_topics
from eddyline.application.runtime.dead_letters import dead_letter_topic
from eddyline.application.runtime.offsets import offset_bounds
from eddyline.application.runtime.options import RunOptions
from eddyline.application.runtime.report import OnProgress, RunReport
from eddyline.application.runtime.report import Progress as Reached
from eddyline.application.runtime.run_plan import log_topics
from eddyline.application.topology.graph import topology_warnings
from eddyline.application.topology.nodes import PeekNode, ProcessorNode

if TYPE_CHECKING:
    from eddyline.adapters.container import Container


class Runner(Protocol):
    """A flow on an engine."""

    def run(self, on_progress: OnProgress | None = None) -> RunReport:
        """Run until it is stopped."""

    def run_available_now(self, on_progress: OnProgress | None = None) -> RunReport:
        """Run to the end offsets that the log has now."""


def run_flow(request: Request, *, available_now: bool) -> RunReport:
    """Run a flow to the current end offsets (`available_now`) or until SIGINT or SIGTERM, and print what it has done."""
    unknown_topics = list(topic_setting_warnings(request))
    container = container_for(request.settings)
    options = container.options(application_id=request.application_id, flow=request.flow)
    started = time.monotonic()
    for warning in (*unknown_topics, *topology_warnings(request.topology, request.settings.emit)):
        message(f"warning: {warning}")
    with _runner(request, container, options) as runner:
        if available_now:
            with _progress(request, container) as on_progress:
                report = runner.run_available_now(on_progress)
        else:
            report = runner.run(_log_batch)
    _show(report, request, time.monotonic() - started)
    return report


@contextmanager
def _runner(request: Request, container: "Container", options: RunOptions) -> Iterator[Runner]:
    settings, topology, application_id = request.settings, request.topology, options.application_id
    if settings.engine == "spark":
        engine = container.spark_engine(topology, options=options, checkpoint_dir=settings.state_dir / application_id)
        engine.check_checkpoint()
        ensure_topics(request, container)
        engine.check()
        container.check_spark()
        log_file = settings.state_dir / application_id / engine.LOG_FILE
        if any(isinstance(node, PeekNode | ProcessorNode) for node in topology.nodes):
            message(f"what peek, for_each and processors print: {log_file}")
        with spark_output_to(log_file):
            yield engine
        return
    ensure_topics(request, container)
    run = container.memory_run(topology, options=options)
    with stopped_by_signals(run.stop):
        yield run


@contextmanager
def _progress(request: Request, container: "Container") -> Iterator[OnProgress]:
    log = container.log()
    bounds = offset_bounds(log, log_topics(request.topology, log))
    available = sum(end - begin for numbers in bounds.values() for begin, end in numbers)
    with progress_bar() as bar:
        task = bar.add_task(f"running {request.flow.name}", total=available)

        def show(reached: Reached, report: RunReport) -> None:
            left = 0 if reached.total is None else reached.total - reached.done
            read = report.records + sum(count for (_, reason), count in report.drops.items() if reason == "undecodable")
            bar.update(task, completed=read, total=read + left)

        yield show


def _log_batch(reached: Reached, _report: RunReport) -> None:
    report = reached.report
    if report.is_empty:
        return
    from eddyline.adapters.cli.logs import logger  # noqa: PLC0415 - structlog is imported only for runs that write a log

    logger().info(
        "batch",
        batch=reached.batch,
        records=report.records,
        seconds=round(reached.seconds, 3),
        written=sum(report.written.values()),
        dropped=sum(report.drops.values()),
        dead_letters=report.dead_letters,
        skipped=sum(report.skipped.values()),
    )


def _show(report: RunReport, request: Request, seconds: float) -> None:
    read = f"{counted(report.records, 'record')} in {counted(report.batches, 'batch', 'batches')}"
    message(f"{request.flow.name}: {read}, {seconds:.1f} s including start and stop")
    for topic, number in sorted(report.written.items()):
        message(f"  written to '{topic}': {number:,}")
    for (operator, reason), number in sorted(report.drops.items()):
        message(f"  dropped by '{operator}' ({reason}): {number:,}")
    for (topic, partition), number in sorted(report.skipped.items()):
        message(f"  skipped in topic '{topic}', partition {partition} (auto.offset.reset): {counted(number, 'offset')}")
    if report.dead_letters:
        message(f"  dead letters in '{dead_letter_topic(request.application_id)}': {report.dead_letters:,}")
