"""The codecs of all adapters, each with values that it must support."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, NamedTuple
from uuid import UUID

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from eddyline.adapters.codecs.windowed import SessionWindowedCodec, TimeWindowedCodec
from eddyline.adapters.codecs.windowed_keys import WindowedKeyCodecs
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.primitive.codec import CODECS
from eddyline.application.ports.codec import Codec
from eddyline.application.topology.types import UNKNOWN
from eddyline.application.topology.windows import Window, Windowed
from tests.adapters.avro.strategies import STRINGS
from tests.adapters.registry.codec_cases import AVRO, CODEC_CASES


class Side(Enum):
    ASK = "ASK"
    BID = "BID"


@dataclass(frozen=True, slots=True)
class Lot:
    lot_size: int
    unit_price: float | None = None


@dataclass(frozen=True)
class Order:
    order_id: UUID
    best_side: Side
    placed_at: datetime
    settles: date
    total_amount: Decimal
    lots: list[Lot]
    by_name: dict[str, Lot] = field(default_factory=dict)
    first_lot: Lot | None = None
    signature: bytes = b""
    payload: Any = None


class CodecCase(NamedTuple):
    """A codec, the values that it supports, and bytes that it cannot decode; None if it decodes any bytes."""

    name: str
    new_codec: Callable[[], Codec]
    values: SearchStrategy[Any]
    invalid: bytes | None


_INTS = st.integers(-(2**70), 2**70)
_LONGS = st.integers(-(2**63), 2**63 - 1)
_NUMBERS = st.floats(allow_nan=False)
_JSON_VALUES = st.recursive(
    st.none() | st.booleans() | _INTS | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_JSON_VALUES_BUT_NULL = _JSON_VALUES.filter(lambda value: value is not None)
_LOTS = st.builds(Lot, _INTS, st.none() | _NUMBERS)
_ORDERS = st.builds(
    Order,
    st.uuids(),
    st.sampled_from(Side),
    st.datetimes(datetime(1970, 1, 1), datetime(9000, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 - timezones= adds the time zone
    st.dates(),
    st.decimals(allow_nan=False, allow_infinity=False, places=4),
    st.lists(_LOTS, max_size=3),
    st.dictionaries(st.text(), _LOTS, max_size=3),
    st.none() | _LOTS,
    st.binary(max_size=20),
    _JSON_VALUES,
)
_WINDOWS = st.tuples(st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1)).map(lambda bounds: Window(min(bounds), max(bounds)))
_STRING = CODECS["string"][1]


def _json(use: str, hint: Any) -> Callable[[], Codec]:
    codecs = JsonCodecs()
    if use == "state":
        return lambda: codecs.for_state(hint)
    return lambda: codecs.for_key("t", hint) if use == "key" else codecs.for_value("t", hint)


CASES = [
    CodecCase("json dataclass", _json("value", Order), _ORDERS, b'{"orderId": 5}'),
    CodecCase("json list", _json("value", list[Lot]), st.lists(_LOTS), b"{}"),
    CodecCase("json union", _json("value", int | str), _INTS | st.text(), b"[]"),
    CodecCase("json number", _json("value", float), _NUMBERS, b'"x"'),
    CodecCase("json any", _json("value", Any), _JSON_VALUES_BUT_NULL, b'{"a":'),
    CodecCase("json unknown", _json("value", UNKNOWN), _JSON_VALUES_BUT_NULL, b"\xff"),
    CodecCase("json dict", _json("value", dict[str, Any]), st.dictionaries(st.text(), _JSON_VALUES), b"[1]"),
    CodecCase("json string", _json("value", str), st.text(), b"\xff"),
    CodecCase("json bytes", _json("value", bytes), st.binary(), None),
    CodecCase("json string key", _json("key", str), st.text(), b"\xff"),
    CodecCase("json int key", _json("key", int), _INTS, b"AAPL"),
    CodecCase("json unknown key", _json("key", Any), st.text(), b"\xff"),
    CodecCase("json windowed key", _json("key", Windowed[str]), st.builds(Windowed, st.text(), _WINDOWS), b'{"key":"a"}'),
    CodecCase("state dataclass", _json("state", Order), _ORDERS, b"[]"),
    CodecCase("state string", _json("state", str), st.text(), b"5"),
    CodecCase("state value and time", _json("state", tuple[Lot, int]), st.tuples(_LOTS, _LONGS), b"[1]"),
    CodecCase("state unknown and time", _json("state", tuple[UNKNOWN, int]), st.tuples(_JSON_VALUES, _LONGS), b"[1]"),  # type: ignore[valid-type]
    CodecCase("state number", _json("state", float), _NUMBERS, b"{}"),
    CodecCase("state unknown", _json("state", UNKNOWN), _JSON_VALUES_BUT_NULL, b"{"),
    CodecCase(
        "state window key",
        _json("state", tuple[Windowed[str], int]),
        st.tuples(st.builds(Windowed, st.text(), _WINDOWS), _LONGS),
        b"5",
    ),
    CodecCase("state windowed key", _json("state", Windowed[int]), st.builds(Windowed, _INTS, _WINDOWS), b"[]"),
    CodecCase("string", lambda: CODECS["string"][1], st.text(), b"\xff"),
    CodecCase("int", lambda: CODECS["int"][1], st.integers(-(2**31), 2**31 - 1), b"123"),
    CodecCase("long", lambda: CODECS["long"][1], _LONGS, b"1234"),
    CodecCase("double", lambda: CODECS["double"][1], _NUMBERS, b"1234"),
    CodecCase("bytes", lambda: CODECS["bytes"][1], st.binary(), None),
    CodecCase("uuid", lambda: CODECS["uuid"][1], st.uuids(), b"AAPL"),
    CodecCase(
        "time-windowed",
        lambda: TimeWindowedCodec(_STRING, 5_000),
        st.builds(lambda key, start: Windowed(key, Window(start, start + 5_000)), st.text(), st.integers(0, 2**60)),
        b"1234567",
    ),
    CodecCase(
        "session-windowed", lambda: SessionWindowedCodec(_STRING), st.builds(Windowed, st.text(), _WINDOWS), b"123456789012345"
    ),
    CodecCase(
        "windowed avro key",
        lambda: WindowedKeyCodecs(AVRO, {"t": 5_000}).for_key("t", Windowed[str]),
        st.builds(lambda key, start: Windowed(key, Window(start, start + 5_000)), STRINGS, st.integers(0, 2**60)),
        b"\x00\x00\x00\x00\x00",
    ),
    *(CodecCase(*case) for case in CODEC_CASES),
]
