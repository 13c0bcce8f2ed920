"""Which partition a record goes to, decided as Kafka's own producers decide it, so that their records and ours lie together."""

from collections.abc import Callable, Iterable
from functools import lru_cache

from eddyline.application.ports.event_sink import SinkRecord

_SEED = 0x9747B28C
_MIX = 0x5BD1E995
_WORD = 4
_ALL_BITS = 0xFFFFFFFF
_SIGN_BIT = 0x80000000
_REMEMBERED_KEYS = 1 << 16


def murmur2(data: bytes) -> int:
    """The 32-bit hash of Kafka's clients, signed as in Java."""
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


@lru_cache(maxsize=_REMEMBERED_KEYS)
def partition_for(key: bytes, partitions: int) -> int:
    """The partition, of `partitions` in all, that Kafka's default partitioner gives a record with this key."""
    return (murmur2(key) & 0x7FFFFFFF) % partitions


def spread(
    records: Iterable[SinkRecord], partitions: Callable[[str], int], *, turn: int = 0
) -> dict[tuple[str, int], list[SinkRecord]]:
    """The records by (topic, partition), each list in the order given.

    `partitions` tells how many a topic has. A record's own partition counts; else its key decides; a record without a key takes
    the next partition in turn, the first one of each topic `turn` modulo the partitions, so that a repeated batch falls as it
    fell. Raises ValueError for a record's own partition that the topic does not have.
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
                place = turns.get(topic, turn)
                turns[topic] = place + 1
                partition = place % count
            else:
                partition = partition_for(key, count)
        elif not 0 <= partition < count:
            raise ValueError(f"topic '{topic}' has no partition {partition}; it has 0 to {count - 1}")
        place_of = (topic, partition)
        rows = spread_out.get(place_of)
        if rows is None:
            rows = spread_out[place_of] = []
        rows.append(record)
    return spread_out
