"""What msgspec decodes is what pydantic decodes, and what it must not decide is left to pydantic."""

import dataclasses
import json
import math
import pickle
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eddyline.adapters.json import typed
from eddyline.adapters.json.compiled import compiled_column_decoder, compiled_decoder
from eddyline.adapters.json.type_adapter import Shape
from eddyline.adapters.json.typed import TypedJsonCodec
from eddyline.application.ports.codec import CodecError
from eddyline.application.topology.types import Names


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
class Parcel:
    sent_at: int
    best_line: Line | None = None
    x: int = 0


@dataclass(frozen=True)
class Shipment:
    ship_to: str
    sent_at: int = 7
    parcels: list[Parcel] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Notice:
    id: str
    sent_at: int
    due_at: int | None = None
    all_lines: list[Line] = field(default_factory=list)


@dataclass(slots=True)
class Stay:
    first_night: int
    last_night: int

    def __post_init__(self) -> None:
        if self.last_night < self.first_night:
            raise ValueError("a stay has a night")


@dataclass
class Stays:
    stays: list[Stay]


@dataclass
class Reminder:
    id: str
    sent_at: int
    due_at: int | None = None
    all_lines: list[Line] = field(default_factory=list)


def _in_json(shipment: Shipment) -> dict[str, Any]:
    return {"shipTo": shipment.ship_to, "sentAt": shipment.sent_at, "parcels": [{"sentAt": 1, "bestLine": {"price": 2}}]}


_CAMEL_CASE = Shape("camelCase")
NAMES = st.sampled_from(
    ["id", "lines", "best", "paid", "total", "price", "count", "x", "ticker", "ü", "shipTo", "ship_to", "sentAt", "parcels"]
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.sampled_from(["1", "NaN", "ö"]))
ORDERS = st.builds(Order, st.text(max_size=5), st.lists(st.builds(Line, st.floats(), st.integers()), max_size=2))
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=6), max_leaves=12
) | st.one_of(ORDERS.map(dataclasses.asdict), st.builds(Shipment, st.text(max_size=5), st.integers()).map(_in_json))


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """Return JSON, some of it damaged."""
    separators = draw(st.sampled_from([(", ", ": "), (",", ":"), (",", " :")]))
    data = json.dumps(draw(VALUES), ensure_ascii=draw(st.booleans()), separators=separators).encode("utf-8", "surrogatepass")
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.sampled_from([b"", b"-", b"0", b"1e400", b"\xff", b"\\", b" ", b",", b".5"])) + data[at + 1 :]
    return data


_NESTED = b'{"id":"","x":' + b"[" * 300 + b"]" * 300 + b"}"


@given(data=documents())
@example(data=b'{"id":"a","x":"\xff"}')
@example(data=b'{"id":"a","\xc3":1}')
@example(data=b'{"id":"a","x":"\\ud800"}')
@example(data=b'{"id":"a","x":' + b"9" * 5_000 + b"}")
@example(data=b'{"id":"a","x":1e400}')
@example(data=b'{"id":"a","x":NaN}')
@example(data=_NESTED)
@example(data=b'{"id":"a","lines":[' + b'{"price":1},' * 80 + b'{"price":-0}]}')
@example(data=b'{"id":"a","id":"b","total":-0.0,"total":5e-324}')
@example(data=b'{"id":"a","lines":[{"price":0.30000000000000004,"count":18446744073709551616}]}')
@example(data=b'{"id":"a","lines":[{"price":1,"count":1.0}]}')
@example(data=b'{"id":"a","total":"Infinity"}')
@example(data=b'{"shipTo":"sentAt","sentAt":1}')
@example(data=b'{"shipTo":"a","sentAt" :1}')
@example(data=b'{"shipTo":"a","sent_at":1}')
@example(data=b'{"shipTo":"a","sentAt":1,"sent_at":2}')
@example(data=b'{"shipTo":"a","parcels":[{"sentAt":1,"x":3}],"x":{"shipTo":1}}')
@example(data=b'{"id":"a","sentAt":1}')
@example(data=b'{"id":"a","sent_at":1}')
@example(data=b'{"id":"a","sentAt":1,"sent_at":2}')
@example(data=b'{"id":"a","sentAt":1,"sent_at":null,"x":{"sent_at":1}}')
@example(data=b'{"id":"a","sentAt":1,"sentAt":2,"x":{"sent_at":1},"dueAt":3,"__class__":4}')
@example(data=b'{"id":"sent_at","sentAt":1,"allLines":[{"price":1}]}')
@example(data=b"18446744073709551616")
@example(data=b"-0")
@example(data=b"1.0")
@example(data=b"1e2")
@example(data=b"1e400")
@example(data=b'"a\\u0000"')
@example(data=b"[1,2.0]")
@example(data=b'[1,"a"]')
@example(data=b'[null,[{"price":1}]]')
@example(data=b"[null,[" + b'{"price":1},' * 70 + b'{"price":1}]]')
@pytest.mark.parametrize("names", ["camelCase", "as-declared"])
def test_what_is_decoded_equals_what_pydantic_decodes(data: bytes, names: Names) -> None:
    for declared in (
        Order,
        Shipment,
        Notice,
        Reminder,
        int,
        float,
        str,
        bool,
        list[int],
        tuple[float, str],
        tuple[int | None, list[Line]],
    ):
        decode = compiled_decoder(declared, names)
        assert decode is not None
        found = decode(data)
        if found is not None:
            assert repr(found) == repr(_by_pydantic(data, declared, Shape(names)))


def _by_pydantic(data: bytes, declared: Any = Order, shape: Shape = _CAMEL_CASE) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typed, "compiled_decoder", lambda _declared, _names: None)
        codec = TypedJsonCodec(declared, shape)
    return codec.decode(data)


@pytest.mark.parametrize(
    "data", [b'{"id":"a"}', b' {"id" : "\xc3\xb6" , "lines":[{"price":1}], "total":1e3, "x":{"y":[true,null]}}\n']
)
def test_regular_values_are_decoded(data: bytes) -> None:
    decode = compiled_decoder(Order, "camelCase")
    assert decode is not None
    assert repr(decode(data)) == repr(_by_pydantic(data))


def test_fields_with_other_names_in_json_are_decoded() -> None:
    decode = compiled_decoder(Shipment, "camelCase")
    assert decode is not None
    data = b'{"shipTo":"a","sentAt":5,"parcels":[{"sentAt":1,"bestLine":{"price":2.5}}]}'
    assert decode(data) == Shipment("a", 5, [Parcel(1, Line(2.5))]) == _by_pydantic(data, Shipment)
    assert [decode(other) for other in (b'{"shipTo":"a","sentAt" :5}', b'{"shipTo":"a","sent_at":5}')] == [None, None]


def test_a_dataclass_with_slots_is_decoded_by_the_names_in_json() -> None:
    declared = Notice
    decode = compiled_decoder(declared, "camelCase")
    assert decode is not None
    found = decode(b'{"sentAt":5,"id":"sent_at","allLines":[{"price":2.5}],"x":{"sent_at":1}}')
    assert type(found) is declared
    assert found == declared("sent_at", 5, None, [Line(2.5)])
    assert decode(b'{"id":"a","sentAt":5}') == declared("a", 5) == _by_pydantic(b'{"id":"a","sentAt":5}', declared)
    assert decode(b'{"id":"a","sentAt":5,"sent_at":5}') is None
    assert replace(found, due_at=7).due_at == 7
    assert pickle.loads(pickle.dumps(found)) == found


def test_values_that_only_pydantic_accepts_are_decoded_and_errors_are_its_errors() -> None:
    codec = TypedJsonCodec(Line, Shape(strict=False))
    assert codec.decode(b'{"price":"1.5","count":2.0}') == Line(1.5, 2)
    found = codec.decode(b'{"price":"-Infinity","count":true}')
    assert (found.price, found.count) == (-math.inf, 1)
    assert codec.decode(b"null") is None
    with pytest.raises(CodecError, match="Line: price: Field required"):
        codec.decode(b"{}")


@pytest.mark.parametrize(("declared", "text"), [(Stay, "%s"), (Stays, '{"stays":[%s]}')])
def test_a_value_that_its_post_init_refuses_is_refused_alone_and_in_columns(declared: type, text: str) -> None:
    codec = TypedJsonCodec(declared, Shape("camelCase"))
    valid, refused = (text % stay for stay in ('{"firstNight":1,"lastNight":2}', '{"firstNight":2,"lastNight":1}'))
    decode, decode_column = compiled_decoder(declared, "camelCase"), compiled_column_decoder(declared, "camelCase")
    assert decode is not None
    assert decode_column is not None
    assert decode(valid.encode()) == codec.decode(valid.encode())
    assert decode(valid.encode()) is not None
    assert decode(refused.encode()) is None
    assert decode_column([valid.encode()] * 4) is not None
    assert decode_column([valid.encode()] * 4 + [refused.encode()]) is None
    with pytest.raises(CodecError, match=r"a stay has a night$"):
        codec.decode(refused.encode())


def test_msgspec_is_not_asked_after_a_thousand_values_that_it_refused() -> None:
    decode = compiled_decoder(Line, "camelCase")
    assert decode is not None
    assert [decode(b'{"price":"1.5"}') for _ in range(999)] == [None] * 999
    assert decode(b'{"price":1.5}') == Line(1.5)
    assert [decode(b'{"price":"1.5"}'), decode(b'{"price":1.5}')] == [None, None]
