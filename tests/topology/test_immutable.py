from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from enum import Enum
from threading import Lock
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, Optional, TypeVar
from uuid import UUID

import pytest

from eddyline.application.topology.immutable import is_immutable, own_copy

T = TypeVar("T")

Ticker = NewType("Ticker", str)


class Side(Enum):
    BUY = "buy"


class Point(NamedTuple):
    x: int
    tags: tuple[str, ...] = ()


class Path(NamedTuple):
    points: list[int]


@dataclass(frozen=True)
class Fixed:
    number: int
    parent: Fixed | None = None


@dataclass(frozen=True)
class Box(Generic[T]):
    content: T


@dataclass(frozen=True, slots=True)
class Basket:
    items: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Anything:
    value: Any


@dataclass
class Changing:
    numbers: list[int]


@dataclass(eq=False)
class WithHash:
    number: int


@dataclass(unsafe_hash=True)
class Fields:
    number: int


@dataclass
class Locked:
    lock: Any


@pytest.mark.parametrize(
    "found",
    [
        str,
        int | None,
        Optional[Decimal],  # noqa: UP045 - as users may write it
        datetime,
        timedelta,
        UUID,
        Side,
        Ticker,
        Literal["a"],
        Annotated[int, "cents"],
        tuple[str, ...],
        frozenset[int],
        Point,
        Fixed,
        Fields,
        Box[int],
        tuple[Fixed, Side],
    ],
)
def test_of_a_type_without_parts_that_change_no_value_is_copied(found: Any) -> None:
    assert is_immutable(found)


@pytest.mark.parametrize(
    "found",
    [list[str], dict, Path, Basket, Anything, Changing, WithHash, Box, Box[list[int]], tuple, tuple[list[int]], Any, object],
)
def test_of_other_types_values_are_copied(found: Any) -> None:
    assert not is_immutable(found)


def test_lists_of_an_operator_are_not_changed() -> None:
    assert is_immutable(tuple[list[str], int], own_lists=True)
    assert not is_immutable(list[list[str]], own_lists=True)


@pytest.mark.parametrize(
    "value", ["text", b"bytes", 7, 7.5, True, None, Fixed(7), Anything(7), (7, "text"), (Fixed(7), None), Point(1), Side.BUY]
)
def test_a_value_that_nobody_can_change_is_shared(value: Any) -> None:
    assert own_copy(value) is value


@pytest.mark.parametrize(
    "value",
    [
        [7],
        [[7]],
        {"a": 7},
        {"a": [7]},
        {7},
        Counter("ab"),
        Changing([7]),
        Anything([7]),
        (7, [8]),
        ([8], 7),
        Path([7]),
        Basket(["tea"]),
        Box([7]),
    ],
)
def test_a_value_that_can_be_changed_is_copied_with_its_parts(value: Any) -> None:
    copied = own_copy(value)
    assert copied == value
    assert type(copied) is type(value)
    assert copied is not value


def test_parts_of_a_copy_are_copies() -> None:
    numbers = [7]
    for copied in (own_copy([numbers])[0], own_copy({"a": numbers})["a"], own_copy(Changing(numbers)).numbers):
        assert copied == numbers
        assert copied is not numbers


def test_a_value_that_cannot_be_copied_is_refused() -> None:
    with pytest.raises(TypeError, match=r"a value of type '.*lock' cannot be copied: .* frozen dataclass"):
        own_copy(Locked(Lock()))
