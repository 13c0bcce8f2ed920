"""Timestamp extractors: where event time comes from, if not from the log."""

from collections.abc import Callable
from typing import Final, NoReturn, TypeAlias

from eddyline.application.topology.records import SourceRecord

TimestampExtractor: TypeAlias = Callable[[SourceRecord], int | None]
"""Returns the event time of a record in ms since the epoch; records for which it is None or negative are dropped."""


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
