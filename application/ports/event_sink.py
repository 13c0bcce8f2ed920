"""Where results go: batches of raw records, written once however often a batch is repeated."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from eddyline.application.ports.event_log import Headers


class SinkRecord(NamedTuple):
    """One record to be written; `timestamp` is in milliseconds since the epoch.

    `partition` is given where the writer decides it; None leaves it to the sink (by the key's hash, or in turn without a key).
    """

    topic: str
    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: Headers = ()
    partition: int | None = None


class EventSink(ABC):
    """Writes batches of records to topics, each batch once.

    A batch is split into slots (by key, so that a key's records stay in order); slots are written independently, perhaps in
    several processes at once. The pair of writer id and slot remembers the last batch it wrote, durably and together with
    the records: `write` with a batch number that is not greater writes nothing.
    Instances are picklable before their first use.
    """

    @abstractmethod
    def create_topic(self, topic: str, partitions: int) -> None:
        """Makes the topic if it does not exist; an existing one stays as it is."""

    @abstractmethod
    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        """Writes the slot's records of a batch, all of them durably before it returns.

        `writer` names the application; `batch` rises from batch to batch. Returns False when this batch was in already and
        nothing was written. The order of records of one partition is kept.
        """

    def close(self) -> None:
        """Lets go of what the sink holds open; it may be used again afterwards."""
