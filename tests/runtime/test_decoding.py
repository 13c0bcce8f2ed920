from typing import Any

import pytest

from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers, LogRecord
from eddyline.application.runtime.decoding import UnreadableRecordError, record_decoder


class Text(Codec):
    """Texts; upper case where the header that it reads says so. It counts how often it was asked."""

    def __init__(self, header: str | None = None) -> None:
        self.headers_read = frozenset({header}) if header else frozenset()
        self.asked = 0

    def encode(self, value: Any) -> bytes | None:
        raise NotImplementedError

    def decode(self, data: bytes | None, headers: Headers = ()) -> Any:
        self.asked += 1
        if data == b"bad":
            raise CodecError("bad")
        text = None if data is None else data.decode()
        return text.upper() if text and self.headers_read & dict(headers).keys() else text


def record(key: bytes | None, value: bytes | None, *headers: str, error: str | None = None) -> LogRecord:
    return LogRecord("t", 0, 0, 0, key, value, tuple((name, b"x") for name in headers), error=error)


def test_key_value_and_headers_come_out() -> None:
    assert record_decoder(Text(), Text())(record(b"k", b"v", "trace")) == ("k", "v", (("trace", b"x"),))


def test_what_a_header_says_of_the_bytes_counts_and_the_header_ends_there() -> None:
    decode = record_decoder(Text("how-key"), Text("how-value"))
    assert decode(record(b"k", b"v", "how-value", "trace", "how-value")) == ("k", "V", (("trace", b"x"),))
    assert decode(record(b"k", b"v", "how-key")) == ("K", "v", ())
    assert decode(record(b"k", b"v", "trace")) == ("k", "v", (("trace", b"x"),))
    assert decode(record(b"k", b"v")) == ("k", "v", ())


def test_nothing_stays_nothing() -> None:
    assert record_decoder(Text("how"), Text("how"))(record(None, None, "how")) == (None, None, ())


def test_a_key_is_decoded_once_unless_headers_say_how() -> None:
    key = Text("how-key")
    decode = record_decoder(key, Text())
    before = key.asked
    for _ in range(3):
        decode(record(b"k", b"v", "trace"))
    assert key.asked == before + 1
    assert decode(record(b"k", b"v", "how-key"))[0] == "K"
    assert decode(record(b"k", b"v"))[0] == "k"


@pytest.mark.parametrize("codec", [Text(), Text("how")])
def test_bad_bytes_are_refused_every_time(codec: Text) -> None:
    decode = record_decoder(codec, codec)
    for _ in range(2):
        with pytest.raises(CodecError):
            decode(record(b"bad", b"v"))
        with pytest.raises(CodecError):
            decode(record(b"k", b"bad", "how"))


@pytest.mark.parametrize("codec", [Text(), Text("how")])
def test_what_the_log_could_not_read_is_not_decoded(codec: Text) -> None:
    asked = codec.asked
    decode = record_decoder(codec, codec)
    with pytest.raises(UnreadableRecordError, match="not JSON"):
        decode(record(None, b"{", "how", error="not JSON"))
    assert codec.asked == asked + 1, "only None, once, for keys that are none"
