"""Sends records one by one and reports when, where and whether each was delivered."""

from array import array
from collections.abc import Callable
from typing import NamedTuple

from confluent_kafka import KafkaError, Message, Producer

from eddyline.adapters.kafka.clients.factory import new_admin, new_producer
from eddyline.adapters.kafka.metadata import partition_count
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.sink.partitioning import Partitioner, Partitioning
from eddyline.adapters.kafka.sink.producer_defaults import JAVA_PARTITIONER
from eddyline.adapters.kafka.sink.record_sender import RecordSender
from eddyline.application.ports.event_sink import SinkRecord

_ALL = frozenset({"all", "-1"})
_NO_PARTITION = -1


class DeliveryReport(NamedTuple):
    """The outcome for one record.

    `offset` is None if the brokers do not report it (`acks=0`), `error` is None if the record was delivered, and `latency_ms`
    is the time from `send` to the answer of the brokers.
    """

    topic: str
    partition: int
    offset: int | None
    latency_ms: float
    error: str | None


class DeliveryTotals(NamedTuple):
    """The numbers of delivered and failed records, and percentiles of the latency of the delivered ones in ms."""

    delivered: int
    failed: int
    p50_ms: float
    p99_ms: float


class ReportingProducer:
    """A producer that calls `on_report` for every record.

    Args:
        settings: Settings of the producer.
        on_report: Receives the delivery reports, in the order in which the brokers answer.
        acks: Kafka's setting: `all` (which also makes the producer idempotent), `1` or `0`.
        partitioner: One of the strategies of Partitioning, or a function.
    """

    def __init__(
        self,
        settings: KafkaSettings,
        *,
        on_report: Callable[[DeliveryReport], None],
        acks: str = "all",
        partitioner: str | Partitioner = "by-key",
    ) -> None:
        self._settings = settings
        self._on_report = on_report
        self._latencies = array("d")
        self._failed = 0
        self._sender = RecordSender(settings)
        self._admin = new_admin(settings)
        self._partitioning = Partitioning(partitioner, settings, self._partition_count)
        idempotent = "true" if acks in _ALL else "false"
        self._producer: Producer = new_producer(
            settings,
            defaults={**JAVA_PARTITIONER, "enable.idempotence": idempotent},
            fixed={"acks": acks, "on_delivery": self._on_delivery},
        )

    def send(self, record: SinkRecord) -> None:
        """Send a record; block while the buffer is full.

        Raises:
            UnknownTopicError: the topic does not exist.
            ValueError: the topic does not have the partition.
            DeliveryError: the client rejects the record.
        """
        self._partitioning.count(record.topic)
        self._sender.send(self._producer, (record,), self._partitioning)
        self._producer.poll(0)

    def poll(self, timeout_s: float) -> None:
        """Handle the delivery reports that have arrived; wait up to the timeout (in seconds) for the first one."""
        self._producer.poll(timeout_s)

    def flush(self) -> DeliveryTotals:
        """Wait for all outstanding delivery reports, and return the totals."""
        self._producer.flush()
        return self.totals()

    def totals(self) -> DeliveryTotals:
        """Return the totals of all delivery reports so far."""
        ordered = sorted(self._latencies)
        return DeliveryTotals(len(ordered), self._failed, _quantile(ordered, 0.50), _quantile(ordered, 0.99))

    def _partition_count(self, topic: str, at_least: int) -> int:
        return partition_count(self._settings, self._admin, topic, at_least=at_least)

    def _on_delivery(self, error: KafkaError | None, message: Message) -> None:
        latency_ms = (message.latency() or 0.0) * 1000
        offset, partition = message.offset(), message.partition()
        reason = None
        if error is None:
            self._latencies.append(latency_ms)
        else:
            self._failed += 1
            reason = self._settings.redact(f"{error.str()} ({error.name()})")
        self._on_report(
            DeliveryReport(
                message.topic() or "",
                _NO_PARTITION if partition is None else partition,
                offset if offset is not None and offset >= 0 else None,
                latency_ms,
                reason,
            )
        )


def _quantile(ordered: list[float], part: float) -> float:
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)] if ordered else 0.0
