"""Log events from the lines of programs' logs: every line is one event, also one that is not understood.

Understood are the forms that Java programs write (`TIME [THREAD] LEVEL LOGGER - MESSAGE`, `[TIME] LEVEL MESSAGE (LOGGER)`,
`TIME LEVEL LOGGER: MESSAGE`, a number of milliseconds in place of the time) and that of the package manager dpkg.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, tzinfo
from typing import NamedTuple

from eddyline.domain.operations import LogEvent

UNKNOWN = "UNKNOWN"
"""The severity of a line that is not understood."""

_DATED = r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,6})?(?:Z|[+-]\d\d:?\d\d)?"
_SHORT = r"\d\d/\d\d/\d\d \d\d:\d\d:\d\d"
_LEVELS = "TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL"
_LEVELLED = re.compile(
    rf"(?:\[?(?P<time>{_DATED}|{_SHORT})\]?|\d+)\s+(?:\[(?P<thread>[^\]]*)\]\s+)?(?P<level>{_LEVELS}):?\s+"
    r"(?:\[(?P<later_thread>[^\]]*)\]\s+)?(?P<rest>.*)"
)
_ORIGINS = (
    re.compile(r"(?P<logger>[\w.$]+) - (?P<message>.*)"),
    re.compile(r"(?P<message>.*) \((?P<logger>[\w$]+(?:\.[\w$]+)+)\)"),
    re.compile(r"(?P<logger>[\w.$]+): (?P<message>.*)"),
)
_PACKAGES = re.compile(
    rf"(?P<time>{_DATED}) (?P<message>(?:startup|status|install|upgrade|configure|trigproc|remove|purge|disappear|conffile)\b.*)"
)
_CONTINUED = re.compile(r"\s|Caused by: |Suppressed: |[a-z][\w$]*(?:\.[\w$]+)+(?:Exception|Error)(?:: |$)")
_SAME = {"WARNING": "WARN"}


class LogLine(NamedTuple):
    """A line as an event; `timestamp` is its time, or that of the line that it belongs to, in ms since the epoch."""

    event: LogEvent
    timestamp: int | None


def log_events(lines: Iterable[str], *, service: str | None = None, zone: tzinfo | None = None) -> Iterator[LogLine]:
    """An event a line, as soon as the line comes: `severity`, `message`, and `service`, `logger` and `thread` where known.

    The lines of a stack trace have the severity of the line before them and `continued`, so that they go where that goes. What is
    not understood is the message of an event of UNKNOWN severity. dpkg knows no severity: its lines are INFO. Times without a
    zone are of `zone`, or of this machine's.
    """
    named = {} if service is None else {"service": service}
    severity, timestamp = UNKNOWN, None
    for line in lines:
        understood = _understood(line, zone)
        if understood is not None:
            fields, time = understood
            severity, timestamp = fields["severity"], timestamp if time is None else time
        elif _CONTINUED.match(line) and severity != UNKNOWN:
            fields = {"severity": severity, "message": line, "continued": True}
        else:
            severity = UNKNOWN
            fields = {"severity": UNKNOWN, "message": line}
        yield LogLine({**named, **fields}, timestamp)


def _understood(line: str, zone: tzinfo | None) -> tuple[LogEvent, int | None] | None:
    """The fields and the time (ms since the epoch) of a line in a known form."""
    levelled = _LEVELLED.fullmatch(line)
    found = levelled or _PACKAGES.fullmatch(line)
    if found is None:
        return None
    try:
        time = None if found["time"] is None else _milliseconds(found["time"], zone)
    except ValueError:
        return None
    if levelled is None:
        return {"severity": "INFO", "message": found["message"]}, time
    severity = _SAME.get(levelled["level"], levelled["level"])
    thread = levelled["thread"] or levelled["later_thread"]
    fields = {"severity": severity, **_origin(levelled["rest"]), **({"thread": thread} if thread else {})}
    return fields, time


def _origin(rest: str) -> dict[str, str]:
    """The message and, where it is named, the logger that it came from."""
    found = next((match for form in _ORIGINS if (match := form.fullmatch(rest))), None)
    return {"message": rest} if found is None else {"message": found["message"], "logger": found["logger"]}


def _milliseconds(text: str, zone: tzinfo | None) -> int:
    """Raises ValueError for a time that no calendar has."""
    when = datetime.strptime(text, "%y/%m/%d %H:%M:%S") if "/" in text else datetime.fromisoformat(text.replace(",", "."))  # noqa: DTZ007 - its zone follows
    return round((when if when.tzinfo else when.replace(tzinfo=zone) if zone else when.astimezone()).timestamp() * 1_000)
