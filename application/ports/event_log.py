"""Where events come from: topics of partitions of records with offsets, read as raw bytes."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

Headers: TypeAlias = tuple[tuple[str, bytes | None], ...]
"""A record's headers in order; a name may occur more than once."""


class TopicPartition(NamedTuple):
    """One partition of a topic."""

    topic: str
    partition: int


class Position(NamedTuple):
    """The offset of a record, or the next offset to read, in one partition of a topic."""

    topic: str
    partition: int
    offset: int


class LogRecord(NamedTuple):
    """One record as the log keeps it.

    `timestamp` is in milliseconds since the epoch. `key` and `value` are None where the record has none (a None value is a
    tombstone). `arrival` is the record's number in one sequence over all topics, where the log keeps such a sequence.
    `error` is None for a sound record. Where it is a text, the log holds something here that it cannot read as a record:
    `value` is then the raw bytes it found, `key` is None, `timestamp` is -1, and `error` says in one line what is wrong. Such a
    record belongs in the dead letters; it must not be decoded.
    """

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: Headers = ()
    arrival: int | None = None
    error: str | None = None


class UnknownTopicError(LookupError):
    """The log has no such topic; the message names the topic, those that exist and the cure."""


class OffsetOutOfRangeError(LookupError):
    """The asked offset is no longer, or not yet, in the log; the message names topic, partition, offset and the range."""


class EventLog(ABC):
    """Topics of numbered partitions, each a sequence of records with rising offsets.

    Instances are picklable before their first use, so that a reader can be sent to where it reads.
    """

    @abstractmethod
    def topics(self) -> Sequence[str]:
        """The names of all topics, sorted."""

    @abstractmethod
    def partitions(self, topic: str) -> int:
        """How many partitions the topic has now. Raises UnknownTopicError."""

    @abstractmethod
    def beginning_offset(self, topic: str, partition: int) -> int:
        """The lowest offset that can still be read."""

    @abstractmethod
    def end_offset(self, topic: str, partition: int) -> int:
        """The offset after the last record that can be read now."""

    @abstractmethod
    def read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        """The records with `start <= offset < end`, in order, in batches.

        Offsets may have gaps. Raises OffsetOutOfRangeError when `start` is below the beginning or `end` above the end.
        """

    def commit_offsets(self, application_id: str, offsets: Mapping[TopicPartition, int]) -> None:
        """Told how far an application has come: the next offset that it reads, by topic and partition.

        A log that others watch shows it to them; an application never goes by it. Raises nothing: who cannot show it, warns.
        """
        del application_id, offsets

    def close(self) -> None:
        """Lets go of what the log holds open; it may be used again afterwards."""
