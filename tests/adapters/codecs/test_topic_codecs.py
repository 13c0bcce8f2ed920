import pytest

from eddyline.adapters.codecs.topic_codecs import TopicCodecs
from eddyline.adapters.codecs.windowed import SessionWindowedCodec
from eddyline.adapters.codecs.windowed_keys import WindowedKeyCodecs
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.primitive.codec import StringCodec
from eddyline.adapters.primitive.codecs import PrimitiveCodecs
from eddyline.application.topology.windows import Window, Windowed

_KEY = Windowed("AAPL", Window(256, 512))


def _topic_codecs(**values: str) -> TopicCodecs:
    formats = {"json": JsonCodecs(), "long": PrimitiveCodecs("long"), "string": WindowedKeyCodecs(PrimitiveCodecs("string"))}
    return TopicCodecs(formats, default_key="json", default_value="json", state="json", keys={"trades": "string"}, values=values)


def test_each_topic_has_the_codecs_chosen_for_it_or_else_the_defaults() -> None:
    codecs = _topic_codecs(counts="long")
    assert codecs.for_value("counts", int).encode(1) == b"\x00" * 7 + b"\x01"
    assert codecs.for_value("trades", int).encode(1) == b"1"
    assert codecs.for_key("trades", Windowed[str]).encode(_KEY) == SessionWindowedCodec(StringCodec()).encode(_KEY)
    assert codecs.for_state(int).encode(1) == b"1"


def test_an_unknown_codec_is_an_error_with_the_topic_and_the_choices() -> None:
    with pytest.raises(
        ValueError, match=r"unknown codec 'avor' for the values of topic 'counts'; choose one of: json, long, string"
    ):
        _topic_codecs(counts="avor")
