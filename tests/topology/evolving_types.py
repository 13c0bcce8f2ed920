"""Types of values, and what later versions of a flow have in their place."""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


@dataclass
class Stats:
    count: int = 0


@dataclass
class StatsWithTotal:
    count: int = 0
    total: float = 0.0


@dataclass
class StatsWithRequired:
    count: int
    total: float


@dataclass
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


@dataclass
class Tree:
    children: "list[Tree]"


@dataclass
class Outer:
    inner: Stats | None = None


@dataclass
class OuterWithTotal:
    inner: StatsWithTotal | None = None
