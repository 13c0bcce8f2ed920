"""Counts how many notifications each user gets in a span of time."""

from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.windows import hopping, until_window_closes
from eddyline.domain.notifications import Notification


def notification_metrics(
    builder: TopologyBuilder,
    *,
    size_ms: int = 600_000,
    advance_ms: int = 60_000,
    grace_ms: int = 0,
    suppress: bool = False,
) -> None:
    """Notifications in, keyed by user; their number in every window out, at each change, or with `suppress` once it is final."""
    counts = (
        builder.stream("notifications", key=str, value=Notification)
        .group_by_key()
        .windowed_by(hopping(size_ms, advance=advance_ms, grace=grace_ms))
        .count(store="notification-counts")
    )
    if suppress:
        counts = counts.suppress(until_window_closes())
    counts.to_stream().to("notification-metrics")
