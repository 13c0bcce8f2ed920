"""Writes records one by one and tells when, where and whether the brokers took each."""

from array import array
from collections.abc import Callable
from typing import NamedTuple

from confluent_kafka import KafkaError, Message, Producer

from eddyline.adapters.kafka.clients import new_admin, new_producer
from eddyline.adapters.kafka.deliveries import Deliveries
from eddyline.adapters.kafka.partitioning import CLIENT_DEFAULTS, Partitioner, Partitioning
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import partition_count
from eddyline.application.ports.event_sink import SinkRecord

_ALL = frozenset({"all", "-1"})


class Acknowledgement(NamedTuple):
    """What became of a record: `offset` is None where it is not told (`acks=0`), `error` None where it was taken.

    `latency_ms` is the time from `send` until the brokers' answer.
    """

    topic: str
    partition: int
    offset: int | None
    latency_ms: float
    error: str | None


class Totals(NamedTuple):
    """All records so far: taken, refused, and how long half and 99 of a hundred of those taken waited, in ms."""

    taken: int
    refused: int
    p50_ms: float
    p99_ms: float


class AcknowledgedProducer:
    """Sends records and calls `on_ack` with each answer, in the order of answers.

    `acks` is Kafka's setting: `all` (which also makes the producer idempotent), 1 or 0. `partitioner` as in Partitioning.
    """

    def __init__(
        self,
        settings: KafkaSettings,
        *,
        on_ack: Callable[[Acknowledgement], None],
        acks: str = "all",
        partitioner: str | Partitioner = "by-key",
    ) -> None:
        self._settings = settings
        self._on_ack = on_ack
        self._latencies = array("d")
        self._refused = 0
        self._sending = Deliveries(settings)
        self._admin = new_admin(settings)
        self._partitioning = Partitioning(partitioner, settings, lambda topic: partition_count(settings, self._admin, topic))
        idempotent = "true" if acks in _ALL else "false"
        self._producer: Producer = new_producer(
            settings,
            defaults={**CLIENT_DEFAULTS, "enable.idempotence": idempotent},
            fixed={"acks": acks, "on_delivery": self._answered},
        )

    def send(self, record: SinkRecord) -> None:
        """Hands a record over; waits while the buffer is full.

        Raises UnknownTopicError, ValueError for a partition that is not there, DeliveryError for what the client refuses.
        """
        self._partitioning.count(record.topic)
        self._sending.send(self._producer, (record,), self._partitioning.choose)
        self._producer.poll(0)

    def wait(self, seconds: float) -> None:
        """Takes answers for that long."""
        self._producer.poll(seconds)

    def finish(self) -> Totals:
        """Waits for the answers to all records."""
        self._producer.flush()
        return self.totals()

    def totals(self) -> Totals:
        """What has been answered so far."""
        ordered = sorted(self._latencies)
        return Totals(len(ordered), self._refused, _quantile(ordered, 0.50), _quantile(ordered, 0.99))

    def _answered(self, error: KafkaError | None, message: Message) -> None:
        latency_ms = (message.latency() or 0.0) * 1000
        offset = message.offset()
        reason = None
        if error is None:
            self._latencies.append(latency_ms)
        else:
            self._refused += 1
            reason = self._settings.hide(f"{error.str()} ({error.name()})")
        known = offset if offset is not None and offset >= 0 else None
        self._on_ack(Acknowledgement(message.topic() or "", _number(message.partition()), known, latency_ms, reason))


def _number(value: int | None) -> int:
    return -1 if value is None else value


def _quantile(ordered: list[float], part: float) -> float:
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)] if ordered else 0.0
