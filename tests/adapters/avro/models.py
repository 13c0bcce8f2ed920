from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any, Generic, Literal, TypeVar
from uuid import UUID

T = TypeVar("T")


class Side(Enum):
    BUY = "buy"
    SELL = "sell"


class Level(Enum):
    INFO = 1
    ERROR = 2
    UNKNOWN = 0


@dataclass(frozen=True)
class Trade:
    type: str
    ticker: str
    price: float
    size: int = 0


@dataclass(frozen=True)
class Leg:
    price: Decimal
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Node:
    name: str
    children: "list[Node]" = field(default_factory=list)


@dataclass(frozen=True)
class Pair(Generic[T]):
    first: T
    second: T


@dataclass(frozen=True, slots=True, kw_only=True)
class Everything:
    text: str
    whole: int
    fraction: float
    truth: bool
    raw: bytes
    money: Decimal
    day: date
    clock: time
    instant: datetime
    identity: UUID
    side: Side
    level: Level
    mode: Literal["fast", "slow"]
    legs: list[Leg]
    names: dict[str, int]
    maybe: str | None
    several: int | str | Leg | Side | None
    nested: dict[str, list[Leg | None]]
    open_value: Any
    pair_of_legs: Pair[Leg]
