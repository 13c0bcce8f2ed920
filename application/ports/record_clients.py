"""The ports of programs that write and read single records: producers with a report for each record, and consumers."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from eddyline.application.ports.event_log import LogRecord, TopicPartition
from eddyline.application.ports.event_sink import SinkRecord

_COUNTED_LATENCIES: Final = 100_000


class DeliveryReport(NamedTuple):
    """The outcome for one record.

    `offset` is None if it is not known (Kafka's `acks=0`), `error` is None if the record was written, and `latency_ms` is the
    time from `send` to the acknowledgement.
    """

    topic: str
    partition: int
    offset: int | None
    latency_ms: float
    error: str | None


class DeliveryTotals(NamedTuple):
    """The numbers of written and failed records, and percentiles of the latency in ms of the last 100,000 that were written."""

    delivered: int
    failed: int
    p50_ms: float
    p99_ms: float


class DeliveryCounter:
    """Counts what a producer has delivered, in constant memory, since a program may write for months."""

    def __init__(self) -> None:
        self._delivered = self._failed = 0
        self._latencies_ms: deque[float] = deque(maxlen=_COUNTED_LATENCIES)

    def add(self, latency_ms: float, *, failed: bool = False) -> None:
        """Count a record."""
        if failed:
            self._failed += 1
            return
        self._delivered += 1
        self._latencies_ms.append(latency_ms)

    def totals(self) -> DeliveryTotals:
        """Return the totals so far."""
        ordered = sorted(self._latencies_ms)
        quantiles = (ordered[min(int(len(ordered) * part), len(ordered) - 1)] if ordered else 0.0 for part in (0.50, 0.99))
        return DeliveryTotals(self._delivered, self._failed, *quantiles)


OnReport: TypeAlias = Callable[[DeliveryReport], None]


class ProducerClient(ABC):
    """Writes records one by one and reports on each of them; several threads may use it.

    The producer calls its own `on_report`, if it has one, for every record, and then that of the record. Reports are passed on
    by the thread that calls `poll` or `flush`, or `send`.
    """

    @abstractmethod
    def partitions(self, topic: str) -> int:
        """Return the number of partitions of a topic. Raises UnknownTopicError."""

    @abstractmethod
    def send(self, record: SinkRecord, on_report: OnReport | None = None) -> None:
        """Send a record; block while the buffer is full.

        Raises:
            UnknownTopicError: the topic does not exist.
            ValueError: the topic does not have the partition.
            RuntimeError: the client rejects the record.
        """

    @abstractmethod
    def poll(self, timeout_s: float) -> None:
        """Pass on the reports that have arrived; wait up to the timeout for the first one."""

    @abstractmethod
    def flush(self) -> DeliveryTotals:
        """Wait for all outstanding reports, and return the totals."""

    def close(self) -> None:
        """Release connections; records that are not flushed may be lost."""


class Rebalance(NamedTuple):
    """Receives changes of the assignment while a consumer polls; each function takes the partitions of the change.

    `assigned` is called before the first record of a new partition is read, and may seek; `revoked` before another member gets
    a partition, and may commit; `lost` if others may have it already.
    """

    assigned: Callable[[Sequence[TopicPartition]], None]
    revoked: Callable[[Sequence[TopicPartition]], None]
    lost: Callable[[Sequence[TopicPartition]], None]


OnCommit: TypeAlias = Callable[[Mapping[TopicPartition, int], Exception | None], None]
"""Receives offsets that were committed, or could not be, and then the reason."""


class ConsumerClient(ABC):
    """Reads records of partitions that its group, or its user, assigns; one thread uses it."""

    @abstractmethod
    def subscribe(self, topics: Sequence[str], rebalance: Rebalance) -> None:
        """Join the group for these topics."""

    @abstractmethod
    def assign(self, partitions: Sequence[TopicPartition]) -> None:
        """Read these partitions, without joining the group."""

    @abstractmethod
    def partitions(self) -> Sequence[TopicPartition]:
        """Return the partitions of the consumer, sorted."""

    @abstractmethod
    def poll(self, max_records: int, timeout_s: float) -> Sequence[LogRecord]:
        """Return the next records; none if there is none within the timeout."""

    @abstractmethod
    def seek(self, partition: TopicPartition, offset: int) -> None:
        """Continue with this offset in a partition of the consumer."""

    @abstractmethod
    def bounds(self, partition: TopicPartition) -> tuple[int, int]:
        """Return the first and the end offset of a partition."""

    @abstractmethod
    def offset_at(self, partition: TopicPartition, timestamp: int) -> int:
        """Return the offset of the first record at or after a time in ms since the epoch, the end offset if there is none."""

    @abstractmethod
    def committed(self, partitions: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
        """Return the committed offsets of the group, without partitions that have none."""

    @abstractmethod
    def commit_offsets(self, offsets: Mapping[TopicPartition, int]) -> bool:
        """Commit the next offsets to read; return False during a rebalance: they are tried again with the next commit."""

    @abstractmethod
    def commit_in_background(self, offsets: Mapping[TopicPartition, int], on_commit: OnCommit) -> None:
        """Commit without waiting; `on_commit` is called while the consumer polls or closes."""

    @abstractmethod
    def close(self) -> None:
        """Leave the group, so that other members take over at once."""
