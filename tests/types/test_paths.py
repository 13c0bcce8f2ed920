"""A value has the same JSON alone, among many, where it is shown and in state, and the same value is read from it."""

from collections.abc import Callable
from dataclasses import dataclass, field, make_dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, Flag, IntEnum, StrEnum
from typing import Annotated, Any, Generic, Literal, NewType, NotRequired, TypedDict, TypeVar
from uuid import UUID

import pytest
import typing_extensions
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, computed_field
from pydantic.dataclasses import dataclass as pydantic_dataclass

from eddyline.adapters.codecs.kept import Comparison
from eddyline.adapters.codecs.type_choices import TypeChoices
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.application.ports.codec import CodecError

T = TypeVar("T")
Number = NewType("Number", int)


class Rights(Flag):
    READ = 1
    WRITE = 2


class Side(Enum):
    BUY = "buy"
    NONE = 0


class Mode(StrEnum):
    ON = "on"


class Level(IntEnum):
    LOW = 1


@dataclass(frozen=True)
class Box(Generic[T]):
    content: T


@dataclass
class Tree:
    name: str
    kids: "list[Tree]" = field(default_factory=list)


@dataclass
class Base:
    order_id: int


@dataclass
class Extended(Base):
    unit_price: float = 0.5


@dataclass
class Secret:
    order_id: int
    secret: int = field(default=2, metadata={"exclude": True})


@dataclass
class Renamed:
    from_city: Annotated[str, Field(alias="from")]
    kind: str = field(default="", metadata={"alias": "class"})


@dataclass
class Derived:
    amount: int
    twice: int = field(init=False)

    def __post_init__(self) -> None:
        self.twice = 2 * self.amount


@dataclass
class ByName:
    order_id: int = field(kw_only=True)
    parts: list[float] = field(default_factory=list)


class Model(BaseModel):
    order_id: int
    secret: int = Field(default=1, exclude=True)

    @computed_field(return_type=int)
    def twice(self) -> int:
        return 2 * self.order_id


@pydantic_dataclass
class Aliased:
    order_id: int = Field(alias="order-id")


class Late(TypedDict):
    """As in a module with `from __future__ import annotations`."""

    order_id: "int"
    note: "NotRequired[str]"


class Extension(typing_extensions.TypedDict):
    """Pydantic takes this kind alone before Python 3.12."""

    order_id: int
    note: NotRequired[str]


EAST, WEST = timezone(timedelta(hours=5, minutes=30)), timezone(-timedelta(hours=1))
VALUES: dict[Any, list[Any]] = {
    int: [0, -1, 2**63, 2**64, -(2**70), 10**400],
    float: [0.0, -0.0, 1e16, 1e-7, 5e-324, 1.7e308, 1e22, 123456789012345680.0, float("nan"), float("inf"), -float("inf")],
    str: ["a", "\ud800", "\u2028é", "\x00", '"\\'],
    bool: [True],
    Decimal: [Decimal(text) for text in ("1E+5", "1.50", "-0", "NaN", "1E-30", "12345678901234567890.123456789")],
    datetime: [datetime(2024, 1, 2), datetime(2024, 1, 2, 3, 4, 5, 6, tzinfo=WEST), datetime(1, 1, 1, tzinfo=EAST)],  # noqa: DTZ001
    timedelta: [timedelta(days=-1, microseconds=1), timedelta.max, timedelta(0)],
    time: [time(1, 2, 3, 4)],
    date: [date(1, 1, 1)],
    UUID: [UUID(int=0)],
    Rights: [Rights.READ, Rights.READ | Rights.WRITE, Rights(0)],
    Side: [Side.BUY, Side.NONE],
    Mode: [Mode.ON],
    Level: [Level.LOW],
    Number: [5],
    Literal["a", 1]: ["a", 1],
    Box[int]: [Box(1)],
    Box[Decimal]: [Box(Decimal("1.0"))],
    Tree: [Tree("a", [Tree("b")])],
    Extended: [Extended(1)],
    Secret: [Secret(1)],
    Renamed: [Renamed("bern", "x")],
    Derived: [Derived(2)],
    ByName: [ByName(order_id=1, parts=[0.5])],
    Model: [Model(order_id=1)],
    Aliased: [Aliased(**{"order-id": 1})],
    Late: [{"order_id": 1}, {"order_id": 1, "note": "a"}],
    Extension: [{"order_id": 1}, {"order_id": 1, "note": "a"}],
    Any: [{"a": [1, None, {"b": 1.5}]}, -0.0, 10**30],
    tuple[int, str]: [(1, "a")],
    set[str]: [{"b", "a"}],
    frozenset[int]: [frozenset({3, 1})],
    dict[int, Decimal]: [{1: Decimal("2.0")}],
    dict[str, float]: [{"": -0.0}],
    TypedDict("Row", {"order_id": int}): [{"order_id": 1}],  # type: ignore[operator]
}


def inside(declared: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Return a dataclass with a field of a type, and what creates it."""
    found = make_dataclass("Inside", [("line_id", int), ("value", declared)], slots=True)
    return found, lambda value: found(1, value)


WAYS: list[Callable[[Any], tuple[Any, Callable[[Any], Any]]]] = [
    lambda declared: (declared, lambda value: value),
    inside,
    lambda declared: (list[declared], lambda value: [value]),  # type: ignore[valid-type] # a value
]
KEPT = Comparison(has_unions=False, has_untyped=True, is_strict=True)


def result(action: Callable[[], Any]) -> Any:
    """Return the result, or the error for a value that is refused."""
    try:
        return action()
    except CodecError:
        return CodecError


def check(names: str, declared: Any, value: Any) -> None:
    codecs = JsonCodecs(quoted=True, choices=TypeChoices({"names": names}))
    codec = codecs.for_value("t", declared)
    data = result(lambda: codec.encode(value))
    assert result(lambda: list(codec.encode_all([value] * 5))) == (data if data is CodecError else [data] * 5)
    if data is CodecError:
        return
    assert declared is bytes or codecs.for_display(declared, "t").encode(value) == data
    found = codec.decode(data)
    assert KEPT.is_kept(value, found)
    assert all(KEPT.is_kept(found, each) for each in codec.decode_all([data] * 5))
    state = codecs.for_state(declared)
    assert KEPT.is_kept(value, state.decode(state.encode(value)))


@pytest.mark.parametrize("names", ["as-declared", "camelCase"])
@pytest.mark.parametrize("way", WAYS)
def test_a_value_is_the_same_on_every_path(names: str, way: Callable[[Any], tuple[Any, Callable[[Any], Any]]]) -> None:
    for declared, values in VALUES.items():
        hint, put = way(declared)
        for value in values:
            check(names, hint, put(value))


NUMBERS = make_dataclass(
    "Numbers", [("count", int), ("price", float), ("amount", Decimal), ("text", str), ("at", datetime | None)]
)


@given(
    st.builds(
        NUMBERS,
        st.integers(),
        st.floats(),
        st.decimals(allow_nan=False, allow_infinity=False),
        st.text(),
        st.none() | st.datetimes(timezones=st.sampled_from([UTC, EAST, WEST])),
    )
)
def test_any_numbers_and_texts_are_the_same_on_every_path(value: Any) -> None:
    check("camelCase", NUMBERS, value)
