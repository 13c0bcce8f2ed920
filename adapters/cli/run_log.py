"""What a run reports: lines of its log, or for a short run on a terminal a progress bar and messages."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from eddyline.adapters.cli.client_logs import is_shown, show_levels, standard_level
from eddyline.adapters.cli.log_context import begin_log, is_logged, log_format
from eddyline.adapters.cli.printable import echo, printable
from eddyline.adapters.cli.requests import Request
from eddyline.adapters.cli.screen import counted, message
from eddyline.application.runtime.plan.dead_letters import dead_letter_topic
from eddyline.application.runtime.progress.report import Progress, RunReport

if TYPE_CHECKING:
    from structlog.typing import FilteringBoundLogger

ARCHIVE_MB = 170
"""About how much space an archive of Spark's Java classes takes."""


def begin_run_log(requests: Sequence[Request], service: str | None = None, *, available_now: bool) -> None:
    """Begin the log of a run without an end, and of one with an end if the setting `log.format` asks for it.

    Lines of the only flow name it; those of a service have its name, and those of its flows theirs as well.
    """
    settings = requests[0].settings
    form = settings.log_format
    if form is not None or not available_now:
        level = settings.log_level
        fields = fields_of(requests[0]) if service is None else {"service": service}
        begin_log(form, level, **fields)
        show_levels(level)


def fields_of(request: Request) -> dict[str, str]:
    """Return what lines about a flow have."""
    return {"application_id": request.application_id, "flow": request.flow.name}


def warn(text: str) -> None:
    """Report a warning."""
    if is_logged():
        _logger().warning(text)
    else:
        message(f"warning: {text}")


def show_error(text: str, **fields: object) -> None:
    """Report an error that does not end the command; a line of the log has the fields, too."""
    if is_logged():
        _logger().error(text, **fields)
    else:
        echo(f"error: {text}", err=True)


def show_warning(name: str, level: int, text: str, batch: int | None, exception: str = "") -> None:
    """Report what a worker has logged; `name` and `level` are those of its logger, `batch` is the number of the batch."""
    from eddyline.adapters.cli.logs import logger  # noqa: PLC0415 - as above

    if not is_shown(name, level):
        return
    of_batch = {} if batch is None else {"batch": batch}
    traceback = {"exception": exception} if exception else {}
    logger().log(standard_level(level), printable(text), logger=name, **of_batch, **traceback)


def show_output_file(file: str) -> None:
    """Report where functions of the user print."""
    text = "what peek, for_each and processors print"
    if is_logged():
        _logger().info(text, file=file)
    else:
        message(f"{text}: {file}")


def show_archiving(file: str) -> None:
    """Report that another process archives the classes of Spark."""
    text = "archiving Spark's Java classes in the background, once, so that later runs start faster"
    if is_logged():
        _logger().info(text, file=file, megabytes=ARCHIVE_MB, setting="create.class.archive")
    else:
        message(f"{text}: {file} (about {ARCHIVE_MB} MB; --set create.class.archive=false turns this off)")


def log_batch(reached: Progress, _report: RunReport) -> None:
    """Write a line about a batch, unless it was empty."""
    report = reached.report
    if report.is_empty:
        return
    _logger().info(
        "batch",
        batch=reached.batch,
        records=report.records,
        seconds=round(reached.seconds, 3),
        written=sum(report.written.values()),
        dropped=sum(report.drops.values()),
        dead_letters=report.dead_letters,
        skipped=sum(report.skipped.values()),
    )


def show_result(report: RunReport, request: Request, seconds: float) -> None:
    """Report the counts of a run that has ended; `seconds` is its duration with start and stop."""
    if is_logged() and log_format(terminal=sys.stderr.isatty()) == "json":
        _logger().info(
            "stopped",
            records=report.records,
            batches=report.batches,
            seconds=round(seconds, 3),
            written=dict(sorted(report.written.items())),
            dropped=[
                {"operator": operator, "reason": reason, "records": number}
                for (operator, reason), number in sorted(report.drops.items())
            ],
            late_windows=dict(sorted(report.late_windows.items())),
            skipped=[
                {"topic": topic, "partition": partition, "offsets": number}
                for (topic, partition), number in sorted(report.skipped.items())
            ],
            dead_letters=report.dead_letters,
        )
        return
    read = f"{counted(report.records, 'record')} in {counted(report.batches, 'batch', 'batches')}"
    message(f"{request.flow.name}: {read}, {seconds:.1f} s including start and stop")
    for topic, number in sorted(report.written.items()):
        message(f"  written to '{topic}': {number:,}")
    for (operator, reason), number in sorted(report.drops.items()):
        windows = report.late_windows[operator] if reason == "late" else 0
        message(f"  dropped by '{operator}' ({reason}): {number:,}{late_windows(number, windows)}")
    for (topic, partition), number in sorted(report.skipped.items()):
        message(f"  skipped in topic '{topic}', partition {partition} (auto.offset.reset): {counted(number, 'offset')}")
    if report.dead_letters:
        message(f"  dead letters in '{dead_letter_topic(request.application_id)}': {report.dead_letters:,}")


def late_windows(records: int, windows: int) -> str:
    """Return the number of windows for which records were late, unless each was late for one: ` (12 windows)`."""
    return f" ({counted(windows, 'window')})" if windows > records else ""


def _logger() -> "FilteringBoundLogger":
    from eddyline.adapters.cli.logs import logger  # noqa: PLC0415 - structlog is imported only for runs that write a log

    return logger()
