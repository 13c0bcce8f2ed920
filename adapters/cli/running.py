"""Runs a flow as the settings say, and shows how far it is and what came of it."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from eddyline.adapters.cli.java import require_java
from eddyline.adapters.cli.logs import logger
from eddyline.adapters.cli.options import Request
from eddyline.adapters.cli.screen import stderr
from eddyline.adapters.cli.spark_log import spark_output_to
from eddyline.adapters.cli.topics import ready_topics
from eddyline.adapters.container import Container
from eddyline.adapters.memory.run import MemoryRun
from eddyline.application.runtime.dead_letters import dead_letter_topic
from eddyline.application.runtime.report import OnProgress, RunReport
from eddyline.application.runtime.report import Progress as Reached


class Runner(Protocol):
    """An engine with a flow in it."""

    def run(self, on_progress: OnProgress | None = None) -> RunReport:
        """Runs until it is stopped."""

    def run_available_now(self, on_progress: OnProgress | None = None) -> RunReport:
        """Runs until all is done that the log holds now."""


def run_flow(request: Request, *, available_now: bool) -> RunReport:
    """Runs the flow to the end of what the log holds, or until SIGINT or SIGTERM; shows progress, then what came of it."""
    container = Container(settings=request.settings)
    application_id = request.application_id
    began = time.monotonic()
    ready_topics(request, container)
    with _runner(request, container, application_id) as runner:
        if available_now:
            with _bar(request, container) as on_progress:
                report = runner.run_available_now(on_progress)
        else:
            report = runner.run(_log_batch)
    _tell(report, request.flow.name, application_id, time.monotonic() - began)
    return report


@contextmanager
def _runner(request: Request, container: Container, application_id: str) -> Iterator[Runner]:
    settings, topology = request.settings, request.topology
    options = container.options(application_id=application_id)
    if settings.engine == "spark":
        require_java()
        with spark_output_to(settings.state_dir / f"{application_id}-spark.log"):
            yield container.spark_engine(topology, options=options, checkpoint_dir=settings.state_dir / application_id)
        return
    run = container.memory_run(topology, options=options)
    with _stopped_by_signals(run):
        yield run


@contextmanager
def _stopped_by_signals(run: MemoryRun) -> Iterator[None]:
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda *_: run.stop()) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _bar(request: Request, container: Container) -> Iterator[OnProgress]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    log = container.log()
    held = sum(
        log.end_offset(spec.name, number) - log.beginning_offset(spec.name, number)
        for spec in request.topology.source_topics
        for number in range(log.partitions(spec.name))
    )
    with Progress(*columns, console=stderr()) as bar:
        task = bar.add_task(f"running {request.flow.name}", total=held)

        def show(reached: Reached, _report: RunReport) -> None:
            bar.update(task, completed=reached.done, total=held if reached.total is None else reached.total)

        yield show


def _log_batch(reached: Reached, report: RunReport) -> None:
    logger().info(
        "batch",
        batch=reached.batch,
        records=reached.done,
        seconds=round(reached.seconds, 3),
        written=sum(report.written.values()),
        dropped=sum(report.drops.values()),
        dead_letters=report.dead_letters,
    )


def _tell(report: RunReport, flow: str, application_id: str, seconds: float) -> None:
    lines = [f"{flow}: {report.records:,} records, {seconds:.1f} s with start and stop, batches: {report.batches}"]
    lines += [f"  written to '{topic}': {number:,}" for topic, number in sorted(report.written.items())]
    lines += [f"  left out at '{step}', {reason}: {number:,}" for (step, reason), number in sorted(report.drops.items())]
    if report.dead_letters:
        lines.append(f"  dead letters in '{dead_letter_topic(application_id)}': {report.dead_letters:,}")
    for line in lines:
        stderr().print(line, soft_wrap=True)
