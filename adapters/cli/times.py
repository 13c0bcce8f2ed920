"""Times and durations as users read and write them."""

import re
from datetime import UTC, date, datetime, timedelta

from eddyline.adapters.cli.errors import UsageError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DURATION = re.compile(r"P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?")


def utc_time(timestamp: int) -> str:
    """Return a timestamp (ms since the epoch) as UTC in ISO 8601, or as a number of ms if no calendar date exists for it."""
    try:
        return (_EPOCH + timedelta(milliseconds=timestamp)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except OverflowError:
        return f"{timestamp} ms"


def parse_time(text: str, option: str = "time") -> int:
    """Return a time as ms since the epoch; it is written in ISO 8601, UTC unless it has an offset, or as ms since the epoch.

    `option` is the option with the text, for errors.

    Raises:
        UsageError: the text is not a time.
    """
    if re.fullmatch(r"[0-9]{1,19}", text):
        return int(text)
    try:
        when = datetime.fromisoformat(text)
        return round((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError):
        raise UsageError(
            f"invalid {option} '{text}'; write it as 2026-03-01T12:00:00, 2026-03-01T12:00:00+01:00 or ms since the epoch"
        ) from None


def parse_day(text: str, option: str = "date") -> date:
    """Return a date written in ISO 8601; `option` as for `parse_time`.

    Raises:
        UsageError: the text is not a date.
    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"invalid {option} '{text}'; write it as YYYY-MM-DD, for example 2012-05-18") from None


def parse_duration(text: str, option: str = "duration") -> int:
    """Return an ISO 8601 duration of days, hours, minutes and seconds in ms; `option` as for `parse_time`.

    Raises:
        UsageError: the text is not a duration.
    """
    match = _DURATION.fullmatch(text)
    if match is None or not any(match.groups()):
        raise UsageError(f"invalid {option} '{text}'; write it as P1DT2H30M or PT90S")
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return round((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000)
