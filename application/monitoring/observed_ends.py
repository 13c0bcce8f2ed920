"""The ends of source partitions, their last records, and since when they have not advanced."""

from collections.abc import Callable
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

from eddyline.application.ports.clock import Clock
from eddyline.application.ports.event_log import EventLog, TopicPartition, UnknownTopicError

LastAdvanced: TypeAlias = Callable[[TopicPartition], int | None]
"""Returns the wall-clock time at which the end of a partition last advanced, in ms since the epoch, None if unknown."""

_TAIL: Final = 10
"""How many offsets before the end may hold the last record: markers of transactions take offsets, too."""


class ObservedEnd(NamedTuple):
    """The bounds of a partition in the log.

    Attributes:
        begin: The beginning offset.
        end: The end offset.
        last_timestamp: The timestamp of the last record in ms since the epoch, None if that is not known.
        since: The wall-clock time at which the end was found to have advanced, or was first observed, in ms since the epoch.
    """

    begin: int
    end: int
    last_timestamp: int | None
    since: int


class ObservedEnds:
    """Observes the ends of source partitions from call to call; `last_advanced` knows more, if there is one."""

    def __init__(self, log: EventLog, clock: Clock, last_advanced: LastAdvanced | None) -> None:
        self._log, self._clock, self._last_advanced = log, clock, last_advanced
        self._seen: dict[TopicPartition, ObservedEnd] = {}

    def partitions(self, topic: str) -> int:
        """Return the number of partitions of a topic, 0 if it does not exist."""
        try:
            return self._log.partitions(topic)
        except UnknownTopicError:
            return 0

    def observe(self, source: TopicPartition) -> ObservedEnd:
        """Return the present end of a partition. Raises UnknownTopicError."""
        begin, end = self._log.bounds(*source)
        seen = self._seen.get(source)
        if seen is None or seen.end != end:
            seen = ObservedEnd(begin, end, self._last_timestamp(source, begin, end), self._clock.now_ms())
            self._seen[source] = seen
        known = None if self._last_advanced is None else self._last_advanced(source)
        return seen._replace(begin=begin) if known is None else seen._replace(begin=begin, since=known)

    def _last_timestamp(self, source: TopicPartition, begin: int, end: int) -> int | None:
        records = chain.from_iterable(self._log.read(*source, max(begin, end - _TAIL), end))
        return next((record.timestamp for record in reversed(list(records)) if record.error is None), None)
