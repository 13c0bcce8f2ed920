"""Sends records one by one and reports when, where and whether each was delivered."""

from functools import partial
from threading import RLock

from confluent_kafka import KafkaError, Message, Producer

from eddyline.adapters.kafka.clients.factory import new_admin, new_producer
from eddyline.adapters.kafka.metadata import partition_count
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.sink.partitioning import Partitioner, Partitioning
from eddyline.adapters.kafka.sink.producer_defaults import JAVA_PARTITIONER
from eddyline.adapters.kafka.sink.record_sender import RecordSender
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.ports.record_clients import DeliveryCounter, DeliveryReport, DeliveryTotals, OnReport, ProducerClient

_ALL = frozenset({"all", "-1"})
_NO_PARTITION = -1


class ReportingProducer(ProducerClient):
    """A producer that reports on every record.

    Args:
        settings: Settings of the producer.
        on_report: Receives the delivery reports of all records, in the order in which the brokers answer.
        acks: Kafka's setting: `all` (which also makes the producer idempotent), `1` or `0`.
        partitioner: One of the strategies of Partitioning, or a function.
    """

    def __init__(
        self,
        settings: KafkaSettings,
        *,
        on_report: OnReport | None = None,
        acks: str = "all",
        partitioner: str | Partitioner = "by-key",
    ) -> None:
        self._settings = settings
        self._on_report = on_report
        self._counter, self._lock = DeliveryCounter(), RLock()
        self._sender = RecordSender(settings)
        self._admin = new_admin(settings)
        self._partitioning = Partitioning(partitioner, settings, self._partition_count)
        idempotent = "true" if acks in _ALL else "false"
        self._producer: Producer = new_producer(
            settings,
            defaults={**JAVA_PARTITIONER, "enable.idempotence": idempotent},
            fixed={"acks": acks, "on_delivery": self._on_delivery},
        )

    def partitions(self, topic: str) -> int:
        return self._partitioning.count(topic)

    def send(self, record: SinkRecord, on_report: OnReport | None = None) -> None:
        own = None if on_report is None else partial(self._on_delivery, on_report=on_report)
        with self._lock:
            self._partitioning.count(record.topic)
            self._sender.send_one(self._producer, record, self._partitioning, own)
        self._producer.poll(0)

    def poll(self, timeout_s: float) -> None:
        """Handle the delivery reports that have arrived; wait up to the timeout (in seconds) for the first one."""
        self._producer.poll(timeout_s)

    def flush(self) -> DeliveryTotals:
        """Wait for all outstanding delivery reports, and return the totals."""
        self._producer.flush()
        return self._counter.totals()

    def close(self) -> None:
        self._producer.purge()
        self._producer.flush()

    def _partition_count(self, topic: str, at_least: int) -> int:
        return partition_count(self._settings, self._admin, topic, at_least=at_least)

    def _on_delivery(self, error: KafkaError | None, message: Message, *, on_report: OnReport | None = None) -> None:
        latency_ms = (message.latency() or 0.0) * 1000
        offset, partition = message.offset(), message.partition()
        self._counter.add(latency_ms, failed=error is not None)
        reason = None if error is None else self._settings.redact(f"{error.str()} ({error.name()})")
        report = DeliveryReport(
            message.topic() or "",
            _NO_PARTITION if partition is None else partition,
            offset if offset is not None and offset >= 0 else None,
            latency_ms,
            reason,
        )
        for receive in (self._on_report, on_report):
            if receive is not None:
                receive(report)
