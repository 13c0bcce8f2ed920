"""How fresh the state is: the least progress of the tasks of a store, compared with the ends of the source topics."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import zip_longest
from threading import Lock
from typing import Final

from eddyline.application.ports.event_log import EventLog, UnknownTopicError
from eddyline.application.ports.read_model import StateProgress
from eddyline.application.queries.answers import Freshness
from eddyline.application.runtime.offsets import records_between

_ENDS_KEPT_S: Final = 1.0


class SourceEnds:
    """The end offsets of source topics, read at most once a second; `now` is a monotonic clock in seconds."""

    def __init__(self, log: EventLog, now: Callable[[], float] = time.monotonic) -> None:
        self._log, self._now = log, now
        self._lock = Lock()
        self._bounds: dict[str, tuple[float, list[tuple[int, int]]]] = {}

    def lag(self, offsets: Mapping[str, Sequence[int]]) -> int:
        """Return the number of records after these offsets; an offset before the beginning counts as the beginning."""
        ends: dict[str, list[int]] = {}
        starts: dict[str, list[int]] = {}
        for topic, numbers in offsets.items():
            bounds = self.bounds(topic)
            ends[topic] = [end for _, end in bounds]
            pairs = list(zip_longest(numbers, bounds, fillvalue=None))[: len(bounds)]
            starts[topic] = [min(max(number or 0, begin), end) for number, (begin, end) in pairs]  # type: ignore[misc]
        return records_between(starts, ends)

    def bounds(self, topic: str) -> Sequence[tuple[int, int]]:
        """Return the beginning and end offsets of the partitions of a topic, none if it does not exist."""
        with self._lock:
            read_at, bounds = self._bounds.get(topic, (float("-inf"), []))
            if self._now() - read_at >= _ENDS_KEPT_S:
                try:
                    bounds = [self._log.bounds(topic, number) for number in range(self._log.partitions(topic))]
                except UnknownTopicError:
                    bounds = []
                self._bounds[topic] = (self._now(), bounds)
            return bounds


def freshness_of(
    progress: Mapping[int, StateProgress],
    partitions: Collection[int],
    sources: Iterable[str],
    ends: SourceEnds,
    *,
    restoring: bool,
) -> Freshness:
    """Return how fresh a store is.

    Args:
        progress: The progress of each partition of the store.
        partitions: The partitions that count; one without progress includes nothing.
        sources: The source topics, if no progress names them.
        ends: The ends of the source topics.
        restoring: Whether the state is being read from the changelog.
    """
    known = [progress[number] for number in partitions if number in progress]
    complete = bool(known) and len(known) == len(partitions)
    topics = dict.fromkeys(topic for found in known for topic in found.offsets)
    offsets = {
        topic: [min(numbers) for numbers in zip_longest(*(found.offsets.get(topic, ()) for found in known), fillvalue=0)]
        for topic in topics
    }
    if not complete:
        offsets = {topic: [0] * len(ends.bounds(topic)) for topic in topics or sources}
    times = [found.stream_time_ms for found in known if found.stream_time_ms is not None]
    return Freshness(
        batch=min(found.batch for found in known) if complete else None,
        batch_time=min(found.time_ms for found in known) if complete else None,
        stream_time=max(times, default=None),
        offsets=offsets,
        lag=ends.lag(offsets),
        restoring=restoring,
    )
