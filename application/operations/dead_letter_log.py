"""Reads the dead letters of an application."""

from collections.abc import Iterator
from typing import NamedTuple

from eddyline.application.ports.event_log import EventLog, LogRecord, OffsetOutOfRangeError
from eddyline.application.runtime.plan.dead_letters import Reason, dead_letter_topic, reason_in


class NoSuchLetterError(LookupError):
    """A position without a dead letter; the message names the valid positions."""


class LetterPosition(NamedTuple):
    """The position of a dead letter in the dead letter topic; written `PARTITION:OFFSET`."""

    partition: int
    offset: int

    def __str__(self) -> str:
        return f"{self.partition}:{self.offset}"


class DeadLetter(NamedTuple):
    """A dead letter.

    Attributes:
        position: Its position in the dead letter topic.
        record: The record of the dead letter topic, with the headers that describe the reason.
        reason: Why the record could not be processed, and which topic, partition and offset it came from.
    """

    position: LetterPosition
    record: LogRecord
    reason: Reason


def parse_letter_position(text: str) -> LetterPosition:
    """Parse a position in the form `PARTITION:OFFSET`. Raises ValueError for any other text."""
    partition, _, offset = text.partition(":")
    if not all(part.isascii() and part.isdigit() for part in (partition, offset)):
        raise ValueError(f"'{text}' is not the position of a dead letter; write PARTITION:OFFSET, for example 0:7")
    return LetterPosition(int(partition), int(offset))


class DeadLetterLog:
    """The dead letters of an application in an event log.

    Attributes:
        topic: The dead letter topic of the application.
    """

    def __init__(self, log: EventLog, application_id: str) -> None:
        self.topic = dead_letter_topic(application_id)
        self._log = log

    def __iter__(self) -> Iterator[DeadLetter]:
        """Return all dead letters, partition by partition and in order; none if the topic does not exist."""
        if self.topic not in self._log.topics():
            return
        for partition in range(self._log.partitions(self.topic)):
            yield from self.between(partition, *self._log.bounds(self.topic, partition))

    def between(self, partition: int, start: int, end: int) -> Iterator[DeadLetter]:
        """Return the dead letters of a partition with `start <= offset < end`, in order."""
        for batch in self._log.read(self.topic, partition, start, end):
            for record in batch:
                yield _letter(record)

    def at(self, position: LetterPosition) -> DeadLetter:
        """Return the dead letter at a position. Raises NoSuchLetterError if there is none."""
        topic, (partition, offset) = self.topic, position
        if topic not in self._log.topics():
            raise NoSuchLetterError(f"there is no dead letter {position}: topic '{topic}' does not exist")
        partitions = self._log.partitions(topic)
        if partition >= partitions:
            raise NoSuchLetterError(f"there is no dead letter {position}: topic '{topic}' has partitions 0 to {partitions - 1}")
        try:
            for batch in self._log.read(topic, partition, offset, offset + 1):
                for record in batch:
                    return _letter(record)
        except OffsetOutOfRangeError:
            pass
        start, end = self._log.bounds(topic, partition)
        valid = f"has offsets {start} to {end - 1}" if start < end else "is empty"
        raise NoSuchLetterError(f"there is no dead letter {position}: partition {partition} of topic '{topic}' {valid}")


def _letter(record: LogRecord) -> DeadLetter:
    return DeadLetter(LetterPosition(record.partition, record.offset), record, reason_in(record.headers))
