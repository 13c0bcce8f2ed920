"""Points in time as people read them."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def utc_time(timestamp: int) -> str:
    """The time of UTC in ISO 8601, to the millisecond, of ms since the epoch. Raises OverflowError where no calendar has it."""
    return (_EPOCH + timedelta(milliseconds=timestamp)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
