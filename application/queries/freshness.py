"""How fresh the state is: the least progress of the tasks of a store, compared with the ends of the source topics."""

import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import zip_longest
from threading import Event, Lock, Thread
from typing import Final, NamedTuple

from eddyline.application.ports.event_log import EventLog, UnknownTopicError
from eddyline.application.ports.read_model import StateProgress
from eddyline.application.queries.answers import Freshness
from eddyline.application.runtime.input.offsets import records_between

LOGGER: Final = logging.getLogger("eddyline.queries")

_KEPT_S: Final = 1.0
_STALE_S: Final = 3.0
_LONGEST_WAIT_S: Final = 1.0


class _Bounds(NamedTuple):
    read_at: float
    offsets: Sequence[tuple[int, int]]


class SourceEnds:
    """The end offsets of source topics, as they were about a second ago.

    A thread reads them again while queries go on with those that are known, since brokers may take long to answer, or do not
    answer. Only ends that nobody has asked for lately are waited for, a second at most.

    Args:
        log: The event log.
        now: A monotonic clock in seconds.
    """

    def __init__(self, log: EventLog, now: Callable[[], float] = time.monotonic) -> None:
        self._log, self._now = log, now
        self._lock = Lock()
        self._bounds: dict[str, _Bounds] = {}
        self._refreshed: Event | None = None
        self._failure = ""

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

    def known(self, topics: Iterable[str]) -> bool:
        """Return whether the ends of these topics are known, so that nothing waits for them."""
        oldest = self._now() - _STALE_S
        return all((found := self._bounds.get(topic)) is not None and found.read_at > oldest for topic in topics)

    def bounds(self, topic: str) -> Sequence[tuple[int, int]]:
        """Return the beginning and end offsets of the partitions of a topic, none if it does not exist."""
        known = self._bounds.get(topic)
        if known is None:
            known = self._bounds[topic] = self._read(topic)
        age = self._now() - known.read_at
        if age >= _KEPT_S:
            refreshed = self._refresh()
            if age >= _STALE_S:
                refreshed.wait(_LONGEST_WAIT_S)
        return self._bounds[topic].offsets

    def _refresh(self) -> Event:
        """Read all known ends again in a thread, unless one does so, and return the event of its end."""
        with self._lock:
            if self._refreshed is None:
                self._refreshed = Event()
                Thread(target=self._read_all, args=[self._refreshed], name="source-ends", daemon=True).start()
            return self._refreshed

    def _read_all(self, done: Event) -> None:
        try:
            self._bounds.update({topic: self._read(topic) for topic in tuple(self._bounds)})
            self._failure = ""
        except Exception as error:  # noqa: BLE001 - the lag is computed from the ends that are known
            if repr(error) != self._failure:
                LOGGER.warning("the lag of queries is out of date: %s", error)
            self._failure = repr(error)
        finally:
            with self._lock:
                self._refreshed = None
            done.set()

    def _read(self, topic: str) -> _Bounds:
        try:
            offsets = self._log.topic_bounds([topic])[topic]
        except UnknownTopicError:
            offsets = []
        return _Bounds(self._now(), offsets)


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
