"""Log events, told apart by severity; an event is an object of any form and passes as it is."""

from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

LogEvent: TypeAlias = dict[str, Any]
"""An event as its sender wrote it; `severity` is the one field that is read."""

HIGH_SEVERITIES = ("ERROR",)
"""The severities that are high unless others are named."""


def severity(event: LogEvent | None) -> str | None:
    """The severity that the event names; None when it names none, or one that is not text."""
    named = event.get("severity") if isinstance(event, Mapping) else None
    return named if isinstance(named, str) else None


def is_high(event: LogEvent | None, high: Collection[str] = HIGH_SEVERITIES) -> bool:
    """Whether the severity is one of `high`, letter by letter: `error` is not `ERROR`."""
    return severity(event) in high
