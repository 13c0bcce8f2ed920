"""Parses the log files of programs into log events: every line is one event, even if its format is unknown.

The known formats are those of Java programs (`TIME [THREAD] LEVEL LOGGER - MESSAGE`, `[TIME] LEVEL MESSAGE (LOGGER)`,
`TIME LEVEL LOGGER: MESSAGE`, each also with a number of milliseconds instead of the time) and that of the package manager dpkg.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, tzinfo
from typing import Any, NamedTuple, TypeAlias

LogEvent: TypeAlias = dict[str, Any]
"""The fields of an event: texts, and `continued`, which is true or missing."""

UNKNOWN = "UNKNOWN"
"""The severity of a line in an unknown format."""

_DATED = r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,6})?(?:Z|[+-]\d\d:?\d\d)?"
_SHORT = r"\d\d/\d\d/\d\d \d\d:\d\d:\d\d"
_LEVELS = "TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL"
_JAVA = re.compile(
    rf"(?:\[?(?P<time>{_DATED}|{_SHORT})\]?|\d+)\s+(?:\[(?P<thread>[^\]]*)\]\s+)?(?P<level>{_LEVELS}):?\s+"
    r"(?:\[(?P<later_thread>[^\]]*)\]\s+)?(?P<rest>.*)"
)
_MESSAGE_FORMATS = (
    re.compile(r"(?P<logger>[\w.$]+) - (?P<message>.*)"),
    re.compile(r"(?P<message>.*) \((?P<logger>[\w$]+(?:\.[\w$]+)+)\)"),
    re.compile(r"(?P<logger>[\w.$]+): (?P<message>.*)"),
)
_DPKG = re.compile(
    rf"(?P<time>{_DATED}) (?P<message>(?:startup|status|install|upgrade|configure|trigproc|remove|purge|disappear|conffile)\b.*)"
)
_CONTINUATION = re.compile(r"\s|Caused by: |Suppressed: |[a-z][\w$]*(?:\.[\w$]+)+(?:Exception|Error)(?:: |$)")
_ALIASES = {"WARNING": "WARN"}


class LogLine(NamedTuple):
    """A line as a log event.

    Attributes:
        event: The fields `severity` and `message`, and `service`, `logger` and `thread` if they are known.
        timestamp: The time of the line, or of the last line that had one, in ms since the epoch; None if there was none.
    """

    event: LogEvent
    timestamp: int | None


def log_events(lines: Iterable[str], *, service: str | None = None, zone: tzinfo | None = None) -> Iterator[LogLine]:
    """Return an event for each line, lazily.

    The lines of a stack trace get the severity of the line before them and the field `continued`, so that they are routed
    together with it. A line in an unknown format becomes the message of an event of severity UNKNOWN. The lines of dpkg,
    which have no severity, get INFO.

    Args:
        lines: The lines, without newlines.
        service: The value of the field `service` of all events; None leaves the field out.
        zone: The time zone of times without one, by default that of the system.
    """
    service_field = {} if service is None else {"service": service}
    severity, timestamp = UNKNOWN, None
    for line in lines:
        parsed = _parse(line, zone)
        if parsed is not None:
            fields, time = parsed
            severity, timestamp = fields["severity"], timestamp if time is None else time
        elif _CONTINUATION.match(line) and severity != UNKNOWN:
            fields = {"severity": severity, "message": line, "continued": True}
        else:
            severity = UNKNOWN
            fields = {"severity": UNKNOWN, "message": line}
        yield LogLine({**service_field, **fields}, timestamp)


def _parse(line: str, zone: tzinfo | None) -> tuple[LogEvent, int | None] | None:
    """Return the fields and the time (ms since the epoch) of a line, None if its format is unknown."""
    java = _JAVA.fullmatch(line)
    found = java or _DPKG.fullmatch(line)
    if found is None:
        return None
    try:
        time = None if found["time"] is None else _milliseconds(found["time"], zone)
    except (ValueError, OverflowError):
        return None
    if java is None:
        return {"severity": "INFO", "message": found["message"]}, time
    severity = _ALIASES.get(java["level"], java["level"])
    thread = java["thread"] or java["later_thread"]
    fields = {"severity": severity, **_message_and_logger(java["rest"]), **({"thread": thread} if thread else {})}
    return fields, time


def _message_and_logger(rest: str) -> dict[str, str]:
    """Return the message and, if the line names it, the logger."""
    found = next((match for message_format in _MESSAGE_FORMATS if (match := message_format.fullmatch(rest))), None)
    return {"message": rest} if found is None else {"message": found["message"], "logger": found["logger"]}


def _milliseconds(text: str, zone: tzinfo | None) -> int:
    """Return a time in ms since the epoch. Raises ValueError or OverflowError if there is no such date or time."""
    when = datetime.strptime(text, "%y/%m/%d %H:%M:%S") if "/" in text else datetime.fromisoformat(text.replace(",", "."))  # noqa: DTZ007 - the zone is set below
    return round((when if when.tzinfo else when.replace(tzinfo=zone) if zone else when.astimezone()).timestamp() * 1_000)
