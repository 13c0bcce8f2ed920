"""Counts of events in windows of every kind, suppressed or emitted on window close."""

from typing import Literal, TypedDict

from eddyline.application.topology import (
    TopologyBuilder,
    hopping,
    on_window_close,
    session,
    sliding,
    tumbling,
    until_time_limit,
    until_window_closes,
)
from eddyline.application.topology.handles import GroupedStream
from eddyline.application.topology.windows import EmitStrategy, EnumerableWindows, SlidingWindows

_SIZE_MS = 10_000
_ADVANCE_MS = 5_000
_GAP_MS = 5_000
_DIFFERENCE_MS = 1_000


class _Options(TypedDict):
    retention_ms: int | None
    emit_strategy: EmitStrategy


def _events(builder: TopologyBuilder) -> GroupedStream[str, object]:
    return builder.stream("events", key=str, value=object).group_by_key()


def session_counts(builder: TopologyBuilder, *, gap_ms: int = _GAP_MS, grace_ms: int = 0) -> None:
    """Count the events of topic `events` in session windows into topic `session-counts`."""
    counts = _events(builder).windowed_by(session(gap_ms, grace=grace_ms)).count(store="session-counts-store")
    counts.to_stream().to("session-counts")


def sliding_counts(builder: TopologyBuilder, *, time_difference_ms: int = _DIFFERENCE_MS, grace_ms: int = 0) -> None:
    """Count the events of topic `events` in sliding windows into topic `sliding-counts`."""
    counts = _events(builder).windowed_by(sliding(time_difference_ms, grace=grace_ms)).count(store="sliding-counts-store")
    counts.to_stream().to("sliding-counts")


def suppressed_counts(
    builder: TopologyBuilder,
    *,
    window: Literal["tumbling", "session", "none"] = "tumbling",
    until: Literal["window-closes", "time-limit"] = "window-closes",
    size_ms: int = _SIZE_MS,
    gap_ms: int = _GAP_MS,
    grace_ms: int = 0,
    limit_ms: int = 10_000,
    max_records: int | None = None,
) -> None:
    """Count the events of topic `events`, suppressed until windows close or for a time limit, into topic `suppressed-counts`."""
    limit = until_time_limit(limit_ms, max_records=max_records)
    if window == "none":
        _events(builder).count(store="counts-store").suppress(limit).to_stream().to("suppressed-counts")
        return
    counts = (
        _events(builder).windowed_by(session(gap_ms, grace=grace_ms)).count(store="counts-store")
        if window == "session"
        else _events(builder).windowed_by(tumbling(size_ms, grace=grace_ms)).count(store="counts-store")
    )
    suppressed = counts.suppress(limit) if until == "time-limit" else counts.suppress(until_window_closes())
    suppressed.to_stream().to("suppressed-counts")


def closed_counts(  # noqa: PLR0913 - its parameters are the options of the cases
    builder: TopologyBuilder,
    *,
    window: Literal["tumbling", "hopping", "sliding", "session"] = "tumbling",
    size_ms: int = _SIZE_MS,
    advance_ms: int = _ADVANCE_MS,
    gap_ms: int = _GAP_MS,
    time_difference_ms: int = _DIFFERENCE_MS,
    grace_ms: int = 0,
    retention_ms: int | None = None,
    emit_interval_ms: int = 0,
) -> None:
    """Count the events of topic `events` in windows into topic `closed-counts`, emitted once when each window closes."""
    options: _Options = {"retention_ms": retention_ms, "emit_strategy": on_window_close(emit_interval=emit_interval_ms)}
    events = _events(builder)
    if window == "session":
        counts = events.windowed_by(session(gap_ms, grace=grace_ms), **options).count(store="counts-store")
    else:
        windows: EnumerableWindows | SlidingWindows
        if window == "tumbling":
            windows = tumbling(size_ms, grace=grace_ms)
        elif window == "hopping":
            windows = hopping(size_ms, advance=advance_ms, grace=grace_ms)
        else:
            windows = sliding(time_difference_ms, grace=grace_ms)
        counts = events.windowed_by(windows, **options).count(store="counts-store")
    counts.to_stream().to("closed-counts")
