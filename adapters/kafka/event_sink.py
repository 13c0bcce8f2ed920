"""The event sink on Kafka topics: exactly once by transactions, or at least once."""

import re
import time
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum

from confluent_kafka import KafkaException, Producer

from eddyline.adapters.kafka.clients.broker_errors import as_broker_error, broker_errors
from eddyline.adapters.kafka.clients.deadline import Deadline
from eddyline.adapters.kafka.clients.factory import new_producer
from eddyline.adapters.kafka.clients.logs import CLIENT_LOGGER, LOGGER
from eddyline.adapters.kafka.clients.pool import ClientPool
from eddyline.adapters.kafka.errors import (
    AuthenticationError,
    BrokerError,
    BrokerUnavailableError,
    ProducerFencedError,
    RecordsRejectedError,
)
from eddyline.adapters.kafka.settings import KafkaSettings, SettingValue
from eddyline.adapters.kafka.sink.batch_numbers import BatchNumbers, newest_batch
from eddyline.adapters.kafka.sink.partitioning import Partitioner, Partitioning, check_partitioner
from eddyline.adapters.kafka.sink.producer_defaults import BATCH_DEFAULTS
from eddyline.adapters.kafka.sink.record_sender import RecordSender
from eddyline.adapters.kafka.sink.transactional_writer import TransactionalWriter
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_sink import EventSink, SinkRecord
from eddyline.application.runtime.plan.dead_letters import holds_dead_letters

_LARGE_RECORDS = {"max.message.bytes": "67108864"}
"""A dead letter is a record with a reason in its headers, so its topic must accept more than that of the record. Compacted topics
hold state, of which no entry may be missing."""
_COMPACTED = {"cleanup.policy": "compact", "retention.ms": "-1"}

_MAX_FENCINGS = 3
_RETRY_S = 0.5
_NOT_RETRIABLE = re.compile("AUTHORIZATION|AUTHENTICATION|UNSUPPORTED|INVALID_TRANSACTION_TIMEOUT|INVALID_ARG")
_FENCED = {"_FENCED", "PRODUCER_FENCED", "INVALID_PRODUCER_EPOCH"}


class Guarantee(StrEnum):
    """What repeating a batch does: nothing (exactly once), or it may write its records again (at least once)."""

    EXACTLY_ONCE = "exactly-once"
    AT_LEAST_ONCE = "at-least-once"

    @classmethod
    def _missing_(cls, value: object) -> "Guarantee":
        raise ValueError(f"unknown guarantee {value!r}; choose one of: {', '.join(cls)}")


class KafkaEventSink(EventSink):
    """Writes to the topics of a Kafka cluster.

    Exactly once: a slot's batch is one transaction of the transactional id `<writer>-<slot>` and is committed together with
    the batch number. When the brokers fail, a new producer takes over the slot (which aborts an open transaction), reads the
    number, and writes the batch again if it is not committed, for up to `timeout_s`. At least once: an idempotent producer,
    flushed before `write` returns.

    Producers are kept open in this process and shared by all sinks with the same settings. If another process has written to a
    slot meanwhile, a new producer takes it over. A full buffer blocks `write`.
    Records are compressed with lz4 unless `compression.type` says otherwise. The client cannot write the timestamp 0 and
    writes 1 instead. Records of up to 60 MB are sent to the brokers, where `max.message.bytes` of the topic decides; topics of
    dead letters and compacted topics that are created here accept them all. After `write` returns, it may take the brokers
    some milliseconds until readers see the records.

    `write` raises RecordsRejectedError for records that the client or their topics do not accept, DeliveryError for others that
    could not be written, ProducerFencedError if its producer is fenced repeatedly,
    BrokerUnavailableError at the timeout, UnknownTopicError for a topic and ValueError for a partition that does not exist.

    Args:
        settings: Settings of the clients, by Kafka's dotted names.
        guarantee: Exactly once or at least once.
        partitioner: `by-key`, `round-robin` or a function, for records that do not name their partition.
        timeout_s: How many seconds a write waits for brokers that fail or do not answer.
    """

    def __init__(
        self,
        settings: KafkaSettings | Mapping[str, SettingValue],
        *,
        guarantee: Guarantee | str = Guarantee.EXACTLY_ONCE,
        partitioner: str | Partitioner = "by-key",
        timeout_s: float = 180.0,
    ) -> None:
        check_partitioner(partitioner)
        self._settings = settings if isinstance(settings, KafkaSettings) else KafkaSettings(settings)
        self._guarantee = Guarantee(guarantee)
        self._partitioner = partitioner
        self._timeout_s = timeout_s
        self._lazy_partitioning: Partitioning | None = None
        self._retries: Counter[str] = Counter()

    def create_topic(self, topic: str, partitions: int, *, compacted: bool = False) -> None:
        config = _LARGE_RECORDS if compacted or holds_dead_letters(topic) else {}
        with self._topics() as topics:
            topics.create(topic, partitions, config={**config, **_COMPACTED} if compacted else config)

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        self._partitioning.begin_batch(slot + batch)
        if self._guarantee is Guarantee.AT_LEAST_ONCE:
            return self._write_at_least_once(slot + batch, records)
        return self._write_exactly_once(writer, slot, batch, records)

    def open_slot(self, writer: str, slot: int) -> None:
        """Create the producer of the slot, which fences earlier ones."""
        key = (self._settings, writer, slot)
        if self._guarantee is Guarantee.EXACTLY_ONCE:
            with self._batch_numbers(writer) as numbers:
                opened = TransactionalWriter(self._settings, writer, slot, numbers, Deadline(self._settings.request_timeout_s))
            _WRITERS.put(key, opened)

    def last_batch(self, writer: str, slot: int) -> int | None:
        """Return the last batch that the slot has written, None before the first.

        Waits for an open transaction of the slot, which ends after its `transaction.timeout.ms` at the latest.
        """
        with self._batch_numbers(writer) as numbers:
            return numbers.last(slot, self._timeout_s)

    def newest_batch(self, writer: str) -> int | None:
        if self._guarantee is Guarantee.AT_LEAST_ONCE:
            return None
        return newest_batch(self._settings, writer)

    def take_retries(self) -> dict[str, int]:
        taken, self._retries = dict(self._retries), Counter()
        return taken

    def close(self) -> None:
        for pool in (_WRITERS, _PRODUCERS, _BATCH_NUMBERS, _TOPICS):
            pool.close_all(self._owns)

    def __repr__(self) -> str:
        return f"KafkaEventSink({self._settings.bootstrap_servers}, {self._guarantee})"

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_lazy_partitioning": None, "_retries": Counter()}

    @property
    def _partitioning(self) -> Partitioning:
        if self._lazy_partitioning is None:
            self._lazy_partitioning = Partitioning(self._partitioner, self._settings, self._partition_count)
        return self._lazy_partitioning

    def _partition_count(self, topic: str, at_least: int) -> int:
        with self._topics() as topics:
            return topics.partitions(topic, at_least)

    def _write_exactly_once(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        deadline = Deadline(self._timeout_s)
        attempt, fencings, alone = 0, 0, False
        action = f"write batch {batch} of slot {slot} of writer {writer!r}"
        while True:
            failure: BrokerError
            cause = "retried"
            try:
                self._partitioning.begin_batch(slot + batch)
                return self._write_in_transaction((writer, slot, batch), records, deadline, attempt, alone=alone)
            except RecordsRejectedError as error:
                if error.certain:
                    raise
                _warn_of_requests(error)
                alone = True
                continue
            except KafkaException as error:
                failure = as_broker_error(self._settings, action, error)
                if _NOT_RETRIABLE.search(error.args[0].name()):
                    raise failure from None
                if error.args[0].name() in _FENCED:
                    cause = "fenced"
                    fencings += 1
                    if fencings > _MAX_FENCINGS:
                        raise ProducerFencedError(
                            f"could not {action}: transactional id '{writer}-{slot}' was fenced {fencings} times; stop other "
                            "runs with this application id, or raise transaction.timeout.ms if a batch takes longer than that"
                        ) from None
            except (AuthenticationError, BrokerUnavailableError) as error:
                failure = error
            if deadline.has_passed():
                raise failure
            self._retries[cause] += 1
            attempt += 1
            CLIENT_LOGGER.warning("%s; retrying with a new producer", failure)
            time.sleep(_RETRY_S)

    def _write_in_transaction(
        self, at: tuple[str, int, int], records: Sequence[SinkRecord], deadline: Deadline, attempt: int, *, alone: bool
    ) -> bool:
        writer, slot, batch = at
        key = (self._settings, writer, slot)
        owner = _WRITERS.take(key)
        if owner is None or not (owner.is_connected() and owner.follows(batch)):
            with self._batch_numbers(writer) as numbers:
                if owner is not None and not (owner.is_connected() and owner.is_last(numbers, deadline)):
                    owner.close()
                    owner = None
                owner = owner or TransactionalWriter(
                    self._settings, writer, slot, numbers, deadline, attempt=attempt, alone=alone
                )
        try:
            written = owner.write(batch, records, self._partitioning, deadline)
        except (KafkaException, BrokerUnavailableError):
            owner.close()
            raise
        except BaseException:
            self._abort(owner)
            raise
        _WRITERS.put(key, owner)
        return written

    def _abort(self, owner: TransactionalWriter) -> None:
        try:
            owner.abort()
        except BrokerError as error:
            LOGGER.warning("readers are blocked until transaction.timeout.ms has passed: %s", error)
        finally:
            owner.close()

    def _write_at_least_once(self, first_turn: int, records: Sequence[SinkRecord]) -> bool:
        try:
            return self._write_idempotently(records, alone=False)
        except RecordsRejectedError as error:
            if error.certain:
                raise
            _warn_of_requests(error)
        self._partitioning.begin_batch(first_turn)
        return self._write_idempotently(records, alone=True)

    def _write_idempotently(self, records: Sequence[SinkRecord], *, alone: bool) -> bool:
        key = (self._settings, alone)
        producer, sender = _PRODUCERS.take(key) or _new_idempotent_producer(self._settings, alone=alone)
        sender.reset()
        try:
            with broker_errors(self._settings, "write a batch"):
                sender.send(producer, records, self._partitioning)
            producer.flush()
            sender.raise_failed()
        except BaseException:
            producer.purge()
            raise
        _PRODUCERS.put(key, (producer, sender))
        return True

    @contextmanager
    def _batch_numbers(self, writer: str) -> Iterator[BatchNumbers]:
        with _BATCH_NUMBERS.client((self._settings, writer), lambda: BatchNumbers(self._settings, writer)) as numbers:
            yield numbers

    @contextmanager
    def _topics(self) -> Iterator[Topics]:
        with _TOPICS.client((self._settings,), lambda: Topics(self._settings)) as topics:
            yield topics

    def _owns(self, key: Hashable) -> bool:
        return isinstance(key, tuple) and key[0] == self._settings


def _warn_of_requests(error: RecordsRejectedError) -> None:
    CLIENT_LOGGER.warning(
        "%s; the records are sent one by one to find out which of them are rejected; if none is, lower batch.size to "
        "max.message.bytes of the topic",
        error,
    )


def _new_idempotent_producer(settings: KafkaSettings, *, alone: bool) -> tuple[Producer, RecordSender]:
    sender = RecordSender(settings, alone=alone)
    producer = new_producer(
        settings,
        defaults={**BATCH_DEFAULTS, "enable.idempotence": "true"},
        fixed=sender.producer_settings,
    )
    return producer, sender


def _no_close(_client: object) -> None:
    """Do nothing: clients whose buffers are empty between batches need no closing."""


_WRITERS: ClientPool[TransactionalWriter] = ClientPool(limit=256, close=TransactionalWriter.close)
_PRODUCERS: ClientPool[tuple[Producer, RecordSender]] = ClientPool(limit=4, close=_no_close)
_BATCH_NUMBERS: ClientPool[BatchNumbers] = ClientPool(limit=8, close=BatchNumbers.close)
_TOPICS: ClientPool[Topics] = ClientPool(limit=4, close=_no_close)
