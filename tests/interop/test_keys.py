"""Keys and single values: what we write, Kafka's serdes read, and the other way round, byte for byte."""

import base64
from typing import Any
from uuid import UUID

import pytest

from eddyline.adapters.codecs.windowed import SessionWindowedCodec, TimeWindowedCodec
from eddyline.adapters.primitive.codec import CODECS
from eddyline.application.topology.windows import Window, Windowed
from tests.interop.peer import JavaPeer

STRING, LONG = {"form": "string"}, {"form": "long"}
SIZE = 5_000


@pytest.mark.parametrize(
    ("form", "value"),
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
def test_single_values(java: JavaPeer, form: str, value: Any) -> None:
    codec = CODECS[form][1]
    data = codec.encode(value)
    assert data is not None
    plain = base64.b64encode(value).decode() if form == "bytes" else str(value) if form == "uuid" else value
    assert java.read({"form": form}, data) == plain
    assert java.write({"form": form}, plain) == data
    assert codec.decode(java.write({"form": form}, plain)) == value


@pytest.mark.parametrize("start", [0, 1_700_000_000_000, 2**62])
@pytest.mark.parametrize(("of", "key"), [(STRING, "MSFT"), (STRING, ""), (STRING, "Zürich 東京"), (LONG, -1)])
def test_keys_in_time_windows(java: JavaPeer, of: dict[str, Any], key: Any, start: int) -> None:
    codec = TimeWindowedCodec(CODECS[of["form"]][1], SIZE)
    form = {"form": "time-windowed", "of": of, "sizeMs": SIZE}
    ours, theirs = Windowed(key, Window(start, start + SIZE)), {"key": key, "start": start, "end": start + SIZE}
    data = codec.encode(ours)
    assert data is not None
    assert java.read(form, data) == theirs
    assert java.write(form, theirs) == data
    assert codec.decode(java.write(form, theirs)) == ours


@pytest.mark.parametrize(("start", "end"), [(0, 0), (1_700_000_000_000, 1_700_000_009_999), (5, 2**62)])
@pytest.mark.parametrize(("of", "key"), [(STRING, "MSFT"), (STRING, "Zürich 東京"), (LONG, 2**40)])
def test_keys_in_sessions(java: JavaPeer, of: dict[str, Any], key: Any, start: int, end: int) -> None:
    codec = SessionWindowedCodec(CODECS[of["form"]][1])
    form = {"form": "session-windowed", "of": of}
    ours, theirs = Windowed(key, Window(start, end)), {"key": key, "start": start, "end": end}
    data = codec.encode(ours)
    assert data is not None
    assert java.read(form, data) == theirs
    assert java.write(form, theirs) == data
    assert codec.decode(java.write(form, theirs)) == ours
