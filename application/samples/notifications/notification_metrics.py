"""The flow notification-metrics: the number of notifications per user and hopping window."""

from eddyline import TopologyBuilder, hopping, until_window_closes
from eddyline.domain.notifications import Notification


def notification_metrics(
    builder: TopologyBuilder,
    *,
    size_ms: int = 600_000,
    advance_ms: int = 60_000,
    grace_ms: int = 0,
    suppress: bool = False,
) -> None:
    """Count the notifications per user and hopping window.

    Input: `notifications`, keyed by user. Output: `notification-metrics`, the count of each window of `size_ms` that starts every
    `advance_ms`, at every update, or with `suppress` only the final one. Late notifications count for `grace_ms` after the end
    of their windows.
    """
    counts = (
        builder.stream("notifications", key=str, value=Notification)
        .group_by_key()
        .windowed_by(hopping(size_ms, advance=advance_ms, grace=grace_ms))
        .count(store="notification-counts")
    )
    if suppress:
        counts = counts.suppress(until_window_closes())
    counts.to_stream().to("notification-metrics")
