"""What the simulated brokers store."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

Partition = tuple[str, int]


class ProducerId(NamedTuple):
    """A producer id with its epoch."""

    number: int
    epoch: int


class Stored(NamedTuple):
    """A record in a partition. `producer` is the number of a transactional producer; a marker has no `fields`."""

    fields: tuple[Any, ...] | None
    producer: int | None = None


@dataclass
class PartitionWriter:
    """A producer in a partition: its epoch, its last batches, and where its open transaction begins."""

    epoch: int
    batches: list[tuple[int, int]] = field(default_factory=list)  # first sequence number and length
    first_open: int | None = None


@dataclass
class PartitionLog:
    """The records of a partition, by offset."""

    records: list[Stored] = field(default_factory=list)
    writers: dict[int, PartitionWriter] = field(default_factory=dict)
    aborted: list[tuple[int, int, int]] = field(default_factory=list)  # producer, first offset, offset of the marker

    @property
    def stable_end(self) -> int:
        """The last stable offset."""
        open_at = [writer.first_open for writer in self.writers.values() if writer.first_open is not None]
        return min(open_at, default=len(self.records))

    def is_visible(self, offset: int) -> bool:
        """Return whether a record below the last stable offset is neither a marker nor aborted."""
        stored = self.records[offset]
        if stored.fields is None:
            return False
        return not any(number == stored.producer and first <= offset < last for number, first, last in self.aborted)


@dataclass
class Transaction:
    """What the coordinator knows of a transactional id; `state` has Kafka's names."""

    producer: ProducerId
    timeout_s: float
    state: str = "Empty"
    partitions: dict[Partition, None] = field(default_factory=dict)
    groups: dict[str, None] = field(default_factory=dict)
    began: float = 0.0
    markers: list[Partition | str] = field(default_factory=list)
