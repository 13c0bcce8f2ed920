"""The functions that `count` and `reduce` aggregate with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


def increment(count: int, _value: object) -> int:
    """Return the count with one more value: the adder of `count`."""
    return count + 1


def decrement(count: int, _value: object) -> int:
    """Return the count with one value less: the subtractor of `count`."""
    return count - 1


def add_counts(one: int, other: int) -> int:
    """Return the sum: what merges counts."""
    return one + other


def no_aggregate() -> None:
    """Return None: the initializer of `reduce`."""


@dataclass(frozen=True, slots=True)
class ReduceAdder:
    """The adder of `reduce`, which also merges its results: the first value is the first aggregate."""

    reducer: Callable[[Any, Any], Any]

    def __call__(self, aggregate: Any, value: Any) -> Any:
        """Return the aggregate with the value, or the value if there is no aggregate yet."""
        return value if aggregate is None else self.reducer(aggregate, value)


class PartialAdder:
    """The adder of an aggregation that merges partial aggregates, each with the number of its records before it."""

    __slots__ = ("merge",)

    def __init__(self, merge: Callable[[Any, Any], Any]) -> None:
        self.merge = merge

    def __call__(self, aggregate: Any, value: tuple[int, Any]) -> Any:
        """Return the aggregate merged with the partial one, or this one if there is no aggregate yet."""
        return value[1] if aggregate is None else self.merge(aggregate, value[1])
