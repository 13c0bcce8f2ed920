"""What a log no longer has, and where a replay of a long log begins."""

from collections.abc import Iterator

from eddyline.application.lineage.limits import UnknownSubjectError
from eddyline.application.ports.event_log import (
    EventLog,
    LogRecord,
    OffsetOutOfRangeError,
    Position,
    TopicPartition,
    UnknownTopicError,
)
from eddyline.application.runtime.input.offsets import Offsets, partitions_of, records_between


def record_at(log: EventLog, position: Position) -> LogRecord:
    """Return the record at a position. Raises UnknownSubjectError if the log does not have it."""
    topic, partition, offset = position
    try:
        found = next((record for batch in log.read(topic, partition, offset, offset + 1) for record in batch), None)
    except UnknownTopicError as error:
        if topic in log.topics():
            raise UnknownSubjectError(str(error)) from None
        raise UnknownSubjectError(f"there is no record {topic} {partition}:{offset}: the topic does not exist yet") from None
    except OffsetOutOfRangeError:
        found = None
    if found is not None:
        return found
    first, end = log.bounds(topic, partition)
    if first == end:
        there = "is empty"
    elif offset < first:
        there = f"begins at offset {first}: what was before is gone"
    elif offset >= end:
        there = f"ends at offset {end}, which is not written yet"
    else:
        there = f"has no record at this offset, although it has offsets {first} to {end - 1} (removed by compaction, or a marker)"
    raise UnknownSubjectError(f"there is no record {topic} {partition}:{offset}: the partition {there}")


def lost_offsets(begin: Offsets) -> Iterator[str]:
    """Yield a sentence for each partition whose first records are gone."""
    for topic, number in partitions_of(begin):
        first = begin[topic][number]
        if first:
            lost = "Offset 0" if first == 1 else f"Offsets 0 to {first - 1:,}"
            yield f"{lost} of topic '{topic}', partition {number}, {'is' if first == 1 else 'are'} gone (retention)."


def bounded_range(log: EventLog, begin: Offsets, end: Offsets, timestamp: int | None, limit: int) -> tuple[Offsets, Offsets]:
    """Return where to begin and to end so that about `limit` records are replayed.

    Most of them are before `timestamp` (ms since the epoch). A log that is not longer is replayed as a whole.
    """
    if records_between(begin, end) <= limit:
        return begin, end
    until = end if timestamp is None else _until(log, begin, end, timestamp)
    start = _shared(until, begin, limit * 9 // 10)
    return start, _shared(until, end, limit - records_between(start, until))


def _until(log: EventLog, begin: Offsets, end: Offsets, timestamp: int) -> Offsets:
    return {
        topic: [
            _after(log, TopicPartition(topic, number), begin[topic][number], last, timestamp) for number, last in enumerate(ends)
        ]
        for topic, ends in end.items()
    }


def _shared(origin: Offsets, bound: Offsets, limit: int) -> Offsets:
    """Return offsets that are about `limit` records from an origin, towards a bound, in proportion to the partitions."""
    total = abs(records_between(origin, bound))
    if total <= limit:
        return bound
    return {
        topic: [first + int((bound[topic][number] - first) * limit / total) for number, first in enumerate(numbers)]
        for topic, numbers in origin.items()
    }


def _after(log: EventLog, partition: TopicPartition, first: int, end: int, timestamp: int) -> int:
    """Return the offset after the last record up to a time, if the records are in the order of time; else about there."""
    while first < end:
        middle = (first + end) // 2
        record = next((record for batch in log.read(*partition, middle, end) for record in batch), None)
        if record is None or record.timestamp > timestamp:
            end = middle
        else:
            first = record.offset + 1
    return first
