"""The log of a long run on standard error: one line per event, formatted for people or as JSON."""

import sys

import structlog

from eddyline.adapters.cli.log_context import log_fields, log_format, log_level
from eddyline.adapters.cli.printable import printable


def logger() -> structlog.typing.FilteringBoundLogger:
    """Return the logger of the command; its lines have what the command has begun its log with."""
    terminal = sys.stderr.isatty()
    processors: list[structlog.typing.Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if log_format(terminal=terminal) == "json":
        processors += [_with_event_first, structlog.processors.JSONRenderer()]
    else:
        processors += [_without_control_characters, structlog.dev.ConsoleRenderer(colors=terminal)]
    wrapped: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
        structlog.PrintLogger(sys.stderr),
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(log_level()),
    )
    return wrapped.bind(**log_fields())


def _with_event_first(_logger: object, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    return {**{name: event[name] for name in ("timestamp", "level", "event")}, **event}


def _without_control_characters(_logger: object, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Return the fields as text for a terminal; only a traceback, which follows its line, has lines of its own."""
    texts = {name: printable(value) for name, value in event.items() if isinstance(value, str)}
    return {**event, **{name: text if name == "exception" else text.replace("\n", " ") for name, text in texts.items()}}
