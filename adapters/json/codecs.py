"""Which JSON codec a topic's keys and values get, and state, by their type."""

from typing import Any, get_args, get_origin

from eddyline.adapters.json.plain import PlainJsonCodec, PlainStateCodec
from eddyline.adapters.json.text import OpenKeyCodec, RawCodec, TextCodec
from eddyline.adapters.json.typed import OPEN_ENDED, UNTYPED, TypedJsonCodec
from eddyline.adapters.json.windowed import WindowedJsonCodec
from eddyline.application.ports.codec import Codec, Codecs
from eddyline.application.topology.types import without_none
from eddyline.application.topology.windows import Windowed


class JsonCodecs(Codecs):
    """JSON for every topic and for state; texts and bytes in topics are plain, as Kafka's own serializers write them.

    A key of a type that is not known is read as a text; a value as whatever the JSON holds. With `quoted` texts are JSON too, as
    a JSON Schema wants them.
    """

    def __init__(self, *, quoted: bool = False) -> None:
        self._quoted = quoted

    def for_key(self, topic: str, key_type: Any) -> Codec:
        open_key = without_none(key_type) in UNTYPED and not self._quoted
        return OpenKeyCodec() if open_key else self.for_value(topic, key_type)

    def for_value(self, topic: str, value_type: Any) -> Codec:
        del topic
        if self._quoted and without_none(value_type) is str:
            return TypedJsonCodec(str)
        return _for_topic(value_type)

    def for_state(self, value_type: Any) -> Codec:
        if value_type in UNTYPED:
            return PlainStateCodec()
        return _windowed_or_typed(value_type, state=True)


def _for_topic(declared: Any) -> Codec:
    found = without_none(declared)
    if found is str:
        return TextCodec()
    if found is bytes:
        return RawCodec()
    if found in UNTYPED:
        return PlainJsonCodec()
    if found in OPEN_ENDED:
        return PlainJsonCodec(OPEN_ENDED[found])
    return _windowed_or_typed(found, state=False)


def _windowed_or_typed(found: Any, *, state: bool) -> Codec:
    if get_origin(found) is Windowed:
        return WindowedJsonCodec(get_args(found)[0], state=state)
    return TypedJsonCodec(found, state=state)
