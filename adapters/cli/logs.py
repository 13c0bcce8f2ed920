"""The log of a long run on standard error: one line per event, formatted for people on a terminal and as JSON elsewhere."""

import sys

import structlog


def logger() -> structlog.typing.FilteringBoundLogger:
    """Return the logger of the command."""
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer() if sys.stderr.isatty() else structlog.processors.JSONRenderer()
    )
    wrapped: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
        structlog.PrintLogger(sys.stderr),
        processors=[structlog.processors.add_log_level, structlog.processors.TimeStamper(fmt="iso", utc=True), renderer],
        wrapper_class=structlog.make_filtering_bound_logger("info"),
    )
    return wrapped
