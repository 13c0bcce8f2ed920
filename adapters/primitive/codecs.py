"""One primitive format for all that is asked of it."""

from typing import Any

from eddyline.adapters.primitive.codec import CODECS
from eddyline.application.ports.codec import Codec, Codecs
from eddyline.application.topology.types import UNKNOWN, type_name, without_none

_UNTYPED = (Any, object, UNKNOWN)


class PrimitiveCodecs(Codecs):
    """The format `name`: string, int, long, double, bytes or uuid.

    Raises ValueError for another name, and TypeError where a type does not go with the format.
    """

    def __init__(self, name: str) -> None:
        if name not in CODECS:
            raise ValueError(f"there is no primitive codec '{name}'; there are: {', '.join(CODECS)}")
        self._name = name

    def for_key(self, topic: str, key_type: Any) -> Codec:
        return self._codec(f"the keys of topic '{topic}'", without_none(key_type))

    def for_value(self, topic: str, value_type: Any) -> Codec:
        return self._codec(f"the values of topic '{topic}'", without_none(value_type))

    def for_state(self, value_type: Any) -> Codec:
        return self._codec("state", without_none(value_type))

    def _codec(self, what: str, found: Any) -> Codec:
        holds, codec = CODECS[self._name]
        if found is holds or found in _UNTYPED:
            return codec
        raise TypeError(
            f"{what} are of type {type_name(found)}, but codec '{self._name}' holds {holds.__name__}; "
            f"choose one of {', '.join(name for name, (fit, _) in CODECS.items() if fit is found) or 'json, avro'}"
        )
