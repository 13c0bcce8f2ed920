"""Times in the sentences of answers."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def utc(timestamp: int) -> str:
    """Return a timestamp (ms since the epoch) as UTC in ISO 8601, or in ms if no calendar date exists for it."""
    try:
        return (_EPOCH + timedelta(milliseconds=timestamp)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except OverflowError:
        return f"{timestamp} ms"


def span(start: int, end: int) -> str:
    """Return a window from `start` to `end` (ms since the epoch)."""
    return f"[{utc(start)}, {utc(end)})"
