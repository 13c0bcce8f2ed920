"""Passes records to a producer and collects the delivery reports of those that failed."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import repeat
from operator import length_hint
from typing import TypeAlias

from confluent_kafka import KafkaError, KafkaException, Message, Producer
from confluent_kafka.admin._config import ConfigResource
from confluent_kafka.admin._resource import ResourceType

from eddyline.adapters.kafka.clients.broker_errors import partition_label
from eddyline.adapters.kafka.clients.error_codes import TRANSIENT, fix_for
from eddyline.adapters.kafka.clients.factory import new_admin
from eddyline.adapters.kafka.errors import DeliveryError, RecordsRejectedError
from eddyline.adapters.kafka.metadata import has_partition
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.sink.partitioning import Partitioning
from eddyline.adapters.kafka.sink.producer_defaults import BATCH_DEFAULTS, ONE_BY_ONE
from eddyline.adapters.kafka.sink.rejected_records import OF_A_RECORD, Refusal, RejectedRecords
from eddyline.application.ports.event_log import Headers
from eddyline.application.ports.event_sink import RecordsByColumn, Results, SinkRecord

OnDelivery: TypeAlias = Callable[[KafkaError | None, Message], None]
"""Receives the delivery report of a record."""

_TIMEOUT_S = 5.0
_SETTING = "max.message.bytes"


def size_limit(settings: KafkaSettings, topic: str) -> int | None:
    """Return the `max.message.bytes` of a topic, None if it cannot be looked up."""
    resource = ConfigResource(ResourceType.TOPIC, topic)
    try:
        admin = new_admin(settings)
        found = admin.describe_configs([resource], request_timeout=_TIMEOUT_S)[resource].result()
        return int(found[_SETTING].value)
    except (KafkaException, KeyError, TypeError, ValueError):
        return None


_POLL_S = 0.1
_FULL_POLL_S = 0.01
"""No event tells that a full buffer has room again, if only errors are reported."""
_SHOWN = 3
_MIN_TIMESTAMP = 1
_ATTEMPTS = 100
_BATCH_BYTES = 1_000_000
_UNKNOWN_PARTITION = "_UNKNOWN_PARTITION"
_PRODUCER_FAILED = {"_PURGE_QUEUE", "_PURGE_INFLIGHT", "_FENCED", "_FATAL", "_STATE"}
"""Errors of records that are consequences of an earlier failure of their producer."""


class RecordSender:
    """The records in flight of one producer, which must be created with `producer_settings`.

    A full buffer blocks `send` until the brokers have acknowledged some records; `queue.buffering.max.kbytes` limits the
    memory. The brokers reject whole requests; with `alone` the producer must send each record in a request of its own, so that
    it is certain which records are rejected.
    """

    def __init__(self, settings: KafkaSettings, *, alone: bool = False) -> None:
        self._settings = settings
        self._alone = alone
        self._refused, self._refused_here = self._rejections(), self._rejections()
        self._rejected: list[str] = []
        self._timed_out: list[str] = []
        self._given_up: list[str] = []
        self._attempts_left = _ATTEMPTS

    @property
    def producer_settings(self) -> Mapping[str, object]:
        """The settings that the producer must have: errors are reported to `on_delivery`, and nothing else is reported."""
        alone = ONE_BY_ONE if self._alone else {}
        return {**alone, "delivery.report.only.error": True, "on_delivery": self.on_delivery}

    def on_delivery(self, error: KafkaError | None, message: Message) -> None:
        """Record a delivery report with an error; ignore all others."""
        if error is None:
            return
        if error.name() in _PRODUCER_FAILED:
            failed = self._given_up
        elif error.name() in OF_A_RECORD:
            topic, label = message.topic() or "", partition_label(message.topic() or "", message.partition() or 0)
            self._refused.add((topic, message.key(), message.value()), Refusal(label, error.str(), error.name()))
            return
        else:
            failed = self._timed_out if error.name() in TRANSIENT else self._rejected
        failed.append(_failure(partition_label(message.topic() or "", message.partition() or 0), error))

    def send_one(
        self, producer: Producer, record: SinkRecord, partitioning: Partitioning, on_delivery: OnDelivery | None = None
    ) -> None:
        """Pass a record to the producer, as `send` does; its delivery is reported to `on_delivery` instead of the producer's."""
        self.reset()
        refused = self._none_refused()
        self._send_each(producer, (record,), partitioning, refused, on_delivery)
        if refused:
            raise self._rejected_error(refused)

    def send(self, producer: Producer, records: Iterable[SinkRecord], partitioning: Partitioning) -> None:
        """Pass the records to the producer in order, and block while its buffer is full.

        Args:
            producer: The producer.
            records: The records.
            partitioning: Chooses the partitions of records.

        Raises:
            RecordsRejectedError: the client rejects records; the others were passed to the producer.
            DeliveryError: the client cannot send records to a topic.
            KafkaException: the producer has failed.
        """
        refused = self._none_refused()
        if isinstance(records, RecordsByColumn):
            for results in records.by_column():
                self._send_columns(producer, results, partitioning, refused)
        else:
            self._send_each(producer, records, partitioning, refused)
        if refused:
            raise self._rejected_error(refused)

    def _send_columns(self, producer: Producer, results: Results, partitioning: Partitioning, refused: RejectedRecords) -> None:
        """Send records of one topic; one by one if they have headers or the client cannot choose the partitions by their keys."""
        topic, keys, values, timestamps, headers, partition = results
        chosen = None if any(headers) or min(timestamps) < _MIN_TIMESTAMP else partitioning.choose_for_all(results)
        if chosen is None:
            self._send_each(producer, results.records(), partitioning, refused)
            return
        left, count = iter(values), len(values)
        columns = repeat(topic), left, iter(keys), repeat(chosen), repeat(None), repeat(None), iter(timestamps)
        while length_hint(left):
            try:
                deque(map(producer.produce, *columns), maxlen=0)
            except (BufferError, KafkaException):
                at = count - length_hint(left) - 1
                failed = SinkRecord(topic, keys[at], values[at], timestamps[at], (), partition)
                self._send_each(producer, (failed,), partitioning, refused)

    def _send_each(
        self,
        producer: Producer,
        records: Iterable[SinkRecord],
        partitioning: Partitioning,
        refused: RejectedRecords,
        on_delivery: OnDelivery | None = None,
    ) -> None:
        choose = partitioning.choose
        produce = producer.produce  # positional arguments take half the time of keywords: …, callback, on_delivery, …
        for record in records:
            topic, key, value, timestamp, headers, _ = record
            if timestamp < _MIN_TIMESTAMP or headers:
                obstacle = _obstacle(timestamp, headers)
                if obstacle:
                    _refuse(refused, record, obstacle)
                    continue
                timestamp = timestamp or _MIN_TIMESTAMP
            partition = choose(record)
            while True:
                try:
                    produce(topic, value, key, partition, on_delivery, None, timestamp, list(headers) if headers else None)
                    break
                except BufferError:
                    if not len(producer):
                        _refuse(refused, record, "does not fit into the producer's buffer; raise queue.buffering.max.kbytes")
                        break
                    producer.poll(_FULL_POLL_S)
                except KafkaException as error:
                    code = error.args[0]
                    if code.name() in OF_A_RECORD:
                        limit = self._settings.producer().get("message.max.bytes", BATCH_DEFAULTS["message.max.bytes"])
                        _refuse(refused, record, f"{code.str()}, message.max.bytes of the producer is {limit}", code.name())
                        break
                    self._handle(producer, topic, partition, error)

    def raise_rejected(self) -> None:
        """Raise DeliveryError if records were rejected; a batch whose records have only timed out can be repeated."""
        if self._rejected:
            raise DeliveryError(self._message(self._rejected))
        if self._refused:
            raise self._rejected_error(self._refused)

    def raise_failed(self) -> None:
        """Raise DeliveryError if records were rejected, timed out, or given up because their producer failed.

        Records that were given up are named only if there are no others, since they do not tell why.
        """
        if self._refused and not (self._rejected or self._timed_out):
            raise self._rejected_error(self._refused)
        failures = self._rejected + self._timed_out or self._given_up
        if failures:
            raise DeliveryError(self._message(failures))

    def reset(self) -> None:
        """Forget the failures of earlier batches."""
        self._attempts_left = _ATTEMPTS
        self._rejected.clear()
        self._timed_out.clear()
        self._given_up.clear()
        self._refused.clear()

    def _handle(self, producer: Producer, topic: str, partition: int, error: KafkaException) -> None:
        """Return if the record should be sent again: the client may not know yet of a partition that was just added."""
        code = error.args[0]
        if code.name() in _PRODUCER_FAILED or code.fatal():
            raise error
        unknown = code.name() == _UNKNOWN_PARTITION and self._attempts_left
        if unknown and has_partition(self._settings, producer, topic, partition):
            self._attempts_left -= 1
            producer.poll(_POLL_S)
            return
        label = partition_label(topic, partition) if partition >= 0 else f"topic {topic!r}, a partition chosen by key"
        self._rejected.append(_failure(label, code))
        self.raise_rejected()

    def _none_refused(self) -> RejectedRecords:
        """Return rejections without any; new ones only if those of the last call were used, since `send` is called often."""
        if self._refused_here:
            self._refused_here = self._rejections()
        return self._refused_here

    def _rejections(self) -> RejectedRecords:
        batch_bytes = int(self._settings.producer().get("batch.size", _BATCH_BYTES))
        return RejectedRecords(partial(size_limit, self._settings), 0 if self._alone else batch_bytes)

    def _rejected_error(self, refused: RejectedRecords) -> RecordsRejectedError:
        reasons = refused.reasons()
        return RecordsRejectedError(self._message(list(map(str, reasons.values()))), reasons, certain=refused.certain)

    def _message(self, failures: list[str]) -> str:
        count = "1 record" if len(failures) == 1 else f"{len(failures):,} records"
        more = f" and {len(failures) - _SHOWN:,} more" if len(failures) > _SHOWN else ""
        shown = "; ".join(failures[:_SHOWN])
        return self._settings.redact(f"{count} could not be written at {self._settings.bootstrap_servers}: {shown}{more}")


def _failure(label: str, error: KafkaError) -> str:
    return f"{label}: {error.str()} ({error.name()}){fix_for(error.name())}"


def _refuse(refused: RejectedRecords, record: SinkRecord, reason: str, code: str = "") -> None:
    refused.add(record[:3], Refusal(f"topic {record.topic!r}", reason, code, local=True))


def _obstacle(timestamp: int, headers: Headers) -> str:
    """Return why a record with this timestamp and these headers cannot be sent, an empty text if it can."""
    if timestamp < 0:
        return f"the timestamp {timestamp} is negative; timestamps are milliseconds since the epoch"
    for name, _ in headers:
        if "\0" in name:
            return f"the header name {name!r} contains a NUL character, at which the client would cut it off; rename the header"
    return ""
