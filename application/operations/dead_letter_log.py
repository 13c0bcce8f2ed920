"""Reads the dead letters of an application: which there are, and each by its place."""

from collections.abc import Iterator
from typing import NamedTuple

from eddyline.application.ports.event_log import EventLog, LogRecord, OffsetOutOfRangeError
from eddyline.application.runtime.dead_letters import Reason, dead_letter_topic, reason_in


class NoSuchLetterError(LookupError):
    """There is no dead letter at this place; the message names the places that there are."""


class LetterPosition(NamedTuple):
    """Where a dead letter lies in its own topic; as text `PARTITION:OFFSET`."""

    partition: int
    offset: int

    def __str__(self) -> str:
        return f"{self.partition}:{self.offset}"


class DeadLetter(NamedTuple):
    """A dead letter: its place, the record with all its headers, and why it is here."""

    place: LetterPosition
    record: LogRecord
    reason: Reason


def parse_place(text: str) -> LetterPosition:
    """The place in `PARTITION:OFFSET`. Raises ValueError."""
    partition, _, offset = text.partition(":")
    if not all(part.isascii() and part.isdigit() for part in (partition, offset)):
        raise ValueError(f"'{text}' is no place of a dead letter; it is written PARTITION:OFFSET, as in 0:7")
    return LetterPosition(int(partition), int(offset))


class DeadLetterLog:
    """The dead letters in `log` that an application wrote."""

    def __init__(self, log: EventLog, application_id: str) -> None:
        self.topic = dead_letter_topic(application_id)
        self._log = log

    def __iter__(self) -> Iterator[DeadLetter]:
        """All letters, partition by partition in order; none where nothing was ever buried."""
        if self.topic not in self._log.topics():
            return
        for partition in range(self._log.partitions(self.topic)):
            start, end = self._log.beginning_offset(self.topic, partition), self._log.end_offset(self.topic, partition)
            for batch in self._log.read(self.topic, partition, start, end):
                for record in batch:
                    yield _letter(record)

    def at(self, place: LetterPosition) -> DeadLetter:
        """The letter at the place. Raises NoSuchLetterError."""
        if self.topic not in self._log.topics():
            raise NoSuchLetterError(
                f"there is no dead letter {place}: topic '{self.topic}' does not exist, so there is none at all"
            )
        partitions = self._log.partitions(self.topic)
        if place.partition >= partitions:
            raise NoSuchLetterError(f"there is no dead letter {place}: topic '{self.topic}' has partitions 0 to {partitions - 1}")
        try:
            for batch in self._log.read(self.topic, place.partition, place.offset, place.offset + 1):
                for record in batch:
                    return _letter(record)
        except OffsetOutOfRangeError:
            pass
        start, end = (ask(self.topic, place.partition) for ask in (self._log.beginning_offset, self._log.end_offset))
        there = f"has offsets {start} to {end - 1}" if start < end else "is empty"
        raise NoSuchLetterError(f"there is no dead letter {place}: partition {place.partition} of topic '{self.topic}' {there}")


def _letter(record: LogRecord) -> DeadLetter:
    return DeadLetter(LetterPosition(record.partition, record.offset), record, reason_in(record.headers))
