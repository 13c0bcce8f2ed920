"""The event sink: writes batches of raw records to topics, each batch once even if it is repeated."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple, TypeAlias

from eddyline.application.ports.event_log import Headers


class SinkRecord(NamedTuple):
    """One record to write, as raw bytes.

    Attributes:
        topic: The topic to write to.
        key: The key, None for a record without a key.
        value: The value, None for a tombstone.
        timestamp: Milliseconds since the epoch.
        headers: The headers in order.
        partition: The partition to write to. If it is None, the sink chooses: by the hash of the key as Kafka's default
            partitioner does, and round-robin for records without a key.
    """

    topic: str
    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: Headers = ()
    partition: int | None = None


sink_record: Callable[[Iterable[Any]], SinkRecord] = partial(tuple.__new__, SinkRecord)
"""Creates a SinkRecord from its fields in half the time of the class itself."""


class Results(NamedTuple):
    """Records of one topic, by column; `partition` is that of all records, or None if the sink chooses it."""

    topic: str
    keys: Sequence[bytes | None]
    values: Sequence[bytes | None]
    timestamps: Sequence[int]
    headers: Sequence[Headers]
    partition: int | None

    def records(self) -> Iterator[SinkRecord]:
        """Return the records one by one."""
        fields = self.keys, self.values, self.timestamps, self.headers
        return map(sink_record, zip(repeat(self.topic), *fields, repeat(self.partition), strict=False))

    def part(self, rows: slice) -> "Results":
        """Return some of the records."""
        topic, keys, values, timestamps, headers, partition = self
        return Results(topic, keys[rows], values[rows], timestamps[rows], headers[rows], partition)


class RecordsByColumn(Sequence[SinkRecord]):
    """Records that a sink may also take by column, in less time than one by one."""

    @abstractmethod
    def by_column(self) -> Iterable[Results]:
        """Return the records by column, in their order."""


Content: TypeAlias = tuple[str, bytes | None, bytes | None]
"""Topic, key and value of a record."""


class InvalidTopicError(ValueError):
    """A topic cannot have this name, this number of partitions, or this partition; the message says what it can have."""


class RejectedRecordsError(RuntimeError):
    """Records that a topic does not accept, for a reason of their own such as their size.

    Nothing of the batch is visible, unless the sink gives a weaker guarantee; the batch can be written again without them.

    Args:
        message: says what is wrong, for all of them.
        rejected: the reason for each of them. Others may be rejected when the batch is written again.
    """

    def __init__(self, message: str, rejected: Mapping[Content, Exception]) -> None:
        super().__init__(message)
        self.rejected = rejected


class EventSink(ABC):
    """Idempotent writes to topics.

    A batch is split into slots, by key, so that the records of one key stay in order. Slots are written independently of each
    other, possibly by several processes at once. If several processes write to the same slot, their writes are serialized.

    - **Idempotence**: the sink stores the number of the last batch of each writer and slot together with the records, and
      ignores batches whose number is not greater. After a failure the caller repeats the batch with the same number and the
      same records; whatever the failed attempt has already written is not written twice.
    - **Durability**: when `write` returns, all records of the batch survive a crash.
    - **Order**: the records of one partition are written in the order given, the batches of a slot in the order of the calls.
    - **Visibility**: readers see either all records that a batch has in a partition, or none of them. Whether a batch becomes
      visible in all partitions at the same time depends on the adapter.

    An adapter may offer weaker guarantees as an option. Adapters for remote systems also raise errors of their own, for example
    if the system does not respond.

    Instances can be pickled before their first use.
    """

    @abstractmethod
    def create_topic(self, topic: str, partitions: int, *, compacted: bool = False) -> None:
        """Create a topic; do nothing if it exists, whatever its number of partitions.

        Args:
            topic: The name.
            partitions: The number of partitions.
            compacted: Whether the log may remove records that are followed by one with the same key in their partition, and
                tombstones some time after that. The last record of each key is kept for ever. A log need not do so.

        Raises:
            ValueError: the name is not a valid topic name, or `partitions` is less than 1.
        """

    @abstractmethod
    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        """Write one slot of a batch durably.

        Args:
            writer: Identifies the run of an application; a run that resumes from its checkpoint keeps its writer id.
            slot: The number of the slot, from 0.
            batch: The number of the batch, from 0; numbers increase from batch to batch and may have gaps.
            records: The records in order; an empty batch counts as written too.

        Returns:
            True if the batch was written, False if it had been written before and nothing was done.

        Raises:
            UnknownTopicError: a topic does not exist; nothing was written.
            RejectedRecordsError: topics do not accept some of the records.
            ValueError: a topic does not have the partition that a record names; nothing was written.
        """

    def open_slot(self, writer: str, slot: int) -> None:
        """Open what `write` needs for a slot, where that takes time; by default, do nothing.

        Call it in the process that is going to write the slot, and only while no other process writes it.

        Args:
            writer: The writer.
            slot: The number of the slot.
        """
        del writer, slot

    def newest_batch(self, writer: str) -> int | None:
        """Return the greatest number of a batch that a writer has written, None if there is none or the sink keeps no numbers.

        Batches that are being written at the moment are not waited for.
        """
        del writer
        return None

    def take_retries(self) -> Mapping[str, int]:
        """Return how often writes were tried again since the last call, by cause such as `fenced`; empty if none are counted."""
        return {}

    def close(self) -> None:
        """Release connections and other resources; the instance can be used again afterwards."""
