"""Chooses the partition of a record like Kafka's default partitioner: records with equal keys are in the same partition."""

import struct
import sys
from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.topology.nodes import Partitioner

LONGEST_CACHED_KEY = 256
"""The partitions and the decoded or encoded forms of longer keys, in bytes, are not cached, which bounds the caches in bytes."""

_SEED = 0x9747B28C
_MIX = 0x5BD1E995
_WORD = 4
_ALL_BITS = 0xFFFFFFFF
_SIGN_BIT = 0x80000000
_CACHED_KEYS = 1 << 16
_FEW = 16
_MIN_BLOCK_BYTES = 64
_BLOCK_BYTES = 1 << 15
_LANES = int.from_bytes(b"\xff\xff\xff\xff\0\0\0\0" * (_BLOCK_BYTES // _WORD), "little")


def murmur2(data: bytes) -> int:
    """Return the 32-bit murmur2 hash as Kafka's clients compute it, signed as in Java."""
    length = len(data)
    words = length // _WORD * _WORD
    hashed = (_SEED ^ length) & _ALL_BITS
    if words >= _MIN_BLOCK_BYTES:
        for start in range(0, words, _BLOCK_BYTES):
            for word in _mixed_words(data[start : min(start + _BLOCK_BYTES, words)]):
                hashed = ((hashed * _MIX) & _ALL_BITS) ^ word
    else:
        for start in range(0, words, _WORD):
            word = (int.from_bytes(data[start : start + _WORD], "little") * _MIX) & _ALL_BITS
            word = ((word ^ (word >> 24)) * _MIX) & _ALL_BITS
            hashed = ((hashed * _MIX) & _ALL_BITS) ^ word
    if words < length:
        hashed = ((hashed ^ int.from_bytes(data[words:], "little")) * _MIX) & _ALL_BITS
    hashed = ((hashed ^ (hashed >> 13)) * _MIX) & _ALL_BITS
    hashed ^= hashed >> 15
    return hashed - (1 << 32) if hashed & _SIGN_BIT else hashed


def _mixed_words(block: bytes) -> Iterable[int]:
    """Return the mixed 32-bit words of a block, all mixed at once: each is in the lower half of 64 bits of one large integer."""
    count = len(block) // _WORD
    return _from_lanes(_mixed(_to_lanes(struct.unpack(f"<{count}I", block)), _LANES), count)


def _murmur2_of_all(keys: Sequence[bytes]) -> Sequence[int]:
    """Return the hashes of keys of one length as unsigned numbers, all computed at once: each is a lane, as above."""
    count, length = len(keys), len(keys[0])
    words, tail = divmod(length, _WORD)
    padding, stride = bytes(-length % _WORD), words + (tail > 0)
    columns = struct.unpack(f"<{count * stride}I", padding.join(keys) + padding)
    lanes = _to_lanes([_ALL_BITS] * count)
    hashed = _to_lanes([(_SEED ^ length) & _ALL_BITS] * count)
    for number in range(words):
        hashed = (hashed * _MIX & lanes) ^ _mixed(_to_lanes(columns[number::stride]), lanes)
    if tail:
        hashed = (hashed ^ _to_lanes(columns[words::stride])) * _MIX & lanes
    hashed = ((hashed ^ (hashed >> 13)) & lanes) * _MIX & lanes
    return _from_lanes((hashed ^ (hashed >> 15)) & lanes, count)


def _mixed(words: int, lanes: int) -> int:
    """Return the mixed words of all lanes; `lanes` has all bits of each word."""
    words = words * _MIX & lanes
    return ((words ^ (words >> 24)) & lanes) * _MIX & lanes


def _to_lanes(words: Iterable[int]) -> int:
    """Return one large integer with 32-bit words, each in the lower half of 64 bits."""
    found = array("Q", words)
    if sys.byteorder == "big":
        found.byteswap()
    return int.from_bytes(found.tobytes(), "little")


def _from_lanes(lanes: int, count: int) -> Sequence[int]:
    """Return the words of an integer that `_to_lanes` has returned."""
    found = array("Q", lanes.to_bytes(2 * _WORD * count, "little"))
    if sys.byteorder == "big":
        found.byteswap()
    return found


class Partitions(dict[bytes, int]):
    """The partition of each key in a topic with `count` partitions; computed when needed, and cached for short keys."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count

    def __missing__(self, key: bytes) -> int:
        """Compute the partition of a key."""
        found = (murmur2(key) & 0x7FFFFFFF) % self._count
        if len(key) <= LONGEST_CACHED_KEY:
            if len(self) >= _CACHED_KEYS:
                self.clear()
            self[key] = found
        return found

    def of_all(self, keys: Sequence[bytes]) -> list[int]:
        """Return the partitions of many keys; those of one length that are not cached are computed together."""
        missing = {key for key in keys if key not in self}
        if len(self) + len(missing) > _CACHED_KEYS:
            self.clear()
            missing = set(keys)
        if len(missing) >= _FEW:
            for length, group in groupby(sorted(missing, key=len), len):
                if 0 < length <= LONGEST_CACHED_KEY:
                    found = list(group)
                    hashes = _murmur2_of_all(found)
                    self.update(zip(found, [(hashed & 0x7FFFFFFF) % self._count for hashed in hashes], strict=True))
        return list(map(self.__getitem__, keys))


@cache
def partitions_of(count: int) -> Partitions:
    """Return the partitions that Kafka's default partitioner chooses for keys, one of `count` for each."""
    return Partitions(count)


def partition_for(key: bytes, partitions: int) -> int:
    """Return the partition, one of `partitions`, that Kafka's default partitioner chooses for a key."""
    return partitions_of(partitions)[key]


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
    chosen: dict[str, Partitions] = {}
    turns: dict[str, int] = {}
    for record in records:
        topic, key = record.topic, record.key
        count = counts.get(topic)
        if count is None:
            count = counts[topic] = partitions(topic)
            chosen[topic] = partitions_of(count)
        partition = record.partition
        if partition is None:
            if key is None:
                number = turns.get(topic, turn)
                turns[topic] = number + 1
                partition = number % count
            else:
                partition = chosen[topic][key]
        elif not 0 <= partition < count:
            raise ValueError(f"topic '{topic}' has no partition {partition}; it has 0 to {count - 1}")
        target = (topic, partition)
        rows = spread_out.get(target)
        if rows is None:
            rows = spread_out[target] = []
        rows.append(record)
    return spread_out
