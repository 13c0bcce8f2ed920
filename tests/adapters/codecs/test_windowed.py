import struct
from typing import Any

import pytest

from eddyline.adapters.codecs.windowed import SessionWindowedCodec, TimeWindowedCodec
from eddyline.adapters.primitive.codec import CODECS
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers
from eddyline.application.topology.windows import Window, Windowed

_STRING = CODECS["string"][1]
_START, _END = b"\x00" * 6 + b"\x01\x00", b"\x00" * 6 + b"\x02\x00"


def test_a_key_in_a_time_window_is_followed_by_the_start() -> None:
    codec = TimeWindowedCodec(_STRING, 256)
    key = Windowed("AAPL", Window(256, 512))
    assert codec.encode(key) == b"AAPL" + _START
    assert codec.decode(b"AAPL" + _START) == key


def test_a_key_in_a_session_window_is_followed_by_the_end_and_the_start() -> None:
    codec = SessionWindowedCodec(_STRING)
    key = Windowed("AAPL", Window(256, 512))
    assert codec.encode(key) == b"AAPL" + _END + _START
    assert codec.decode(b"AAPL" + _END + _START) == key


def test_the_key_is_encoded_by_any_codec() -> None:
    assert TimeWindowedCodec(CODECS["long"][1], 1).encode(Windowed(1, Window(256, 257))) == b"\x00" * 7 + b"\x01" + _START


class _UpperCase(Codec):
    """Strings that are decoded in upper case if there is a header "upper"."""

    headers_read = frozenset({"upper"})

    def encode(self, value: Any) -> bytes | None:
        raise NotImplementedError

    def decode(self, data: bytes | None, headers: Headers = ()) -> Any:
        text = (data or b"").decode()
        return text.upper() if "upper" in dict(headers) else text


@pytest.mark.parametrize(
    ("codec", "bounds"), [(TimeWindowedCodec(_UpperCase(), 256), _START), (SessionWindowedCodec(_UpperCase()), _END + _START)]
)
def test_the_codec_of_the_key_reads_its_headers(codec: Codec, bounds: bytes) -> None:
    assert codec.headers_read == {"upper"}
    assert codec.decode(b"a" + bounds, (("upper", b""),)).key == "A"
    assert codec.decode(b"a" + bounds).key == "a"


def test_a_key_without_window_is_an_error() -> None:
    with pytest.raises(CodecError, match="expected a Windowed key, found str 'AAPL'"):
        TimeWindowedCodec(_STRING, 1).encode("AAPL")


def test_none_as_the_key_of_a_windowed_key_is_an_error() -> None:
    with pytest.raises(CodecError, match="the key of a windowed key must not be None"):
        SessionWindowedCodec(_STRING).encode(Windowed(None, Window(0, 1)))


def test_bytes_too_short_for_the_window_bounds_are_an_error() -> None:
    with pytest.raises(CodecError, match="ends with 16 bytes of window bounds, but it has only 8 bytes in all"):
        SessionWindowedCodec(_STRING).decode(_START)


@pytest.mark.parametrize("codec", [TimeWindowedCodec(_STRING, 1), SessionWindowedCodec(_STRING)], ids=["time", "session"])
def test_window_bounds_beyond_64_bits_are_an_error(codec: Codec) -> None:
    with pytest.raises(CodecError, match=r"the bounds of Window\(start=9223372036854775808, .*\) are not integers of 64 bits"):
        codec.encode(Windowed("AAPL", Window(2**63, 2**63 + 1)))


@pytest.mark.parametrize("codec", [TimeWindowedCodec(_STRING, 1_000), SessionWindowedCodec(_STRING)])
def test_no_bytes_are_a_null_key_as_in_kafka_streams(codec: Codec) -> None:
    assert codec.decode(b"") is None


def test_the_end_of_a_window_is_at_most_the_greatest_integer_of_64_bits() -> None:
    greatest = (1 << 63) - 1
    codec = TimeWindowedCodec(_STRING, 10)
    assert codec.decode(b"k" + struct.pack(">q", greatest - 3)).window == (greatest - 3, greatest)


@pytest.mark.parametrize(
    ("codec", "bounds"),
    [
        (TimeWindowedCodec(_STRING, 10), struct.pack(">q", -5)),
        (SessionWindowedCodec(_STRING), struct.pack(">qq", 5, 9)),
        (SessionWindowedCodec(_STRING), struct.pack(">qq", 5, -1)),
    ],
)
def test_bounds_that_kafka_streams_refuses_are_an_error(codec: Codec, bounds: bytes) -> None:
    with pytest.raises(CodecError, match="the window of a windowed key starts at"):
        codec.decode(b"k" + bounds)
