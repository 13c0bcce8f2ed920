"""Columns of which some values are None, which are left out where the others are encoded or decoded together."""

from collections.abc import Sequence
from typing import Any, TypeVar

T = TypeVar("T")


def present_in(column: Sequence[T | None]) -> list[T]:
    """Return the values of a column that are not None."""
    return [value for value in column if value is not None]


def with_nulls(column: Sequence[Any], found: Sequence[Any]) -> Sequence[Any]:
    """Return what was found for the values of a column that are not None, and None for the others."""
    if len(found) == len(column):
        return found
    left = iter(found)
    return [None if value is None else next(left) for value in column]
