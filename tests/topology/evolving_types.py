"""Types of values, and what later versions of a flow have in their place."""

from dataclasses import dataclass
from enum import Enum
from typing import Generic, NamedTuple, NewType, TypeVar

import typing_extensions
from pydantic import BaseModel

T = TypeVar("T")


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


class Model(BaseModel):
    count: int = 0


class ModelWithTotal(BaseModel):
    count: int = 0
    total: float = 0.0


class RenamedModel(BaseModel):
    number: int = 0


@dataclass(frozen=True)
class Box(Generic[T]):
    content: T | None = None


@dataclass(frozen=True)
class RenamedBox(Generic[T]):
    inside: T | None = None


class Swapped(NamedTuple):
    right: str
    left: int


class RenamedPair(NamedTuple):
    first: int
    second: str


class Triple(NamedTuple):
    left: int
    right: str
    middle: int = 0


class Options(typing_extensions.TypedDict):
    """Pydantic takes this kind alone before Python 3.12."""

    depth: int


class RenamedOptions(typing_extensions.TypedDict, total=False):
    height: int


Count = NewType("Count", int)
Text = NewType("Text", str)
