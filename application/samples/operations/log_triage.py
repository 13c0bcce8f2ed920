"""The flow log-triage: log events of high severity, separated from the others."""

from collections.abc import Sequence

from eddyline import TopologyBuilder
from eddyline.domain.operations import LogEvent, Triage


def log_triage(builder: TopologyBuilder, *, high: Sequence[str] = ("ERROR",), audit: bool = False) -> None:
    """Separate log events of the severities `high` from all others.

    Input: `logs`. Output: `logs-high`, `logs-low`, and with `audit` all events in `logs-all`.
    """
    triage = Triage(frozenset(high))

    def is_high(_key: str, event: LogEvent | None) -> bool:
        return triage.is_high(event)

    logs = builder.stream("logs", key=str, value=dict)
    if audit:
        logs.to("logs-all")
    branches = logs.split(name="severity").branch(is_high, name="high").default_branch(name="low")
    branches["high"].to("logs-high")
    branches["low"].to("logs-low")
