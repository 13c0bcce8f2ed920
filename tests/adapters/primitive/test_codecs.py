import pytest

from eddyline.adapters.primitive.codecs import PrimitiveCodecs
from eddyline.application.ports.codec import UnsupportedTypeError
from eddyline.application.topology.types import UNKNOWN


def test_a_codec_is_the_same_for_keys_values_and_state() -> None:
    codecs = PrimitiveCodecs("long")
    assert codecs.for_key("t", int).encode(1) == codecs.for_value("t", int | None).encode(1) == codecs.for_state(int).encode(1)


def test_a_codec_is_accepted_for_an_unknown_type() -> None:
    assert PrimitiveCodecs("string").for_value("t", UNKNOWN).encode("a") == b"a"


def test_a_type_that_the_codec_does_not_encode_is_an_error_with_the_choices() -> None:
    with pytest.raises(
        UnsupportedTypeError,
        match=r"values of topic 't' \(setting value\.codecs\.t\) are of type 'int', but codec 'string' encodes 'str'; "
        "choose one of: int, long",
    ):
        PrimitiveCodecs("string").for_value("t", int)


def test_an_unknown_codec_is_an_error_with_the_choices() -> None:
    with pytest.raises(
        ValueError, match=r"unknown primitive codec 'lnog'; choose one of: string, int, long, double, bytes, uuid"
    ):
        PrimitiveCodecs("lnog")
