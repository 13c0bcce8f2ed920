"""The integers that stand for tasks in Spark's rows, chosen so that Spark's hash spreads tasks evenly over its partitions.

Task t belongs to partition t modulo the number of partitions. Each integer is computed once.
"""

_MULTIPLIERS = 0xCC9E2D51, 0x1B873593
_ALL_BITS = 0xFFFFFFFF
_SEED = 42


class TaskIds:
    """Converts between tasks and the integers that Spark groups their rows by, for a number of Spark partitions."""

    def __init__(self, partitions: int) -> None:
        self._partitions = partitions
        self._groups: list[int] = []
        self._tasks: dict[int, int] = {}

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
        group = self._groups[task - self._partitions] + 1 if task >= self._partitions else 0
        while spark_partition(group, self._partitions) != task % self._partitions:
            group += 1
        self._groups.append(group)
        self._tasks[group] = task


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
