"""One primitive codec for keys, values and state alike."""

from typing import Any

from eddyline.adapters.codecs.untyped import UNTYPED
from eddyline.adapters.primitive.codec import CODECS
from eddyline.application.ports.codec import Codec, Codecs, UnsupportedTypeError
from eddyline.application.topology.types import type_name, without_none


class PrimitiveCodecs(Codecs):
    """The codec with the name `name`: string, int, long, double, bytes or uuid.

    All methods raise UnsupportedTypeError for a type other than that of the codec's values.

    Raises:
        ValueError: the name is unknown.
    """

    def __init__(self, name: str) -> None:
        if name not in CODECS:
            raise ValueError(f"unknown primitive codec '{name}'; choose one of: {', '.join(CODECS)}")
        self._name = name

    def for_key(self, topic: str, key_type: Any) -> Codec:
        return self._codec(f"the keys of topic '{topic}' (setting key.codecs.{topic})", without_none(key_type))

    def for_value(self, topic: str, value_type: Any) -> Codec:
        return self._codec(f"the values of topic '{topic}' (setting value.codecs.{topic})", without_none(value_type))

    def for_state(self, value_type: Any) -> Codec:
        return self._codec("the values in state", without_none(value_type))

    def _codec(self, what: str, declared: Any) -> Codec:
        python, codec = CODECS[self._name]
        if declared is python or declared in UNTYPED:
            return codec
        choices = [name for name, (other, _) in CODECS.items() if other is declared] or ["json", "avro"]
        raise UnsupportedTypeError(
            f"{what} are of type '{type_name(declared)}', but codec '{self._name}' encodes '{python.__name__}'; "
            f"choose one of: {', '.join(choices)}"
        )
