"""Chooses the JSON codec of a topic's keys and values, and of state, by type."""

from functools import cache
from typing import Any, get_args, get_origin

from eddyline.adapters.codecs.untyped import UNTYPED
from eddyline.adapters.json.errors import JsonTypeError
from eddyline.adapters.json.keys import UntypedKeyCodec
from eddyline.adapters.json.type_adapter import COLLECTIONS
from eddyline.adapters.json.typed import TypedJsonCodec
from eddyline.adapters.json.untyped import UntypedJsonCodec, UntypedStateCodec
from eddyline.adapters.json.windowed import WindowedJsonCodec
from eddyline.adapters.primitive.codec import BytesCodec, StringCodec
from eddyline.application.ports.codec import Codec, Codecs
from eddyline.application.topology.types import without_none
from eddyline.application.topology.windows import Windowed


class JsonCodecs(Codecs):
    """JSON for topics and state; strings and bytes in topics are written as they are, as Kafka's own serializers do.

    Keys of unknown type are decoded as strings, values of unknown type as whatever the JSON holds. All methods raise
    JsonTypeError for a type that JSON cannot represent.

    Args:
        quoted: write strings in topics as JSON strings too, as a JSON Schema requires.
    """

    def __init__(self, *, quoted: bool = False) -> None:
        self._quoted = quoted

    def for_key(self, topic: str, key_type: Any) -> Codec:
        if without_none(key_type) in UNTYPED and not self._quoted:
            return UntypedKeyCodec()
        return self._for_topic(f"the keys of topic '{topic}'", without_none(key_type))

    def for_value(self, topic: str, value_type: Any) -> Codec:
        return self._for_topic(f"the values of topic '{topic}'", without_none(value_type))

    def for_state(self, value_type: Any) -> Codec:
        if value_type in UNTYPED:
            return UntypedStateCodec()
        return _typed(value_type, state=True)

    def _for_topic(self, what: str, declared: Any) -> Codec:
        if declared is str and not self._quoted:
            return StringCodec()
        if declared is bytes:
            return BytesCodec()
        if declared in UNTYPED:
            return UntypedJsonCodec()
        if declared in COLLECTIONS:
            return UntypedJsonCodec(COLLECTIONS[declared])
        try:
            return _typed(declared, state=False)
        except JsonTypeError as error:
            raise JsonTypeError(f"{what}: {error}") from error


@cache
def _typed(declared: Any, *, state: bool) -> Codec:
    """Return the codec of a type, which takes more time to create than to use, and can be shared."""
    if get_origin(declared) is Windowed:
        return WindowedJsonCodec(get_args(declared)[0], state=state)
    return TypedJsonCodec(declared, state=state)
