"""Passes records to a producer and collects the delivery reports of those that failed."""

from collections.abc import Callable, Iterable

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from eddyline.adapters.kafka.clients.broker_errors import partition_label
from eddyline.adapters.kafka.clients.error_codes import TRANSIENT, fix_for
from eddyline.adapters.kafka.errors import DeliveryError
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_sink import SinkRecord

_POLL_S = 0.1
_SHOWN = 3
_MIN_TIMESTAMP = 1
_ATTEMPTS = 100
_UNKNOWN_PARTITION = "_UNKNOWN_PARTITION"
_PRODUCER_FAILED = {"_PURGE_QUEUE", "_PURGE_INFLIGHT", "_FENCED", "_FATAL", "_STATE"}
"""Errors of records that are consequences of an earlier failure of their producer."""


class RecordSender:
    """The records in flight of one producer, which must be created with `on_delivery` as its callback.

    A full buffer blocks `send` until the brokers have acknowledged some records; `queue.buffering.max.kbytes` limits the
    memory.
    """

    def __init__(self, settings: KafkaSettings) -> None:
        self._settings = settings
        self._rejected: list[str] = []
        self._timed_out: list[str] = []
        self._given_up: list[str] = []
        self._attempts_left = _ATTEMPTS

    def on_delivery(self, error: KafkaError | None, message: Message) -> None:
        """Record a delivery report with an error; ignore all others."""
        if error is None:
            return
        if error.name() in _PRODUCER_FAILED:
            failed = self._given_up
        else:
            failed = self._timed_out if error.name() in TRANSIENT else self._rejected
        failed.append(_failure(partition_label(message.topic() or "", message.partition() or 0), error))

    def send(self, producer: Producer, records: Iterable[SinkRecord], choose: Callable[[SinkRecord], int]) -> None:
        """Pass the records to the producer in order, and block while its buffer is full.

        Args:
            producer: The producer.
            records: The records.
            choose: Returns the partition of a record.

        Raises:
            DeliveryError: the client rejects a record.
            KafkaException: the producer has failed.
        """
        produce = producer.produce  # positional arguments take half the time of keywords: …, callback, on_delivery, …
        for record in records:
            topic, key, value, timestamp, headers, _ = record
            if timestamp < _MIN_TIMESTAMP:
                timestamp = _valid_timestamp(record)
            if headers:
                _check_header_names(record)
            partition = choose(record)
            while True:
                try:
                    produce(topic, value, key, partition, None, None, timestamp, list(headers) if headers else None)
                    break
                except BufferError:
                    if not len(producer):
                        raise DeliveryError(
                            f"a record of {len(key or b'') + len(value or b''):,} bytes for topic {topic!r} does not fit into "
                            "the producer's buffer; raise queue.buffering.max.kbytes"
                        ) from None
                    producer.poll(_POLL_S)
                except KafkaException as error:
                    self._handle(producer, topic, partition, error)

    def raise_rejected(self) -> None:
        """Raise DeliveryError if records were rejected; a batch whose records have only timed out can be repeated."""
        if self._rejected:
            raise DeliveryError(self._message(self._rejected))

    def raise_failed(self) -> None:
        """Raise DeliveryError if records were rejected, timed out, or given up because their producer failed.

        Records that were given up are named only if there are no others, since they do not tell why.
        """
        failures = self._rejected + self._timed_out or self._given_up
        if failures:
            raise DeliveryError(self._message(failures))

    def reset(self) -> None:
        """Forget the failures of earlier batches."""
        self._attempts_left = _ATTEMPTS
        self._rejected.clear()
        self._timed_out.clear()
        self._given_up.clear()

    def _handle(self, producer: Producer, topic: str, partition: int, error: KafkaException) -> None:
        """Return if the record should be sent again: the client may not know yet of a partition that was just added."""
        code = error.args[0]
        if code.name() in _PRODUCER_FAILED or code.fatal():
            raise error
        if code.name() == _UNKNOWN_PARTITION:
            known = producer.list_topics(topic, timeout=self._settings.request_timeout_s).topics[topic].partitions
            if partition in known and self._attempts_left:
                self._attempts_left -= 1
                producer.poll(_POLL_S)
                return
        label = partition_label(topic, partition) if partition >= 0 else f"topic {topic!r}, a partition chosen by key"
        self._rejected.append(_failure(label, code))
        self.raise_rejected()

    def _message(self, failures: list[str]) -> str:
        count = "1 record" if len(failures) == 1 else f"{len(failures):,} records"
        more = f" and {len(failures) - _SHOWN:,} more" if len(failures) > _SHOWN else ""
        shown = "; ".join(failures[:_SHOWN])
        return self._settings.redact(f"{count} could not be written at {self._settings.bootstrap_servers}: {shown}{more}")


def _failure(label: str, error: KafkaError) -> str:
    return f"{label}: {error.str()} ({error.name()}){fix_for(error.name())}"


def _check_header_names(record: SinkRecord) -> None:
    for name, _ in record.headers:
        if "\0" in name:
            raise DeliveryError(
                f"the header name {name!r} of a record for topic {record.topic!r} contains a NUL character, "
                "at which the client would cut it off; rename the header"
            )


def _valid_timestamp(record: SinkRecord) -> int:
    """Return 1 for the timestamp 0, which the client takes for the current time. Raises DeliveryError."""
    if record.timestamp < 0:
        raise DeliveryError(
            f"the timestamp {record.timestamp} of a record for topic {record.topic!r} is negative; "
            "timestamps are milliseconds since the epoch"
        )
    return _MIN_TIMESTAMP
