"""Types of values, and what later versions of a flow have in their place."""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


@dataclass(frozen=True)
class Stats:
    count: int = 0


@dataclass(frozen=True)
class StatsWithTotal:
    count: int = 0
    total: float = 0.0


@dataclass(frozen=True)
class StatsWithRequired:
    count: int
    total: float


@dataclass(frozen=True)
class Renamed:
    number: int = 0


class Color(Enum):
    RED = "red"


class MoreColors(Enum):
    RED = "red"
    BLUE = "blue"


class Pair(NamedTuple):
    left: int
    right: str


@dataclass(frozen=True)
class Tree:
    children: "list[Tree]"


@dataclass(frozen=True)
class Outer:
    inner: Stats | None = None


@dataclass(frozen=True)
class OuterWithTotal:
    inner: StatsWithTotal | None = None
