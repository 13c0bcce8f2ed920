"""Times and durations as people write them: `12 s`, `1.5 min`, `2024-01-10T12:00:00+01:00`."""

import re
from datetime import UTC, datetime, timedelta

_UNITS = {"ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
_DURATION = re.compile(rf"(-?\d+(?:\.\d+)?) ({'|'.join(_UNITS)})")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def milliseconds(text: str) -> int:
    """Return a duration (`250 ms`, `12 s`, `1.5 min`, `2 h`, `1 d`), or a time in ISO 8601 with its UTC offset, in ms.

    Times count from the epoch, so that as a time `12 s` is twelve seconds after it. A whole number is taken as milliseconds.

    Raises:
        ValueError: The text is neither.
    """
    duration = _DURATION.fullmatch(text)
    if duration:
        return round(float(duration[1]) * _UNITS[duration[2]])
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        msg = f"'{text}' is neither a duration such as '5 s' or '1.5 min' nor a time such as '2024-01-10T12:00:00Z'"
        raise ValueError(msg) from None
    if instant.tzinfo is None:
        msg = f"time '{text}' has no UTC offset; write '{text}Z' or '{text}+01:00'"
        raise ValueError(msg)
    return (instant - _EPOCH) // timedelta(milliseconds=1)


def time_text(ms: int) -> str:
    """Return a time as text that `milliseconds` reads: a duration in the first day after the epoch, else UTC in ISO 8601."""
    if 0 <= ms < _UNITS["d"]:
        return f"{ms} ms" if ms % _UNITS["s"] else f"{ms // _UNITS['s']} s"
    return (_EPOCH + timedelta(milliseconds=ms)).isoformat().replace("+00:00", "Z")
