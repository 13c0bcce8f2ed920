"""Keys and primitive values: Eddyline and the serdes of Kafka read and write the same bytes."""

import base64
from typing import Any
from uuid import UUID

import pytest

from eddyline.adapters.codecs.windowed import SessionWindowedCodec, TimeWindowedCodec
from eddyline.adapters.primitive.codec import CODECS
from eddyline.application.topology.windows import Window, Windowed
from tests.interop.peer import JavaPeer, Serde

STRING, LONG = {"type": "string"}, {"type": "long"}
SIZE = 5_000


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("string", ""),
        ("string", "MSFT"),
        ("string", "Zürich 東京 🌊"),
        ("int", -(2**31)),
        ("int", 7),
        ("long", -(2**63)),
        ("long", 2**63 - 1),
        ("double", -0.0),
        ("double", 1.7976931348623157e308),
        ("uuid", UUID("123e4567-e89b-12d3-a456-426614174000")),
        ("bytes", b"\x00\xff"),
    ],
)
def test_primitive_values(java: JavaPeer, type_: str, value: Any) -> None:
    codec = CODECS[type_][1]
    data = codec.encode(value)
    assert data is not None
    plain = base64.b64encode(value).decode() if type_ == "bytes" else str(value) if type_ == "uuid" else value
    assert java.deserialize({"type": type_}, data) == plain
    assert java.serialize({"type": type_}, plain) == data
    assert codec.decode(java.serialize({"type": type_}, plain)) == value


@pytest.mark.parametrize("start", [0, 1_700_000_000_000, 2**62])
@pytest.mark.parametrize(("inner", "key"), [(STRING, "MSFT"), (STRING, ""), (STRING, "Zürich 東京"), (LONG, -1)])
def test_keys_of_time_windows(java: JavaPeer, inner: Serde, key: Any, start: int) -> None:
    codec = TimeWindowedCodec(CODECS[inner["type"]][1], SIZE)
    serde = {"type": "time-windowed", "inner": inner, "sizeMs": SIZE}
    ours, theirs = Windowed(key, Window(start, start + SIZE)), {"key": key, "start": start, "end": start + SIZE}
    data = codec.encode(ours)
    assert data is not None
    assert java.deserialize(serde, data) == theirs
    assert java.serialize(serde, theirs) == data
    assert codec.decode(java.serialize(serde, theirs)) == ours


@pytest.mark.parametrize(("start", "end"), [(0, 0), (1_700_000_000_000, 1_700_000_009_999), (5, 2**62)])
@pytest.mark.parametrize(("inner", "key"), [(STRING, "MSFT"), (STRING, "Zürich 東京"), (LONG, 2**40)])
def test_keys_of_session_windows(java: JavaPeer, inner: Serde, key: Any, start: int, end: int) -> None:
    codec = SessionWindowedCodec(CODECS[inner["type"]][1])
    serde = {"type": "session-windowed", "inner": inner}
    ours, theirs = Windowed(key, Window(start, end)), {"key": key, "start": start, "end": end}
    data = codec.encode(ours)
    assert data is not None
    assert java.deserialize(serde, data) == theirs
    assert java.serialize(serde, theirs) == data
    assert codec.decode(java.serialize(serde, theirs)) == ours
