"""What msgspec decodes is what pydantic decodes, and what it must not decide is left to pydantic."""

import dataclasses
import json
import math
from dataclasses import InitVar, dataclass, field
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

import pydantic
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eddyline.adapters.json import typed
from eddyline.adapters.json.compiled import compiled_decoder
from eddyline.adapters.json.typed import TypedJsonCodec
from eddyline.application.ports.codec import CodecError
from eddyline.domain.trading import Trade, TradeStats

T = TypeVar("T")


@dataclass
class Line:
    price: float
    count: int = 1


@dataclass(frozen=True, slots=True)
class Order:
    id: str
    lines: list[Line] = field(default_factory=list)
    best: Line | None = None
    paid: bool | None = None
    total: float = 0.0


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


@pytest.mark.parametrize("declared", [Trade, Line, Order, *_of(str, int | None, list[list[float]], list[Line | None])])
def test_simple_dataclasses_are_compiled(declared: type) -> None:
    assert compiled_decoder(declared) is not None


@pytest.mark.parametrize(
    "declared",
    [
        *(int, str, list[Line], Line | None, dict, Any, pydantic.BaseModel),
        *(TradeStats, Parent, Checked, Configured, Limited, Aliased, Box[int], WithArgument, Computed),
        *_of(Any, bytes, Decimal, int | str, float | int, dict[str, int], tuple[int, ...], set[int], Literal["a"], list, Checked),
        *_of(Annotated[int, pydantic.Field(gt=0)], list[Any], "Missing"),
    ],
)
def test_other_types_are_not(declared: Any) -> None:
    assert compiled_decoder(declared) is None


NAMES = st.sampled_from(["id", "lines", "best", "paid", "total", "price", "count", "x", "ticker", "ü"])
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.sampled_from(["1", "NaN", "ö"]))
ORDERS = st.builds(Order, st.text(max_size=5), st.lists(st.builds(Line, st.floats(), st.integers()), max_size=2))
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=6), max_leaves=12
) | ORDERS.map(dataclasses.asdict)


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """Return JSON, some of it damaged."""
    data = json.dumps(draw(VALUES), ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.sampled_from([b"", b"-", b"0", b"1e400", b"\xff", b"\\", b" ", b",", b".5"])) + data[at + 1 :]
    return data


_NESTED = b'{"id":"","x":' + b"[" * 300 + b"]" * 300 + b"}"


@given(documents())
@example(b'{"id":"a","x":"\xff"}')
@example(b'{"id":"a","\xc3":1}')
@example(b'{"id":"a","x":"\\ud800"}')
@example(b'{"id":"a","x":' + b"9" * 5_000 + b"}")
@example(b'{"id":"a","x":1e400}')
@example(b'{"id":"a","x":NaN}')
@example(_NESTED)
@example(b'{"id":"a","lines":[' + b'{"price":1},' * 80 + b'{"price":-0}]}')
@example(b'{"id":"a","id":"b","total":-0.0,"total":5e-324}')
@example(b'{"id":"a","lines":[{"price":0.30000000000000004,"count":18446744073709551616}]}')
@example(b'{"id":"a","lines":[{"price":1,"count":1.0}]}')
@example(b'{"id":"a","total":"Infinity"}')
def test_what_is_decoded_equals_what_pydantic_decodes(data: bytes) -> None:
    decode = compiled_decoder(Order)
    assert decode is not None
    found = decode(data)
    if found is not None:
        assert repr(found) == repr(_by_pydantic(data))


def _by_pydantic(data: bytes) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typed, "compiled_decoder", lambda _declared: None)
        codec = TypedJsonCodec(Order)
    return codec.decode(data)


@pytest.mark.parametrize(
    "data", [b'{"id":"a"}', b' {"id" : "\xc3\xb6" , "lines":[{"price":1}], "total":1e3, "x":{"y":[true,null]}}\n']
)
def test_regular_values_are_decoded(data: bytes) -> None:
    decode = compiled_decoder(Order)
    assert decode is not None
    assert repr(decode(data)) == repr(_by_pydantic(data))


def test_values_that_only_pydantic_accepts_are_decoded_and_errors_are_its_errors() -> None:
    codec = TypedJsonCodec(Line)
    assert codec.decode(b'{"price":"1.5","count":2.0}') == Line(1.5, 2)
    found = codec.decode(b'{"price":"-Infinity","count":true}')
    assert (found.price, found.count) == (-math.inf, 1)
    assert codec.decode(b"null") is None
    with pytest.raises(CodecError, match="Line: price: Field required"):
        codec.decode(b"{}")


def test_msgspec_is_not_asked_after_a_thousand_values_that_it_refused() -> None:
    decode = compiled_decoder(Line)
    assert decode is not None
    assert [decode(b'{"price":"1.5"}') for _ in range(999)] == [None] * 999
    assert decode(b'{"price":1.5}') == Line(1.5)
    assert [decode(b'{"price":"1.5"}'), decode(b'{"price":1.5}')] == [None, None]
