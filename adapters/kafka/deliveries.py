"""Hands records to a producer and finds out what became of them."""

from collections.abc import Callable, Iterable

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from eddyline.adapters.kafka.errors import DeliveryError
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_sink import SinkRecord

BATCHING_DEFAULTS = {"linger.ms": "50", "compression.type": "lz4"}
"""Where a batch's end flushes anyway, larger and compressed requests take half of the brokers' time and wait for nothing."""

BUFFER_DEFAULTS = {"queue.buffering.max.kbytes": "65536", "message.max.bytes": "60000000"}
"""How large a record may be is for its topic to say, as far as the buffer holds it: the client alone would stop at a megabyte."""

_WAIT_S = 0.1
_SHOWN = 3
_LEAST_TIMESTAMP = 1
_TRIES = 100
_UNKNOWN_PARTITION = "_UNKNOWN_PARTITION"
_CONSEQUENCES = {"_PURGE_QUEUE", "_PURGE_INFLIGHT", "_FENCED", "_FATAL", "_STATE"}
_PASSING = {
    "_MSG_TIMED_OUT",
    "_TIMED_OUT",
    "_TRANSPORT",
    "COORDINATOR_LOAD_IN_PROGRESS",
    "KAFKA_STORAGE_ERROR",
    "LEADER_NOT_AVAILABLE",
    "NETWORK_EXCEPTION",
    "NOT_ENOUGH_REPLICAS",
    "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
    "NOT_LEADER_FOR_PARTITION",
    "REQUEST_TIMED_OUT",
}


class Deliveries:
    """The records on their way through one producer.

    The producer must be made with `on_delivery` as its callback. A full buffer makes `send` wait until the brokers have taken
    something off it; memory is bounded by `queue.buffering.max.kbytes`.
    """

    def __init__(self, settings: KafkaSettings) -> None:
        self._settings = settings
        self._refused: list[str] = []
        self._delayed: list[str] = []
        self._tries_left = _TRIES
        self.waits = 0

    def on_delivery(self, error: KafkaError | None, message: Message) -> None:
        """Takes note of a record that was not written."""
        if error is None or error.name() in _CONSEQUENCES:
            return
        text = f"topic {message.topic()!r} partition {message.partition()}: {error.str()} ({error.name()})"
        (self._delayed if error.name() in _PASSING else self._refused).append(text)

    def send(self, producer: Producer, records: Iterable[SinkRecord], choose: Callable[[SinkRecord], int]) -> None:
        """Hands the records over in their order, waiting whenever the buffer is full.

        Raises DeliveryError for a record that the client itself refuses, and KafkaException when the producer has failed.
        """
        produce = producer.produce  # by position, which takes half the time that names take: …, callback, on_delivery, …
        for record in records:
            topic, key, value, timestamp, headers, _ = record
            if timestamp < _LEAST_TIMESTAMP:
                timestamp = _stamp(record)
            if headers:
                _check_names(record)
            partition = choose(record)
            while True:
                try:
                    produce(topic, value, key, partition, None, None, timestamp, list(headers) if headers else None)
                    break
                except BufferError:
                    if not len(producer):
                        raise DeliveryError(
                            f"topic {topic!r}: a record of {len(key or b'') + len(value or b''):,} bytes does not fit into the "
                            "producer's buffer; raise queue.buffering.max.kbytes"
                        ) from None
                    self.waits += 1
                    producer.poll(_WAIT_S)
                except KafkaException as error:
                    self._refusal(producer, topic, partition, error)

    def _refusal(self, producer: Producer, topic: str, partition: int, error: KafkaException) -> None:
        """Returns when it is worth trying again: the client may not have heard yet of a partition that is there."""
        reason = error.args[0]
        if reason.name() in _CONSEQUENCES or reason.fatal():
            raise error
        if reason.name() == _UNKNOWN_PARTITION:
            known = producer.list_topics(topic, timeout=self._settings.request_timeout_s).topics[topic].partitions
            if partition in known and self._tries_left:
                self._tries_left -= 1
                producer.poll(_WAIT_S)
                return
        where = f"partition {partition}" if partition >= 0 else "a partition chosen by key"
        self._refused.append(f"topic {topic!r} {where}: {reason.str()} ({reason.name()})")
        self.check()

    def check(self) -> None:
        """Raises DeliveryError when records were refused for good; names up to three of them."""
        if self._refused:
            raise DeliveryError(self._message(self._refused))

    def check_all(self) -> None:
        """Like `check`, but counts records that were only delayed for too long as well."""
        if self._refused or self._delayed:
            raise DeliveryError(self._message(self._refused + self._delayed))

    def forget(self) -> None:
        """Begins anew, for the next batch."""
        self._tries_left = _TRIES
        self._refused.clear()
        self._delayed.clear()

    def _message(self, failures: list[str]) -> str:
        more = f" and {len(failures) - _SHOWN} more" if len(failures) > _SHOWN else ""
        shown = "; ".join(failures[:_SHOWN])
        return self._settings.hide(
            f"{len(failures)} records could not be written at {self._settings.bootstrap_servers}: {shown}{more}"
        )


def _check_names(record: SinkRecord) -> None:
    for name, _ in record.headers:
        if "\0" in name:
            raise DeliveryError(f"topic {record.topic!r}: Kafka's client would cut the header name {name!r} at its NUL character")


def _stamp(record: SinkRecord) -> int:
    """The client takes time 0 for `now`; the millisecond after it comes nearest."""
    if record.timestamp < 0:
        raise DeliveryError(f"topic {record.topic!r}: a record's timestamp must not be negative, and {record.timestamp} is")
    return _LEAST_TIMESTAMP
