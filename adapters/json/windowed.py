"""Windowed keys in JSON: `{"key": …, "window": {"start": …, "end": …}}`, with bounds in ms since the epoch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from eddyline.adapters.codecs.windowed import not_windowed
from eddyline.adapters.json.compiled import is_simple
from eddyline.adapters.json.type_adapter import TOPIC, Shape
from eddyline.adapters.json.typed import TypedJsonCodec
from eddyline.adapters.primitive.codec import BytesCodec, StringCodec
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers
from eddyline.application.topology.windows import Window, Windowed

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class _Bounds:
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _WindowedKey(Generic[K]):
    key: K
    window: _Bounds


class WindowedJsonCodec(Codec):
    """Keys of the type `Windowed[key_type]`, as a JSON object; as a named tuple it would be an array."""

    def __init__(self, key_type: Any, shape: Shape = TOPIC) -> None:
        texts: dict[Any, Codec] = {str: StringCodec(), bytes: BytesCodec()}
        self.base = texts.get(key_type) or TypedJsonCodec(key_type, shape)
        self._codec = TypedJsonCodec(_WindowedKey[key_type], shape, shown_as=Windowed[key_type])
        self._key = TypedJsonCodec(key_type, shape) if is_simple(key_type) else None

    def check_unions(self) -> None:
        """Make sure that the types of unions in the keys are distinct in JSON. Raises JsonTypeError."""
        self._codec.check_unions()

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        if not isinstance(value, Windowed):
            raise not_windowed(value)
        return self._codec.encode(_WindowedKey(value.key, _Bounds(*value.window)))

    def encode_all(self, values: Sequence[Any]) -> Sequence[bytes | None]:
        found = self._by_column(values)
        return super().encode_all(values) if found is None else found

    def _by_column(self, values: Sequence[Any]) -> Sequence[bytes] | None:
        """Encode simple keys by column, and the text of each window once; return None if they must be encoded one by one."""
        if self._key is None or set(map(type, values)) != {Windowed}:
            return None
        windows = {value.window for value in values}
        if not all(type(bound) is int for window in windows for bound in window):
            return None
        contents = [value.key for value in values]
        if None in contents:
            return None
        try:
            keys = cast("Sequence[bytes]", self._key.encode_all(contents))
        except CodecError:
            return None
        ends = {window: b',"window":{"start":%d,"end":%d}}' % window for window in windows}
        return [b'{"key":%b%b' % (key, ends[value.window]) for key, value in zip(keys, values, strict=True)]

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        found = self._codec.decode(data)
        return None if found is None else Windowed(found.key, Window(found.window.start, found.window.end))


def windowed_schema(key_schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the JSON Schema of windowed keys for that of their keys."""
    key = dict(key_schema)
    definitions = key.pop("$defs", {})
    bound = {"type": "integer", "format": "int64", "description": "Milliseconds since the epoch."}
    window = {"type": "object", "properties": {"start": bound, "end": bound}, "required": ["start", "end"]}
    schema = {"type": "object", "properties": {"key": key, "window": window}, "required": ["key", "window"]}
    return {**schema, **({"$defs": definitions} if definitions else {})}
