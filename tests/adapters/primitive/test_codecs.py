import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.primitive.codec import StringCodec
from eddyline.adapters.primitive.codecs import PrimitiveCodecs
from eddyline.adapters.primitive.topic_codecs import TopicCodecs
from eddyline.adapters.primitive.windowed import SessionWindowedCodec
from eddyline.adapters.primitive.windowed_keys import WindowedKeys
from eddyline.application.topology.types import UNKNOWN
from eddyline.application.topology.windows import Window, Windowed

_KEY = Windowed("AAPL", Window(256, 512))


def test_a_format_serves_keys_values_and_state_of_its_type() -> None:
    codecs = PrimitiveCodecs("long")
    assert codecs.for_key("t", int).encode(1) == codecs.for_value("t", int | None).encode(1) == codecs.for_state(int).encode(1)


def test_windowed_keys_are_time_windows_where_their_size_is_known_else_sessions() -> None:
    keys = WindowedKeys(PrimitiveCodecs("string"), {"t": 256})
    session, time = keys.for_key("sessions", Windowed[str]), keys.for_key("t", Windowed[str])
    assert (len(session.encode(_KEY) or b""), len(time.encode(_KEY) or b"")) == (4 + 16, 4 + 8)
    assert session.decode(session.encode(_KEY)) == time.decode(time.encode(_KEY)) == _KEY


def test_a_type_that_is_not_known_is_taken_at_the_formats_word() -> None:
    assert PrimitiveCodecs("string").for_value("t", UNKNOWN).encode("a") == b"a"


def test_a_type_that_does_not_go_with_the_format_is_refused_with_the_choices() -> None:
    with pytest.raises(
        TypeError, match=r"values of topic 't' are of type int, but codec 'string' holds str; choose one of int, long"
    ):
        PrimitiveCodecs("string").for_value("t", int)


def test_an_unknown_format_is_refused_with_the_choices() -> None:
    with pytest.raises(ValueError, match=r"no primitive codec 'lnog'; there are: string, int, long, double, bytes, uuid"):
        PrimitiveCodecs("lnog")


def _topic_codecs(**values: str) -> TopicCodecs:
    formats = {"json": JsonCodecs(), "long": PrimitiveCodecs("long"), "string": WindowedKeys(PrimitiveCodecs("string"))}
    return TopicCodecs(formats, default_key="json", default_value="json", state="json", keys={"trades": "string"}, values=values)


def test_each_topics_keys_and_values_have_the_format_chosen_for_them_and_the_others_the_default() -> None:
    codecs = _topic_codecs(counts="long")
    assert codecs.for_value("counts", int).encode(1) == b"\x00" * 7 + b"\x01"
    assert codecs.for_value("trades", int).encode(1) == b"1"
    assert codecs.for_key("trades", Windowed[str]).encode(_KEY) == SessionWindowedCodec(StringCodec()).encode(_KEY)
    assert codecs.for_state(int).encode(1) == b"1"


def test_a_format_that_does_not_exist_is_refused_with_the_topic_and_the_choices() -> None:
    with pytest.raises(
        ValueError, match=r"codec 'avor' for the values of topic 'counts' is unknown; there are: json, long, string"
    ):
        _topic_codecs(counts="avor")
