"""The event sink on Kafka topics: exactly once by transactions, or at least once."""

import re
import time
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum

from confluent_kafka import KafkaException, Producer

from eddyline.adapters.kafka.batch_numbers import BatchNumbers
from eddyline.adapters.kafka.clients import LOGGER, Kept, as_broker_error, broker_errors, new_producer
from eddyline.adapters.kafka.deliveries import BATCHING_DEFAULTS, BUFFER_DEFAULTS, Deliveries
from eddyline.adapters.kafka.errors import BrokerUnavailableError, FencedError
from eddyline.adapters.kafka.partitioning import CLIENT_DEFAULTS, Partitioner, Partitioning
from eddyline.adapters.kafka.settings import KafkaSettings, Value
from eddyline.adapters.kafka.slot_writer import Patience, SlotWriter
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_sink import EventSink, SinkRecord
from eddyline.application.runtime.dead_letters import holds_dead_letters

_ROOMY = {"max.message.bytes": "67108864"}
"""A dead letter is the record and the reason: it must find room wherever the record did."""

_MOST_FENCINGS = 3
_PAUSE_S = 0.5
_FINAL = re.compile("AUTHORIZATION|AUTHENTICATION|UNSUPPORTED|INVALID_TRANSACTION_TIMEOUT|INVALID_ARG")
_FENCED = {"_FENCED", "PRODUCER_FENCED", "INVALID_PRODUCER_EPOCH"}


class Guarantee(StrEnum):
    """What a repeated batch leads to: nothing (exactly once), or its records once more (at least once)."""

    EXACTLY_ONCE = "exactly-once"
    AT_LEAST_ONCE = "at-least-once"


class KafkaEventSink(EventSink):
    """Writes to topics of a Kafka cluster.

    Exactly once: a slot's batch is one transaction of the transactional id `<writer>-<slot>`, committed together with the
    batch number. A failure of the brokers is met by taking the slot anew (which aborts what hangs), asking for the number,
    and writing again if need be, for `timeout_s`. At least once: an idempotent producer whose buffer is emptied before
    `write` returns.
    `settings` are Kafka's dotted names (KafkaSettings), passed on verbatim; a full buffer slows the writer. `partitioner` as in
    Partitioning. Records travel compressed with lz4 unless `compression.type` says otherwise. Producers are kept within the
    process and used again by every sink with the same settings.
    Kafka's client cannot write the timestamp 0: 1 is written instead. Records of up to 60 MB are handed to the brokers, where a
    topic's `max.message.bytes` decides; topics of dead letters that are made here take them all.
    Raises DeliveryError for records that the brokers refuse, FencedError when another writer keeps taking the slot,
    BrokerUnavailableError when time is up, UnknownTopicError for a topic that does not exist, ValueError for a partition that
    a topic does not have. After `write` returns, brokers may take some milliseconds more until readers see the records.
    """

    def __init__(
        self,
        settings: KafkaSettings | Mapping[str, Value],
        *,
        guarantee: Guarantee | str = Guarantee.EXACTLY_ONCE,
        partitioner: str | Partitioner = "by-key",
        timeout_s: float = 180.0,
    ) -> None:
        self._settings = settings if isinstance(settings, KafkaSettings) else KafkaSettings(settings)
        self._guarantee = Guarantee(guarantee)
        self._rule = partitioner
        self._timeout_s = timeout_s
        self._lazy_partitioning: Partitioning | None = None
        Partitioning(partitioner, self._settings, len)

    def create_topic(self, topic: str, partitions: int) -> None:
        with self._topics() as topics:
            topics.create(topic, partitions, config=_ROOMY if holds_dead_letters(topic) else None)

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        partitioning = self._partitioning
        partitioning.begin(slot + batch)
        if self._guarantee is Guarantee.AT_LEAST_ONCE:
            return self._write_at_least_once(records)
        return self._write_exactly_once(writer, slot, batch, records)

    def last_batch(self, writer: str, slot: int) -> int | None:
        """The last batch that the slot has written, None before the first.

        Waits for an open transaction of the slot, which ends at the latest after its `transaction.timeout.ms`.
        """
        with self._numbers(writer) as numbers:
            return numbers.last(slot, self._timeout_s)

    def close(self) -> None:
        for kept in (_WRITERS, _PRODUCERS, _NUMBERS, _TOPICS):
            kept.close_all(self._owns)

    def __repr__(self) -> str:
        return f"KafkaEventSink({self._settings.bootstrap_servers}, {self._guarantee})"

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_lazy_partitioning": None}

    @property
    def _partitioning(self) -> Partitioning:
        if self._lazy_partitioning is None:
            self._lazy_partitioning = Partitioning(self._rule, self._settings, self._partitions_of)
        return self._lazy_partitioning

    def _partitions_of(self, topic: str) -> int:
        with self._topics() as topics:
            return topics.partitions(topic)

    def _write_exactly_once(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        patience = Patience(self._timeout_s)
        fencings = 0
        doing = f"write batch {batch} of slot {slot} of {writer!r}"
        while True:
            try:
                return self._try(writer, slot, batch, records, patience)
            except KafkaException as error:
                failure = as_broker_error(self._settings, doing, error)
                if _FINAL.search(error.args[0].name()):
                    raise failure from None
                if error.args[0].name() in _FENCED:
                    fencings += 1
                    if fencings > _MOST_FENCINGS:
                        raise FencedError(
                            f"could not {doing}: another process with the same writer and slot took it over {fencings} times; "
                            "does the application run twice under one id?"
                        ) from None
            except BrokerUnavailableError as error:
                failure = error
            if patience.is_over():
                raise failure
            LOGGER.warning("%s; taking the slot anew", failure)
            time.sleep(_PAUSE_S)

    def _try(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord], patience: Patience) -> bool:
        key = (self._settings, writer, slot)
        owner = _WRITERS.take(key)
        if owner is None:
            with self._numbers(writer) as numbers:
                owner = SlotWriter(self._settings, writer, slot, numbers, patience)
        try:
            written = owner.write(batch, records, self._partitioning.choose, patience)
        except (KafkaException, BrokerUnavailableError):
            owner.close()
            raise
        except BaseException:
            self._abort(owner)
            raise
        _WRITERS.keep(key, owner)
        return written

    def _abort(self, owner: SlotWriter) -> None:
        try:
            owner.give_up()
        except (KafkaException, BrokerUnavailableError) as error:
            LOGGER.warning("a transaction could not be aborted and is left to its timeout: %s", self._settings.hide(str(error)))
        finally:
            owner.close()

    def _write_at_least_once(self, records: Sequence[SinkRecord]) -> bool:
        key = (self._settings,)
        producer, deliveries = _PRODUCERS.take(key) or _new_idempotent(self._settings)
        deliveries.forget()
        try:
            with broker_errors(self._settings, "write"):
                deliveries.send(producer, records, self._partitioning.choose)
            producer.flush()
            deliveries.check_all()
        except BaseException:
            producer.purge()
            raise
        _PRODUCERS.keep(key, (producer, deliveries))
        return True

    @contextmanager
    def _numbers(self, writer: str) -> Iterator[BatchNumbers]:
        with _NUMBERS.borrowed((self._settings, writer), lambda: BatchNumbers(self._settings, writer)) as numbers:
            yield numbers

    @contextmanager
    def _topics(self) -> Iterator[Topics]:
        with _TOPICS.borrowed((self._settings,), lambda: Topics(self._settings)) as topics:
            yield topics

    def _owns(self, key: Hashable) -> bool:
        return isinstance(key, tuple) and key[0] == self._settings


def _new_idempotent(settings: KafkaSettings) -> tuple[Producer, Deliveries]:
    deliveries = Deliveries(settings)
    producer = new_producer(
        settings,
        defaults={**CLIENT_DEFAULTS, **BATCHING_DEFAULTS, **BUFFER_DEFAULTS, "enable.idempotence": "true"},
        fixed={"delivery.report.only.error": True, "on_delivery": deliveries.on_delivery},
    )
    return producer, deliveries


def _nothing_to_close(_kept: object) -> None:
    """What needs no farewell: its buffers are empty between batches."""


_WRITERS: Kept[SlotWriter] = Kept(limit=64, close=SlotWriter.close)
_PRODUCERS: Kept[tuple[Producer, Deliveries]] = Kept(limit=4, close=_nothing_to_close)
_NUMBERS: Kept[BatchNumbers] = Kept(limit=8, close=BatchNumbers.close)
_TOPICS: Kept[Topics] = Kept(limit=4, close=_nothing_to_close)
