"""When the keys of a column are worth looking up in a cache."""

from collections.abc import Collection, Hashable, Sequence

_AT_HAND = 1 << 12
"""So many keys stay in the caches of the processor."""


def is_slow_to_look_up(column: Sequence[Hashable], cached: Collection[Hashable]) -> bool:
    """Return whether finding the keys of a column among those that are cached takes longer than decoding or encoding them.

    It does if most of them are different and more keys are cached than the processor keeps at hand.
    """
    return len(cached) > _AT_HAND and len(set(column)) > len(column) // 2
