"""Many piped records at once, for an engine with one task that sends nothing to itself."""

from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from eddyline.application.runtime.input.record_queue import NO_ARRIVAL, IncomingRecord, incoming_record

_SIZE: Final = 1_000
_topic: Callable[[tuple[str, Any, Any, int]], str] = itemgetter(0)


def chunks_of(
    records: Sequence[tuple[str, Any, Any, int]],
    offsets: Counter[tuple[str, int]],
    topics: Container[str],
    add_topic: Callable[[str], None],
) -> Iterator[list[IncomingRecord]]:
    """Yield piped records of partition 0 in lists of one topic and of at most 1,000.

    Args:
        records: Topic, key, value and timestamp of each record.
        offsets: The next offset by topic and partition, which is advanced.
        topics: The topics that are known.
        add_topic: Called with a topic that is not known, after all records before it were yielded.
    """
    for first in range(0, len(records), _SIZE):
        for topic, same in groupby(records[first : first + _SIZE], key=_topic):
            if topic not in topics:
                add_topic(topic)
            start = offsets[topic, 0]
            chunk = [
                incoming_record((topic, 0, offset, timestamp, key, value, (), NO_ARRIVAL))
                for offset, (_, key, value, timestamp) in enumerate(same, start)
            ]
            offsets[topic, 0] = start + len(chunk)
            yield chunk
