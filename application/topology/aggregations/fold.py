"""How the records of a key, a window or a session become one aggregate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Fold:
    """The functions that make one aggregate of many values.

    Attributes:
        initial: Returns the aggregate of no values, None if the first value begins it.
        add: Returns the aggregate with one value more, for (aggregate, value), or (key, aggregate, value) with `with_key`.
        merge: Returns the aggregate of two of different values; None if they cannot be merged.
        subtract: Returns the aggregate with one value less, as `add` one with one more; None if values cannot be taken away.
        in_order: Whether aggregates may be merged only in the order of their values, as those of sessions are.
        with_key: Whether `add` and `subtract` take the key first.
    """

    initial: Callable[[], Any]
    add: Callable[..., Any]
    merge: Callable[[Any, Any], Any] | None = None
    subtract: Callable[..., Any] | None = None
    in_order: bool = False
    with_key: bool = False

    @property
    def counts(self) -> bool:
        """Whether the aggregate is the number of values."""
        return self.add is increment

    def keyed_add(self) -> Callable[[Any, Any, Any], Any]:
        """Return `add` as a function of (key, aggregate, value)."""
        add = self.add
        return add if self.with_key else lambda _key, aggregate, value: add(aggregate, value)

    def single(self) -> Callable[[Any, Any], Any]:
        """Return the function that returns the aggregate of one value, for (key, value)."""
        initial, add = self.initial, self.keyed_add()
        return lambda key, value: add(key, initial(), value)

    def keyed_subtract(self) -> Callable[[Any, Any, Any], Any]:
        """Return `subtract`, which the fold has, as a function of (key, aggregate, value)."""
        subtract: Any = self.subtract
        return subtract if self.with_key else lambda _key, aggregate, value: subtract(aggregate, value)

    def of_partials(self, partial: Callable[[Any], Any] | None = None) -> Fold:
        """Return the fold of partial aggregates, which can be merged; `partial` returns that of a value, if it is not one."""
        merge: Any = self.merge
        add = ReduceAdder(merge) if partial is None else PartialAdder(merge, partial)
        return replace(self, initial=no_aggregate, add=add, with_key=False)


def increment(count: int, _value: object) -> int:
    """Return the count with one more value."""
    return count + 1


def decrement(count: int, _value: object) -> int:
    """Return the count with one value less."""
    return count - 1


def add_counts(one: int, other: int) -> int:
    """Return the sum of two counts."""
    return one + other


def no_aggregate() -> None:
    """Return None, in place of which the first value is the first aggregate."""


@dataclass(frozen=True, slots=True)
class ReduceAdder:
    """Adds a value to an aggregate of the same type: the first value is the first aggregate."""

    reducer: Callable[[Any, Any], Any]

    def __call__(self, aggregate: Any, value: Any) -> Any:
        """Return the aggregate with the value, or the value if there is no aggregate yet."""
        return value if aggregate is None else self.reducer(aggregate, value)


@dataclass(frozen=True, slots=True)
class PartialAdder:
    """Adds the partial aggregate that a value has: the first one is the first aggregate."""

    merge: Callable[[Any, Any], Any]
    partial: Callable[[Any], Any]

    def __call__(self, aggregate: Any, value: Any) -> Any:
        """Return the aggregate merged with the partial one of the value, or this one if there is no aggregate yet."""
        found = self.partial(value)
        return found if aggregate is None else self.merge(aggregate, found)


COUNT = Fold(int, increment, add_counts, decrement)
"""Counts values."""


def reduction(
    reducer: Callable[[Any, Any], Any],
    merge: Callable[[Any, Any], Any] | None = None,
    subtract: Callable[[Any, Any], Any] | None = None,
    *,
    in_order: bool = False,
) -> Fold:
    """Return the fold of values into an aggregate of their type, of which the first one is the first value."""
    return Fold(no_aggregate, ReduceAdder(reducer), merge, subtract, in_order)
