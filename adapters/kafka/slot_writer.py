"""Writes the batches of one slot, each in one transaction together with its number."""

import time
from collections.abc import Callable, Sequence

from confluent_kafka import KafkaException, Producer

from eddyline.adapters.kafka.batch_numbers import BatchNumbers
from eddyline.adapters.kafka.bounded import bounded, bury
from eddyline.adapters.kafka.clients import new_producer
from eddyline.adapters.kafka.deliveries import BATCHING_DEFAULTS, BUFFER_DEFAULTS, Deliveries
from eddyline.adapters.kafka.partitioning import CLIENT_DEFAULTS
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_sink import SinkRecord

_FLUSH_S = 1.0
_LEAST_S = 1.0
_MOST_S = 15.0
_ABORT_S = 5.0
_DEFAULTS = {**CLIENT_DEFAULTS, **BATCHING_DEFAULTS, **BUFFER_DEFAULTS}


class Patience:
    """The time that is left for a batch, `timeout_s` from now on."""

    def __init__(self, timeout_s: float) -> None:
        self._end = time.monotonic() + timeout_s

    def is_over(self) -> bool:
        """Whether no time is left."""
        return time.monotonic() >= self._end

    def next_s(self) -> float:
        """How long the next call may wait: at least a second, at most 15."""
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
        bounded("take the slot", self._producer.init_transactions, patience.next_s())
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
        bounded(
            "send the batch number",
            lambda timeout_s: self._producer.send_offsets_to_transaction(place, self._group, timeout_s),
            patience.next_s(),
        )
        while self._producer.flush(_FLUSH_S) and not patience.is_over():
            self._deliveries.check()
        self._deliveries.check()
        bounded("commit", self._producer.commit_transaction, patience.next_s())

    def give_up(self) -> None:
        """Aborts the open transaction, so that readers do not wait for it. Raises KafkaException or BrokerError."""
        self._producer.purge()
        bounded("abort", self._producer.abort_transaction, _ABORT_S)

    def close(self) -> None:
        """Leaves the brokers, whatever state the writer is in."""
        self._producer.purge()
        bury(self._producer)
