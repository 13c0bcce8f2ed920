"""Which types msgspec may decode; the others are left to pydantic."""

import dataclasses
from dataclasses import InitVar, dataclass, field
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

import pydantic
import pytest

from eddyline.adapters.json.compiled import compiled_decoder
from eddyline.domain.trading import Trade, TradeStats
from tests.adapters.json.test_compiled import Line, Order, Parcel, Shipment

T = TypeVar("T")


@dataclass
class NamedAsInJson:
    sentAt: int = 0  # noqa: N815 - the name that the field of another class has in JSON
    parcel: Parcel | None = None


@dataclass
class Long:
    a_a: int = 0
    a_b: int = 0
    a_c: int = 0
    a_d: int = 0
    a_e: int = 0
    a_f: int = 0


@dataclass
class Parent:
    name: str
    children: "list[Parent]" = field(default_factory=list)


@dataclass
class Checked:
    years: int

    def __post_init__(self) -> None:
        if self.years < 0:
            raise ValueError("an age is not negative")


@dataclass
class Configured:
    years: int

    __pydantic_config__: ClassVar = {"str_to_lower": True}


@dataclass
class Limited:
    years: Annotated[int, pydantic.Field(gt=0)]


@dataclass
class Aliased:
    years: int = pydantic.Field(alias="y")


@dataclass
class Box(Generic[T]):
    content: T


@dataclass
class WithArgument:
    years: int
    extra: InitVar[int] = 0


@dataclass
class Computed:
    years: int
    months: int = field(init=False, default=0)


def _of(*types: Any) -> list[type]:
    return [dataclasses.make_dataclass("Made", [("first", each)]) for each in types]


@pytest.mark.parametrize(
    "declared",
    [
        *(
            Trade,
            TradeStats,
            Line,
            Order,
            Shipment,
            Checked,
            int,
            str,
            float,
            bool,
            list[Line],
            Line | None,
            tuple[int, Line],
            tuple[int, ...],
            list[tuple[str, list[int]]],
        ),
        *_of(str, int | None, tuple[float, ...], list[list[float]], list[Line | None], tuple[int, Line | None]),
    ],
)
def test_simple_types_are_compiled(declared: type) -> None:
    assert compiled_decoder(declared, "camelCase") is not None


@pytest.mark.parametrize(
    "declared",
    [
        *(dict, Any, pydantic.BaseModel, None, type(None), list, tuple, tuple[()], list[Parent], bytes),
        *(NamedAsInJson, Long, Parent, Configured, Limited, Aliased, Box[int], WithArgument, Computed),
        *_of(Any, bytes, Decimal, int | str, float | int, dict[str, int], set[int], Literal["a"], list),
        *_of(Annotated[int, pydantic.Field(gt=0)], list[Any], "Missing"),
    ],
)
def test_other_types_are_not(declared: Any) -> None:
    assert compiled_decoder(declared, "camelCase") is None
