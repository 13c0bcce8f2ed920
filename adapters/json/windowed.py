"""Windowed keys in JSON: `{"key": …, "window": {"start": …, "end": …}}`, with bounds in ms since the epoch."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from eddyline.adapters.codecs.windowed import not_windowed
from eddyline.adapters.json.typed import TypedJsonCodec
from eddyline.application.ports.codec import Codec
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

    def __init__(self, key_type: Any, *, state: bool = False) -> None:
        self._codec = TypedJsonCodec(_WindowedKey[key_type], state=state, shown_as=Windowed[key_type])

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        if not isinstance(value, Windowed):
            raise not_windowed(value)
        return self._codec.encode(_WindowedKey(value.key, _Bounds(*value.window)))

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
