"""Where event time comes from, besides the log: extractors for `timestamp=`."""

from typing import NoReturn

from eddyline.application.topology.records import SourceRecord


def wall_clock_time(record: SourceRecord) -> NoReturn:
    """Gives each record the wall-clock time at which its task takes it; the task knows the clock, so it is never called itself.

    Say it as `builder.stream(topic, key=…, value=…, timestamp=wall_clock_time)`.
    """
    msg = f"the wall clock is the task's: the record at offset {record.offset} of '{record.topic}' cannot tell it"
    raise LookupError(msg)
