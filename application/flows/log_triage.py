"""Sorts log events by severity."""

from collections.abc import Sequence

from eddyline.application.topology import TopologyBuilder
from eddyline.domain.logs import LogEvent, is_high


def log_triage(builder: TopologyBuilder, *, high: Sequence[str] = ("ERROR",), audit: bool = False) -> None:
    """Events in; those whose severity is in `high` go to one topic, all others to another; with `audit` all to a third first."""
    wanted = frozenset(high)

    def is_wanted(_key: str, event: LogEvent | None) -> bool:
        return is_high(event, wanted)

    logs = builder.stream("logs", key=str, value=dict)
    if audit:
        logs.to("logs-all")
    branches = logs.split(name="severity").branch(is_wanted, name="high").default_branch(name="low")
    branches["high"].to("logs-high")
    branches["low"].to("logs-low")
