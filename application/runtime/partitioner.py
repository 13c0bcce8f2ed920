"""Chooses the partition of a record like Kafka's default partitioner: records with equal keys are in the same partition."""

from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from typing import Any

from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.topology.nodes import Partitioner

_SEED = 0x9747B28C
_MIX = 0x5BD1E995
_WORD = 4
_ALL_BITS = 0xFFFFFFFF
_SIGN_BIT = 0x80000000
_CACHED_KEYS = 1 << 16


def murmur2(data: bytes) -> int:
    """Return the 32-bit murmur2 hash as Kafka's clients compute it, signed as in Java."""
    length = len(data)
    words = length // _WORD * _WORD
    hashed = (_SEED ^ length) & _ALL_BITS
    for start in range(0, words, _WORD):
        word = (int.from_bytes(data[start : start + _WORD], "little") * _MIX) & _ALL_BITS
        word = ((word ^ (word >> 24)) * _MIX) & _ALL_BITS
        hashed = ((hashed * _MIX) & _ALL_BITS) ^ word
    if words < length:
        hashed = ((hashed ^ int.from_bytes(data[words:], "little")) * _MIX) & _ALL_BITS
    hashed = ((hashed ^ (hashed >> 13)) * _MIX) & _ALL_BITS
    hashed ^= hashed >> 15
    return hashed - (1 << 32) if hashed & _SIGN_BIT else hashed


@lru_cache(maxsize=_CACHED_KEYS)
def partition_for(key: bytes, partitions: int) -> int:
    """Return the partition, one of `partitions`, that Kafka's default partitioner chooses for a key."""
    return (murmur2(key) & 0x7FFFFFFF) % partitions


def chosen_partitions(partitioner: Partitioner, key: Any, value: Any, topic: str, partitions: int) -> Collection[int] | None:
    """Return the partitions that a user's partitioner chooses for a record, None for the default one.

    Raises:
        ValueError: It chose a partition that the topic does not have.
    """
    chosen = partitioner(key, value, partitions)
    if chosen is None:
        return None
    found = (chosen,) if isinstance(chosen, int) else chosen
    for partition in found:
        if not 0 <= partition < partitions:
            raise ValueError(
                f"the partitioner of topic '{topic}' chose partition '{partition}' for key {key!r}; the topic has 0 to "
                f"{partitions - 1}; return one of these, a collection of them, or None for the default partitioner"
            )
    return found


def spread(
    records: Iterable[SinkRecord], partitions: Callable[[str], int], *, turn: int = 0
) -> dict[tuple[str, int], list[SinkRecord]]:
    """Return the records by topic and partition, in their order.

    A record with a partition stays in it. Otherwise the hash of its key chooses the partition; records without a key are spread
    round-robin.

    Args:
        records: the records.
        partitions: returns the number of partitions of a topic.
        turn: where the round-robin begins; with the same number, a repeated batch has the same partitions.

    Raises:
        ValueError: a record has a partition that does not exist in its topic.
    """
    spread_out: dict[tuple[str, int], list[SinkRecord]] = {}
    counts: dict[str, int] = {}
    turns: dict[str, int] = {}
    for record in records:
        topic, key = record.topic, record.key
        count = counts.get(topic)
        if count is None:
            count = counts[topic] = partitions(topic)
        partition = record.partition
        if partition is None:
            if key is None:
                number = turns.get(topic, turn)
                turns[topic] = number + 1
                partition = number % count
            else:
                partition = partition_for(key, count)
        elif not 0 <= partition < count:
            raise ValueError(f"topic '{topic}' has no partition {partition}; it has 0 to {count - 1}")
        target = (topic, partition)
        rows = spread_out.get(target)
        if rows is None:
            rows = spread_out[target] = []
        rows.append(record)
    return spread_out
