"""The event log: partitioned topics of records, read as raw bytes by offset."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

Headers: TypeAlias = tuple[tuple[str, bytes | None], ...]
"""A record's headers in order; a name may occur more than once."""


class TopicPartition(NamedTuple):
    """One partition of a topic.

    Attributes:
        topic: The topic.
        partition: The number of the partition, from 0.
    """

    topic: str
    partition: int


class Position(NamedTuple):
    """The offset of a record, or the next offset to read, in one partition of a topic."""

    topic: str
    partition: int
    offset: int


class LogRecord(NamedTuple):
    """One record, as raw bytes.

    Attributes:
        topic: The topic that holds the record.
        partition: The partition of the topic, from 0.
        offset: The record's offset in the partition.
        timestamp: Milliseconds since the epoch; -1 if `error` is set.
        key: The key, None for a record without a key.
        value: The value, None for a tombstone.
        headers: The headers in order.
        arrival: The record's number in one sequence across all topics; None if the log keeps no such sequence.
        error: None for a valid record. Otherwise a one-line description of why the log could not parse what is stored at
            this offset: `value` then holds the raw bytes and `key` is None. Such a record must not be decoded; it belongs in
            the dead letter topic.
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


log_record: Callable[[Iterable[Any]], LogRecord] = partial(tuple.__new__, LogRecord)
"""Creates a LogRecord from its fields in half the time of the class itself."""


class LogIdentity(NamedTuple):
    """What positions belong to: a log, and the topics in it.

    Attributes:
        kind: The kind of the log, such as `kafka`.
        cluster: The id of the cluster or the log; empty if there is none.
        topics: An id by topic, which changes if the topic is deleted and created again, or if its offsets start again for
            another reason; empty if the log does not know it.
    """

    kind: str
    cluster: str
    topics: Mapping[str, str]


class UnknownTopicError(LookupError):
    """A topic or a partition that does not exist; the message lists the existing ones and how to create a topic."""


class OffsetOutOfRangeError(LookupError):
    """An offset that the log no longer has, or does not have yet; the message names topic, partition and the valid range."""


class EventLog(ABC):
    """Read access to topics. A topic has numbered partitions, each of them a sequence of records with increasing offsets.

    - **Order**: records of one partition are returned by increasing offset. There is no order across partitions.
    - **Offsets** may have gaps, for example after compaction. A record keeps its offset for as long as the log has it.
    - **Visibility**: a record is visible once it is committed. No part of a batch that could still be rolled back is visible.
    - **Growth**: `end_offset` and `partitions` report the present state at every call; another process may be writing.

    Every method that takes a topic raises UnknownTopicError if the topic does not exist or does not have the partition. Adapters
    for remote systems also raise errors of their own, for example if the system does not respond.

    Instances can be pickled before their first use, so that a reader can be sent to the process in which it reads.
    """

    @abstractmethod
    def topics(self) -> Sequence[str]:
        """Return the names of all topics, sorted."""

    @abstractmethod
    def partitions(self, topic: str) -> int:
        """Return the current number of partitions of a topic."""

    @abstractmethod
    def beginning_offset(self, topic: str, partition: int) -> int:
        """Return the lowest offset that can still be read; equal to the end offset if the partition is empty."""

    @abstractmethod
    def end_offset(self, topic: str, partition: int) -> int:
        """Return the offset after the last visible record."""

    def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        """Return the beginning and the end offset; adapters for which that is cheaper than two calls override it."""
        return self.beginning_offset(topic, partition), self.end_offset(topic, partition)

    def topic_bounds(self, topics: Iterable[str]) -> dict[str, list[tuple[int, int]]]:
        """Return the bounds of all partitions of the topics; adapters that can ask for many at once override it."""
        return {topic: [self.bounds(topic, number) for number in range(self.partitions(topic))] for topic in topics}

    @abstractmethod
    def identity(self, topics: Iterable[str]) -> LogIdentity:
        """Return the present identity of the log with these topics; a position is valid only as long as it stays the same."""

    @abstractmethod
    def read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        """Read the records with `start <= offset < end`, in batches and in order.

        The range is checked by the call itself, before the first batch is requested.

        Args:
            topic: The topic to read.
            partition: The partition of the topic.
            start: The first offset, inclusive; at most `end`.
            end: The last offset, exclusive; at most the end offset.

        Returns:
            Batches of a size that the adapter chooses; none if the range holds no records.

        Raises:
            OffsetOutOfRangeError: `start` is below the beginning offset, `end` is above the end offset, or records were
                deleted while they were being read.
        """

    def commit_offsets(self, application_id: str, offsets: Mapping[TopicPartition, int]) -> None:
        """Publish the progress of an application for monitoring, such as consumer lag tools; by default, do nothing.

        An application never resumes from these offsets. A failure is logged as a warning and not raised.

        Args:
            application_id: The application, in Kafka the consumer group.
            offsets: The next offset to read, by topic and partition.
        """
        del application_id, offsets

    def close(self) -> None:
        """Release connections and other resources; the instance can be used again afterwards."""
