"""The flow log-triage: log events of high severity, separated from the others."""

from collections.abc import Mapping, Sequence
from typing import Any

from eddyline import Stream, TopologyBuilder
from eddyline.domain.operations import LogEvent, Triage


def log_triage(builder: TopologyBuilder, *, high: Sequence[str] = ("ERROR",), audit: bool = False, lenient: bool = False) -> None:
    """Separate log events of the severities `high` from all others.

    Input: `logs`. Output: `logs-high`, `logs-low`, and with `audit` all events in `logs-all`.

    With `lenient`, an event is an object of any form, which stays as it was written; one without a severity is not of high
    severity.
    """
    triage = Triage(frozenset(high))

    def is_high(_key: str, event: Any) -> bool:
        return _severity(event) in triage.high if lenient else triage.is_high(event)

    logs: Stream[str, Any] = builder.stream("logs", key=str, value=dict if lenient else LogEvent)
    if not lenient:
        logs = logs.filter(_is_event, drop_reason="null-value")
    if audit:
        logs.to("logs-all")
    branches = logs.split(name="severity").branch(is_high, name="high").default_branch(name="low")
    branches["high"].to("logs-high")
    branches["low"].to("logs-low")


def _is_event(_key: str, event: LogEvent | None) -> bool:
    return event is not None


def _severity(event: Mapping[str, Any] | None) -> str | None:
    severity = event.get("severity") if isinstance(event, Mapping) else None
    return severity if isinstance(severity, str) else None
