"""Writes the batches of one slot, each in one transaction together with its number."""

import time
from collections.abc import Callable, Sequence

from confluent_kafka import KafkaException, Producer

from adapters.kafka.batch_numbers import BatchNumbers
from adapters.kafka.clients import new_producer
from adapters.kafka.deliveries import Deliveries
from adapters.kafka.partitioning import CLIENT_DEFAULTS
from adapters.kafka.settings import KafkaSettings
from application.ports.event_sink import SinkRecord

_LEAST_S = 1.0
_MOST_S = 30.0
_ABORT_S = 5.0
_DEFAULTS = {**CLIENT_DEFAULTS, "queue.buffering.max.kbytes": "65536"}


class Patience:
    """The time that is left for a batch, `timeout_s` from now on."""

    def __init__(self, timeout_s: float) -> None:
        self._end = time.monotonic() + timeout_s

    def is_over(self) -> bool:
        """Whether no time is left."""
        return time.monotonic() >= self._end

    def next_s(self) -> float:
        """How long the next call may wait: at least a second, at most 30."""
        return min(max(self._end - time.monotonic(), _LEAST_S), _MOST_S)


class SlotWriter:
    """A transactional producer that owns a slot from the moment it is made.

    Making it fences an earlier owner, whose open transaction is aborted, and only then asks for the last batch: the answer
    would be waited for as long as a transaction hangs. From then on no one else can have written without fencing this one.
    Raises KafkaException or BrokerError when the brokers fail; the writer must be discarded then.
    """

    def __init__(self, settings: KafkaSettings, writer: str, slot: int, numbers: BatchNumbers, patience: Patience) -> None:
        self._slot = slot
        self._deliveries = Deliveries(settings)
        self._numbers = numbers
        numbers.prepare(slot)
        self._producer: Producer = new_producer(
            settings,
            defaults=_DEFAULTS,
            fixed={
                "transactional.id": f"{writer}-{slot}",
                "delivery.report.only.error": True,
                "on_delivery": self._deliveries.on_delivery,
            },
        )
        self._insist(self._producer.init_transactions, patience)
        self._last = numbers.last(slot, patience.next_s())
        self._group = numbers.group()

    def write(self, batch: int, records: Sequence[SinkRecord], choose: Callable[[SinkRecord], int], patience: Patience) -> bool:
        """Writes a batch that is not in yet; False when it is. Raises DeliveryError when a record is refused: nothing is in."""
        if self._last is not None and batch <= self._last:
            return False
        self._deliveries.forget()
        try:
            self._write(batch, records, choose, patience)
        except KafkaException:
            self._producer.poll(0)
            self._deliveries.check()
            raise
        self._last = batch
        return True

    def _write(self, batch: int, records: Sequence[SinkRecord], choose: Callable[[SinkRecord], int], patience: Patience) -> None:
        self._producer.begin_transaction()
        self._deliveries.send(self._producer, records, choose)
        place = self._numbers.place(self._slot, batch)
        self._insist(lambda timeout_s: self._producer.send_offsets_to_transaction(place, self._group, timeout_s), patience)
        self._producer.flush(patience.next_s())
        self._deliveries.check()
        self._insist(self._producer.commit_transaction, patience)

    def discard(self) -> None:
        """Gives the open transaction up, as far as the brokers can be told, and drops what is still in the buffer."""
        try:
            self._producer.abort_transaction(_ABORT_S)
        except KafkaException:
            self._producer.purge()

    def close(self) -> None:
        """Leaves the brokers; there is nothing left to be written between batches."""
        self._producer.purge()

    def _insist(self, call: Callable[[float], None], patience: Patience) -> None:
        while True:
            try:
                call(patience.next_s())
            except KafkaException as error:
                if not error.args[0].retriable() or patience.is_over():
                    raise
            else:
                return
