"""Times as people read them in the messages about alerts."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def readable_time(at: int) -> str:
    """Return a time in ms since the epoch as in `2026-01-05 08:00:00 UTC`, or as a number of ms where no calendar has it."""
    try:
        return (_EPOCH + timedelta(milliseconds=at)).strftime("%Y-%m-%d %H:%M:%S UTC")
    except OverflowError:
        return f"{at} ms after 1970"
