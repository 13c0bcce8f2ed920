"""JSON of keys in windows: `{"key": …, "window": {"start": …, "end": …}}`, times in milliseconds since the epoch."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from eddyline.adapters.json.typed import TypedJsonCodec
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
    """Keys of the type `Windowed[key_type]`, as an object with names instead of the list that a named tuple would be."""

    def __init__(self, key_type: Any, *, state: bool = False) -> None:
        self._codec = TypedJsonCodec(_WindowedKey[key_type], state=state, called=Windowed[key_type])

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        if not isinstance(value, Windowed):
            raise CodecError(f"should be a Windowed key, not {type(value).__name__}")
        return self._codec.encode(_WindowedKey(value.key, _Bounds(*value.window)))

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        found = self._codec.decode(data)
        return None if found is None else Windowed(found.key, Window(found.window.start, found.window.end))
