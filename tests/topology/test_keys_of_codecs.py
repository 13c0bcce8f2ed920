"""Equal keys have equal bytes in every codec, so that they reach the same partition."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from eddyline.adapters.avro.format import AvroFormat
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.protobuf.format import ProtobufFormat
from eddyline.application.ports.codec import Codec, CodecError, UnsupportedTypeError
from eddyline.application.runtime.plan.encoding import KeyEncoder
from tests.topology.test_key_types import EQUAL, Cafe


class OfFormat(Codec):
    """The codec of a format without a registry."""

    def __init__(self, form: Any) -> None:
        self._form = form

    def encode(self, value: Any) -> bytes | None:
        encoded: bytes = self._form.encode(value, b"")
        return encoded

    def decode(self, data: bytes | None, headers: Any = ()) -> Any:
        raise NotImplementedError


CODECS: dict[str, Callable[[Any], Codec]] = {
    "json": partial(JsonCodecs().for_key, "t"),
    "quoted": partial(JsonCodecs(quoted=True).for_key, "t"),
    "avro": lambda key_type: OfFormat(AvroFormat(key_type)),
    "protobuf": lambda key_type: OfFormat(ProtobufFormat(key_type)),
}


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize(("key_type", "keys"), [case for case in EQUAL if not any(isinstance(key, Cafe) for key in case[1])])
def test_equal_keys_have_equal_bytes(codec: str, key_type: Any, keys: list[Any]) -> None:
    try:
        encoder = KeyEncoder(CODECS[codec](key_type), key_type)
    except UnsupportedTypeError:
        return
    encoded = set()
    for key in keys:
        try:
            encoded.add(encoder.encode(key))
        except CodecError:
            encoded.add(None)
    assert len(encoded) == 1
