"""Chooses the JSON codec of a topic's keys and values, and of state, by type."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from functools import cache
from typing import Any, get_args, get_origin

from eddyline.adapters.codecs.type_choices import TypeChoices
from eddyline.adapters.codecs.untyped import UNTYPED
from eddyline.adapters.json.state import state_codec
from eddyline.adapters.json.type_adapter import COLLECTIONS, Shape
from eddyline.adapters.json.typed import TypedJsonCodec
from eddyline.adapters.json.untyped import UntypedJsonCodec
from eddyline.adapters.json.windowed import WindowedJsonCodec
from eddyline.adapters.primitive.codec import BytesCodec, StringCodec
from eddyline.application.ports.codec import Codec, Codecs, TopicTypes, UnsupportedTypeError
from eddyline.application.ports.event_log import Headers
from eddyline.application.topology.types import Names, without_none
from eddyline.application.topology.windows import Windowed


class JsonCodecs(Codecs):
    """JSON for topics and state; strings and bytes in topics are written as they are, as Kafka's own serializers do.

    Keys of unknown type are decoded as strings, values of unknown type as whatever the JSON holds. All methods raise
    JsonTypeError for a type that JSON cannot represent.

    Args:
        quoted: write strings in topics as JSON strings too, as a JSON Schema requires.
        choices: the names of fields and the strictness of types in topics; state does not depend on them.
    """

    def __init__(self, *, quoted: bool = False, choices: TypeChoices | None = None) -> None:
        self._quoted, self._choices = quoted, choices or TypeChoices()

    def configured(self, choices: Mapping[str, str]) -> "JsonCodecs":
        configured = copy(self)
        configured._choices = self._choices.over(choices)  # noqa: SLF001 - of a copy, which may be of a subclass
        return configured

    def for_key(self, topic: str, key_type: Any) -> Codec:
        if without_none(key_type) in UNTYPED and not self._quoted:
            return UntypedKeyCodec(self._choices.names(topic))
        return self._for_topic(topic, "keys", without_none(key_type))

    def for_value(self, topic: str, value_type: Any) -> Codec:
        return self._for_topic(topic, "values", without_none(value_type))

    def for_state(self, value_type: Any) -> Codec:
        return state_codec(value_type)

    def for_display(self, value_type: Any, topic: str = "") -> Codec:
        names = self._choices.names(topic)
        return (
            UntypedJsonCodec(names=names)
            if value_type in UNTYPED
            else _typed(value_type, Shape(names, strict=False, finite=False))
        )

    def check(self, reads: Iterable[TopicTypes], writes: Iterable[TopicTypes]) -> None:
        """Make sure that the types of unions in the topics that are written are distinct when they are read again.

        Raises:
            JsonTypeError: they cannot.
        """
        del reads
        for topic, *types in writes:
            for what, codec_for, declared in zip(("keys", "values"), (self.for_key, self.for_value), types, strict=True):
                codec = None if declared is None else codec_for(topic, declared)
                if isinstance(codec, TypedJsonCodec | WindowedJsonCodec):
                    with _of_topic(what, topic):
                        codec.check_unions()

    def shown_names(self, topic: str = "") -> Names:
        return self._choices.names(topic)

    def _for_topic(self, topic: str, what: str, declared: Any) -> Codec:
        if declared is str and not self._quoted:
            return StringCodec()
        if declared is bytes:
            return BytesCodec()
        if declared in UNTYPED:
            return UntypedJsonCodec(names=self._choices.names(topic))
        if declared in COLLECTIONS:
            return UntypedJsonCodec(COLLECTIONS[declared], self._choices.names(topic))
        with _of_topic(what, topic):
            return _typed(declared, Shape(self._choices.names(topic), self._choices.is_strict(topic)))


@contextmanager
def _of_topic(what: str, topic: str) -> Iterator[None]:
    try:
        yield
    except UnsupportedTypeError as error:
        raise type(error)(f"the {what} of topic '{topic}': {error}") from error


@cache
def _typed(declared: Any, shape: Shape) -> Codec:
    """Return the codec of a type, which takes more time to create than to use, and can be shared."""
    if get_origin(declared) is Windowed:
        return WindowedJsonCodec(get_args(declared)[0], shape)
    return TypedJsonCodec(declared, shape)


class UntypedKeyCodec(Codec):
    """Keys of unknown type: strings and bytes are written as they are, all others as JSON; keys are decoded as strings."""

    def __init__(self, names: Names = "as-declared") -> None:
        self._string = StringCodec()
        self._json = UntypedJsonCodec(names=names)

    def encode(self, value: Any) -> bytes | None:
        if isinstance(value, bytes):
            return value
        return self._string.encode(value) if isinstance(value, str) else self._json.encode(value)

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        return self._string.decode(data)
