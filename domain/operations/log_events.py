"""Log events and their triage by severity; an event is an object of any form."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from eddyline.domain.value import value

LogEvent: TypeAlias = dict[str, Any]
"""A log event as its sender wrote it; only `severity` is read."""


@value
class Triage:
    """The triage of log events: those of the severities `high` are separated from all others."""

    high: frozenset[str] = frozenset({"ERROR"})

    def is_high(self, event: LogEvent | None) -> bool:
        """Decide whether the severity of the event is a high one; it has to match exactly: `error` is not `ERROR`."""
        return severity_of(event) in self.high


def severity_of(event: LogEvent | None) -> str | None:
    """Return the severity of the event, None if it has none or one that is not a string."""
    severity = event.get("severity") if isinstance(event, Mapping) else None
    return severity if isinstance(severity, str) else None
