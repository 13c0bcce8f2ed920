"""Timestamp extractors: where event time comes from, if not from the log."""

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NoReturn, TypeAlias

from eddyline.application.topology.records import SourceRecord

TimestampExtractor: TypeAlias = Callable[[SourceRecord], int | None]
"""Returns the event time of a record in ms since the epoch; records for which it is None or negative are dropped.

A float is rounded down, and a `datetime` with a time zone is converted.
"""


def wall_clock_time(record: SourceRecord) -> NoReturn:
    """Use the wall-clock time at which a record is processed as its timestamp.

    Pass it as `builder.stream(topic, key=…, value=…, timestamp=wall_clock_time)`. The task recognizes it and uses its own
    clock, so it is never called.

    Raises:
        LookupError: Always, since only a task has a clock.
    """
    msg = (
        f"wall_clock_time was called for offset {record.offset} of topic '{record.topic}', but only a task has a clock; "
        "pass it to the topology as timestamp=wall_clock_time"
    )
    raise LookupError(msg)


MAX_TIMESTAMP: Final = 1 << 62
"""The latest valid timestamp in ms since the epoch: any later, the end of a window might not be an integer of 64 bits."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)


def in_milliseconds(extractor: TimestampExtractor, topic: str) -> TimestampExtractor:
    """Return an extractor whose timestamps are integers.

    Raises:
        TypeError: When it is called, if the extractor returns no time, or one without a time zone.
    """

    def extracted(record: SourceRecord) -> int | None:
        found: Any = extractor(record)
        if type(found) is int or found is None:
            return found
        if isinstance(found, datetime) and found.tzinfo is not None:
            return (found - _EPOCH) // _MILLISECOND
        if isinstance(found, int | float) and not isinstance(found, bool) and math.isfinite(found):
            return math.floor(found)
        msg = (
            f"the timestamp extractor of topic '{topic}' returned {found!r}; return the ms since the epoch as an int, "
            "or a datetime with a time zone, or None to drop the record"
        )
        raise TypeError(msg)

    return extracted
