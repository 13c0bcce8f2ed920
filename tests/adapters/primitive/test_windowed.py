from typing import Any

import pytest

from eddyline.adapters.primitive.codec import CODECS
from eddyline.adapters.primitive.windowed import SessionWindowedCodec, TimeWindowedCodec
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers
from eddyline.application.topology.windows import Window, Windowed

_STRING = CODECS["string"][1]
_START, _END = b"\x00" * 6 + b"\x01\x00", b"\x00" * 6 + b"\x02\x00"


def test_a_time_windowed_key_is_the_key_and_the_start() -> None:
    codec = TimeWindowedCodec(_STRING, 256)
    key = Windowed("AAPL", Window(256, 512))
    assert codec.encode(key) == b"AAPL" + _START
    assert codec.decode(b"AAPL" + _START) == key


def test_a_session_windowed_key_is_the_key_and_the_end_before_the_start() -> None:
    codec = SessionWindowedCodec(_STRING)
    key = Windowed("AAPL", Window(256, 512))
    assert codec.encode(key) == b"AAPL" + _END + _START
    assert codec.decode(b"AAPL" + _END + _START) == key


def test_the_key_inside_may_be_of_any_codec() -> None:
    assert TimeWindowedCodec(CODECS["long"][1], 1).encode(Windowed(1, Window(256, 257))) == b"\x00" * 7 + b"\x01" + _START


class _Shouted(Codec):
    """Texts, in capitals where a header says so."""

    headers_read = frozenset({"loud"})

    def encode(self, value: Any) -> bytes | None:
        raise NotImplementedError

    def decode(self, data: bytes | None, headers: Headers = ()) -> Any:
        text = (data or b"").decode()
        return text.upper() if "loud" in dict(headers) else text


@pytest.mark.parametrize(
    ("codec", "bounds"), [(TimeWindowedCodec(_Shouted(), 256), _START), (SessionWindowedCodec(_Shouted()), _END + _START)]
)
def test_headers_reach_the_codec_of_the_key_inside(codec: Codec, bounds: bytes) -> None:
    assert codec.headers_read == {"loud"}
    assert codec.decode(b"a" + bounds, (("loud", b""),)).key == "A"
    assert codec.decode(b"a" + bounds).key == "a"


def test_a_plain_key_is_refused() -> None:
    with pytest.raises(CodecError, match="should be a Windowed key, not str 'AAPL'"):
        TimeWindowedCodec(_STRING, 1).encode("AAPL")


def test_a_windowed_none_is_refused() -> None:
    with pytest.raises(CodecError, match="needs a key, but it is None"):
        SessionWindowedCodec(_STRING).encode(Windowed(None, Window(0, 1)))


def test_bytes_too_short_for_the_bounds_are_refused() -> None:
    with pytest.raises(CodecError, match="ends with 16 bytes of bounds, but there are 8 bytes in all"):
        SessionWindowedCodec(_STRING).decode(_START)
