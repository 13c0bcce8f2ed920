"""Records are decoded by the codecs of their topic."""

from types import SimpleNamespace
from typing import Any

import pytest

from eddyline.application.ports.codec import Codec, CodecError, CodecUnavailableError
from eddyline.application.ports.event_log import Headers, LogRecord
from eddyline.application.runtime.input import decoding
from eddyline.application.runtime.input.decoding import TopicDecoders, UnreadableRecordError, record_decoder
from eddyline.application.runtime.plan.partitioner import LONGEST_CACHED_KEY


class Text(Codec):
    """Decodes text, to upper case if there is the header that it reads; counts its calls."""

    def __init__(self, header: str | None = None) -> None:
        self.headers_read = frozenset({header}) if header else frozenset()
        self.calls = 0

    def encode(self, value: Any) -> bytes | None:
        raise NotImplementedError

    def decode(self, data: bytes | None, headers: Headers = ()) -> Any:
        self.calls += 1
        if data == b"bad":
            raise CodecError("bad")
        text = None if data is None else data.decode()
        return text.upper() if text and self.headers_read & dict(headers).keys() else text


def record(key: bytes | None, value: bytes | None, *headers: str, error: str | None = None) -> LogRecord:
    return LogRecord("t", 0, 0, 0, key, value, tuple((name, b"x") for name in headers), error=error)


def test_key_value_and_headers_are_returned() -> None:
    assert record_decoder(Text(), Text())(record(b"k", b"v", "trace")) == ("k", "v", (("trace", b"x"),))


def test_headers_that_the_codecs_read_are_removed() -> None:
    decode = record_decoder(Text("how-key"), Text("how-value"))
    assert decode(record(b"k", b"v", "how-value", "trace", "how-value")) == ("k", "V", (("trace", b"x"),))
    assert decode(record(b"k", b"v", "how-key")) == ("K", "v", ())
    assert decode(record(b"k", b"v", "trace")) == ("k", "v", (("trace", b"x"),))
    assert decode(record(b"k", b"v")) == ("k", "v", ())


class Failing(Text):
    """Raises an error of its own."""

    def __init__(self, error: Exception, header: str | None = None) -> None:
        super().__init__(header)
        self.error = error

    def decode(self, data: bytes | None, headers: Headers = ()) -> Any:
        if data == b"v":
            raise self.error
        return super().decode(data, headers)


@pytest.mark.parametrize("header", [None, "how"])
def test_whatever_a_codec_raises_for_bytes_is_a_codec_error_but_for_what_is_no_fault_of_theirs(header: str | None) -> None:
    decode = record_decoder(Text(), Failing(KeyError("currency"), header))
    with pytest.raises(CodecError, match="KeyError: 'currency'"):
        decode(record(b"k", b"v", "how"))
    for error in (CodecUnavailableError("down"), OSError("down"), CodecError("bad")):
        with pytest.raises(type(error), match=str(error)):
            record_decoder(Text(), Failing(error, header))(record(b"k", b"v", "how"))


def test_a_missing_key_or_value_stays_none() -> None:
    assert record_decoder(Text("how"), Text("how"))(record(None, None, "how")) == (None, None, ())


def test_a_key_is_decoded_once_unless_the_codec_reads_its_headers() -> None:
    key = Text("how-key")
    decode = record_decoder(key, Text())
    before = key.calls
    for _ in range(3):
        decode(record(b"k", b"v", "trace"))
    assert key.calls == before + 1
    assert decode(record(b"k", b"v", "how-key"))[0] == "K"
    assert decode(record(b"k", b"v"))[0] == "k"


@pytest.mark.parametrize("codec", [Text(), Text("how")])
def test_undecodable_bytes_are_refused_every_time(codec: Text) -> None:
    decode = record_decoder(codec, codec)
    for _ in range(2):
        with pytest.raises(CodecError):
            decode(record(b"bad", b"v"))
        with pytest.raises(CodecError):
            decode(record(b"k", b"bad", "how"))


@pytest.mark.parametrize("codec", [Text(), Text("how")])
def test_an_unreadable_record_is_not_decoded(codec: Text) -> None:
    calls = codec.calls
    decode = record_decoder(codec, codec)
    with pytest.raises(UnreadableRecordError, match="not JSON"):
        decode(record(None, b"{", "how", error="not JSON"))
    assert codec.calls == calls + 1, "only None is decoded, once, for records without a key"


def test_long_keys_are_not_cached() -> None:
    key = Text()
    decode = record_decoder(key, Text())
    before = key.calls
    for _ in range(2):
        decode(record(b"k" * 100_000, b"v"))
    assert key.calls == before + 2


def test_keys_are_cached_until_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "_CACHED_KEYS", 3)
    key = Text()
    decode = record_decoder(key, Text())
    before = key.calls
    for data in (b"a", b"b", None, b"a"):
        decode(record(data, b"v"))
    assert key.calls == before + 2, "None and two more are cached"
    decode(record(b"c", b"v"))
    assert [decode(record(data, b"v"))[0] for data in (b"c", b"a")] == ["c", "a"]
    assert key.calls == before + 4, "the fourth took their place"


@pytest.mark.parametrize(("length", "calls"), [(LONGEST_CACHED_KEY, 1), (LONGEST_CACHED_KEY + 1, 2)])
def test_the_longest_key_that_is_cached_has_exactly_that_many_bytes(length: int, calls: int) -> None:
    key = Text()
    decode = record_decoder(key, Text())
    before = key.calls
    for _ in range(2):
        decode(record(b"k" * length, b"v"))
    assert key.calls == before + calls


def test_the_key_of_a_repartition_topic_is_decoded_by_the_codec_of_its_full_name() -> None:
    topics = []

    def for_key(topic: str, _key_type: object) -> Codec:
        topics.append(topic)
        return Text()

    plan: Any = SimpleNamespace(
        sources={"moved": SimpleNamespace(key_type=str, value_type=str)},
        ports=SimpleNamespace(codecs=SimpleNamespace(for_key=for_key, for_state=lambda _value_type: Text())),
        internal_topic=lambda topic: f"app-{topic}",
        clock_topic=None,
    )
    assert record_decoder(*TopicDecoders(plan).codecs_of_repartition("moved"))(record(b"k", b"v")) == ("k", "v", ())
    assert topics == ["app-moved"]


def test_keys_that_come_once_are_decoded_together_and_not_cached() -> None:
    keys = decoding.DecodedKeys(Text())
    column = [b"%d" % number for number in range(20)]
    assert keys.decode_all(column) == [data.decode() for data in column]
    assert set(keys) == {None}


def test_keys_that_come_often_are_cached() -> None:
    key = Text()
    keys = decoding.DecodedKeys(key)
    column = [b"%d" % (number % 5) for number in range(20)]
    for _ in range(3):
        assert keys.decode_all(column) == [data.decode() for data in column]
    assert set(keys) == {None, *column}
