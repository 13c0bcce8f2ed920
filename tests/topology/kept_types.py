"""Types of state with values, for tests of what comes back."""
# ruff: noqa: DTZ001 - times without a zone are values, too

import enum
from abc import ABC, abstractmethod
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, Generic, Literal, NamedTuple, NewType, NotRequired, Optional, TypedDict, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

import typing_extensions
from pydantic import BaseModel, RootModel
from pydantic import Field as PydanticField
from pydantic.dataclasses import dataclass as pydantic_dataclass

from eddyline import Window, Windowed

T = TypeVar("T")
OrderId = NewType("OrderId", int)


@dataclass(frozen=True)
class Placed:
    order: str


@dataclass(frozen=True)
class Paid:
    order: str


@dataclass(frozen=True, slots=True)
class Base:
    first_name: str = "ann"


@dataclass(frozen=True, slots=True)
class Sub(Base):
    last_name: str = "lee"


class Shape(ABC):
    @abstractmethod
    def area(self) -> float: ...


@dataclass(frozen=True)
class Square(Shape):
    side: float

    def area(self) -> float:
        return self.side**2

    @cached_property
    def circumference(self) -> float:
        return 4 * self.side


@dataclass
class Tree:
    name: str
    children: list["Tree"] = field(default_factory=list)
    parent: Optional["Tree"] = None


@dataclass
class Box(Generic[T]):
    content: T
    more: list[T] = field(default_factory=list)


@dataclass
class IntBox(Box[int]):
    size: int = 1


@dataclass
class Scaled:
    value: float
    factor: InitVar[float] = 1.0
    doubled: float = field(init=False, default=0.0)

    def __post_init__(self, factor: float) -> None:
        self.doubled = 2 * self.value * factor


@dataclass
class Cart:
    visits: dict[tuple[int, int], int]
    prices: dict[int, Decimal]
    labels: set[str]
    last: Placed | Paid | None = None


@dataclass
class Empty:
    pass


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mood(enum.StrEnum):
    GOOD = "good"


class Rights(enum.Flag):
    READ = 1
    WRITE = 2


class Point(NamedTuple):
    x: int
    y: float = 0.5


class Named(TypedDict):
    name: str
    at: NotRequired[datetime]


class Sized(TypedDict):
    name: str
    size: int


class Late(TypedDict):
    """As in a module with `from __future__ import annotations`."""

    name: "str"
    at: "NotRequired[datetime]"


class Extension(typing_extensions.TypedDict):
    name: str
    at: NotRequired[datetime]


class Numbers(RootModel[tuple[int, ...]]):
    pass


class Full(BaseModel, Generic[T]):
    content: T


@pydantic_dataclass
class Aliased:
    order_id: int = PydanticField(alias="order-id")


@pydantic_dataclass
class Doubled:
    order_id: int = PydanticField(alias="order-id")
    twice: int = 0

    def __post_init__(self) -> None:
        self.twice = 2 * self.order_id


class Model(BaseModel):
    name: str
    at: datetime
    parts: tuple[Placed | Paid, ...] = ()


BERLIN: Final = ZoneInfo("Europe/Berlin")
AT: Final = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN)

KEPT: Final[list[tuple[Any, Any]]] = [
    (Late, {"name": "a"}),
    (Extension, {"name": "a"}),
    (Numbers, Numbers((1, 2))),
    (Full[frozenset[int]], Full[frozenset[int]](content=frozenset({1}))),
    (Aliased, Aliased(**{"order-id": 1})),
    (Doubled, Doubled(**{"order-id": 1})),
    (str, "a"),
    (str, "$5"),
    (int, 5),
    (int, True),
    (int, 2**100),
    (float, 5.0),
    (float, 5),
    (float, -0.0),
    (float, float("nan")),
    (float, float("-inf")),
    (float, 1e300),
    (bool, True),
    (bytes, b"\x00\xff"),
    (bytearray, bytearray(b"ab")),
    (complex, complex(1, -0.0)),
    (Decimal, Decimal("1.00")),
    (Decimal, Decimal("-0E-7")),
    (Fraction, Fraction(1, 3)),
    (datetime, datetime(2026, 1, 1)),
    (datetime, datetime(2026, 1, 1, fold=1)),
    (datetime, datetime(2026, 1, 1, tzinfo=UTC)),
    (datetime, datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=5, minutes=30)))),
    (datetime, AT),
    (datetime, AT.replace(fold=1)),
    (date, date(2026, 1, 1)),
    (time, time(12, 30, 0, 5)),
    (time, time(12, tzinfo=BERLIN)),
    (timedelta, timedelta(days=-1, microseconds=3)),
    (UUID, UUID(int=5)),
    (Path, Path("/a/b")),
    (Colour, Colour.RED),
    (Level, Level.HIGH),
    (Mood, Mood.GOOD),
    (Rights, Rights.READ | Rights.WRITE),
    (Literal["a", 1, Colour.RED], Colour.RED),
    (Literal["a", 1], 1),
    (OrderId, OrderId(5)),
    (Annotated[int, "text"], 5),
    (list[int], [1, 2]),
    (list[float], [1, 2.0, True]),
    (list[Base], [Base(), Sub()]),
    (list[Base | None], [None, Sub("a", "b")]),
    (set[str], {"a", "b"}),
    (frozenset[tuple[int, str]], frozenset({(1, "a"), (2, "b")})),
    (tuple[int, str], (1, "a")),
    (tuple[()], ()),
    (tuple[date, ...], (date(2026, 1, 1),)),
    (deque[int], deque([1, 2], 3)),
    (dict[str, int], {"a": 1}),
    (dict[str, int], {"$a": 1}),
    (dict[int, str], {1: "a"}),
    (dict[tuple[int, int], int], {(1, 2): 3}),
    (dict[date, Placed], {date(2026, 1, 1): Placed("a")}),
    (dict[Colour, int], {Colour.RED: 1}),
    (dict[int | str, int], {1: 1, "1": 2}),
    (dict[Placed | Paid, int], {Placed("a"): 1, Paid("a"): 2}),
    (OrderedDict[str, int], OrderedDict(b=1, a=2)),
    (defaultdict[str, list[int]], defaultdict(list, a=[1])),
    (Counter[str], Counter("aab")),
    (Sequence[int], [1]),
    (Sequence[int], (1,)),
    (Collection[int], frozenset({1})),
    (Mapping[int, str], {1: "a"}),
    (Placed | Paid, Placed("a")),
    (Placed | Paid, Paid("a")),
    (Placed | Base, Sub()),
    (Base, Sub("b", "c")),
    (Shape, Square(2.0)),
    (int | str, "1"),
    (int | str, 1),
    (int | str, True),
    (int | float, 1.0),
    (int | float, 1),
    (float | str, 1),
    (float | str, float("inf")),
    (str | date, date(2026, 1, 1)),
    (str | date, "2026-01-01"),
    (date | datetime, datetime(2026, 1, 1)),
    (str | bytes, b"a"),
    (str | UUID | None, UUID(int=1)),
    (str | Mood, Mood.GOOD),
    (str | Mood, "good"),
    (int | Level, Level.LOW),
    (list[int] | list[str], ["a"]),
    (list[int] | tuple[int, ...], (1,)),
    (list[int] | set[int] | dict[str, int], {1}),
    (tuple[int, int] | Point, Point(1)),
    (Named | Sized, {"name": "a", "size": 1}),
    (Named | Sized, {"name": "a"}),
    (Decimal | float | int, Decimal(1)),
    (Point, Point(1, 2.0)),
    (Named, {"name": "a", "at": AT}),
    (Tree, Tree("a", [Tree("b")], Tree("c"))),
    (Box[Placed | Paid], Box(Paid("a"), [Placed("b")])),
    (IntBox, IntBox(1, [2], 3)),
    (Box[int], IntBox(1)),
    (Scaled, Scaled(2.0, 3.0)),
    (Cart, Cart({(1, 2): 3}, {1: Decimal("0.10")}, {"a"}, Paid("a"))),
    (Empty, Empty()),
    (Model, Model(name="a", at=AT, parts=(Paid("a"),))),
    (Windowed[str], Windowed("a", Window(0, 5))),
    (Any, {"a": [1, 2.5, None, True, "x"]}),
    (Any, {"$float": "nan"}),
    (dict, {"a": {"$b": float("inf")}}),
    (list, [[1], {"a": []}]),
]
"""Types with values that come back."""

REFUSED: Final[list[tuple[Any, Any, str]]] = [
    (int, 1.0, "expected int, found float 1.0"),
    (str, Mood.GOOD, "expected str, found <Mood"),
    (date, datetime(2026, 1, 1), "expected date, found datetime"),
    (datetime, datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=1), "here")), "does not keep the time zone"),
    (list[int], (1, 2), "expected list, found tuple"),
    (list[int], [1, "2"], r"\[1\]: expected int, found str '2'"),
    (dict[str, int], {1: 2}, r"expected str, found int 1"),
    (dict[str, int], OrderedDict(a=1), "expected dict, found OrderedDict"),
    (defaultdict[str, int], defaultdict(list), "expected a defaultdict"),
    (Placed, Paid("a"), "expected Placed, found Paid"),
    (Cart, Cart({(1, 2): 3}, {}, set(), 5), "last: expected .*Placed | .*Paid, found int 5"),  # type: ignore[arg-type]
    (Named, {"name": "a", "age": 5}, "'age', which is none of it"),
    (Sized, {"name": "a"}, "no key 'size'"),
    (Level, 2, "expected Level, found int 2"),
    (Literal["a"], "b", "expected one of 'a', found str 'b'"),
    (int | str, 1.5, "found float 1.5"),
    (Any, {"a": (1, 2)}, "does not preserve the type of a value of type 'tuple'"),
    (Any, {1: 2}, "does not preserve the type of a dict with keys other than strings"),
    (str, "\ud800", "surrogates not allowed"),
]
"""Types with values that state refuses, and why."""
