"""The integers that stand for tasks in Spark's rows, chosen so that Spark's hash spreads tasks evenly over its partitions.

Task t belongs to the partition that it is assigned to; without an assignment, to partition t modulo the number of partitions.
Each integer is computed once.
"""

from collections.abc import Sequence

_MULTIPLIERS = 0xCC9E2D51, 0x1B873593
_ALL_BITS = 0xFFFFFFFF
_SEED = 42


class TaskIds:
    """Converts between tasks and the integers that Spark groups their rows by, for a number of Spark partitions.

    `assigned` has the partitions of the first tasks.
    """

    def __init__(self, partitions: int, assigned: Sequence[int] = ()) -> None:
        self._partitions, self._assigned = partitions, tuple(assigned)
        self._groups: list[int] = []
        self._tasks: dict[int, int] = {}
        self._next = [0] * partitions

    def partition(self, task: int) -> int:
        """Return the Spark partition of a task."""
        return self._assigned[task] if task < len(self._assigned) else task % self._partitions

    def group(self, task: int) -> int:
        """Return the integer that stands for a task: the next one that Spark's hash puts into the partition of the task."""
        while len(self._groups) <= task:
            self._add()
        return self._groups[task]

    def task(self, group: int) -> int:
        """Return the task that an integer from `group` stands for."""
        while group not in self._tasks:
            self._add()
        return self._tasks[group]

    def _add(self) -> None:
        task = len(self._groups)
        partition = self.partition(task)
        group = self._next[partition]
        while spark_partition(group, self._partitions) != partition:
            group += 1
        self._next[partition] = group + 1
        self._groups.append(group)
        self._tasks[group] = task

    def __reduce__(self) -> tuple[type["TaskIds"], tuple[int, Sequence[int]]]:
        return TaskIds, (self._partitions, self._assigned)


def spark_partition(value: int, partitions: int) -> int:
    """Return the partition that Spark's hash partitioning puts a row with this integer into."""
    return _signed(_murmur3(value)) % partitions


def _murmur3(value: int) -> int:
    """Return Spark's 32-bit Murmur3 hash of one integer."""
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
