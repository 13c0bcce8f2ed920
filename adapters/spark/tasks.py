"""Numbers that stand for tasks and that Spark's hash spreads evenly: task t falls into partition t modulo the partitions."""

from functools import cache

_MULTIPLIERS = 0xCC9E2D51, 0x1B873593
_ALL_BITS = 0xFFFFFFFF
_SEED = 42


def partition_of(group: int, partitions: int) -> int:
    """The partition that Spark gives a row with this integer as its key."""
    return _signed(_murmur3(group)) % partitions


@cache
def group_of(task: int, partitions: int) -> int:
    """The number that stands for a task: the next one unused that falls into its partition."""
    group = group_of(task - partitions, partitions) + 1 if task >= partitions else 0
    while partition_of(group, partitions) != task % partitions:
        group += 1
    return group


def task_of(group: int, partitions: int) -> int:
    """The task that a number stands for."""
    task = partition_of(group, partitions)
    while group_of(task, partitions) != group:
        task += partitions
    return task


def _murmur3(value: int) -> int:
    """The 32-bit hash of Spark for one integer."""
    word = (value * _MULTIPLIERS[0]) & _ALL_BITS
    word = (_rotated(word, 15) * _MULTIPLIERS[1]) & _ALL_BITS
    hashed = (_rotated(_SEED ^ word, 13) * 5 + 0xE6546B64) & _ALL_BITS
    hashed ^= 4
    hashed = ((hashed ^ (hashed >> 16)) * 0x85EBCA6B) & _ALL_BITS
    hashed = ((hashed ^ (hashed >> 13)) * 0xC2B2AE35) & _ALL_BITS
    return hashed ^ (hashed >> 16)


def _rotated(word: int, bits: int) -> int:
    return ((word << bits) | (word >> (32 - bits))) & _ALL_BITS


def _signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word
