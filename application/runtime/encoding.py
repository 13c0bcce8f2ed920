"""Encodes the keys of emitted records."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, get_args, get_origin

from eddyline.application.operators.dictionary_column import DictionaryColumn
from eddyline.application.ports.codec import Codec
from eddyline.application.runtime.cached_keys import is_slow_to_look_up
from eddyline.application.runtime.partitioner import LONGEST_CACHED_KEY
from eddyline.application.topology.windows import Windowed

_CACHED_KEYS = 1 << 16
_TEXT_TYPES = (str, bytes)


class KeyEncoder:
    """Encodes the keys of a topic, one or many at once.

    The bytes of str and bytes keys of moderate length, windowed or not, are cached. Those of other types are not, since equal
    keys may have different bytes, as 1 and 1.0 do.
    """

    def __init__(self, codec: Codec, key_type: object) -> None:
        self.encode: Callable[[Any], bytes | None] = codec.encode
        self._codec = codec
        self._kind: type | None = None
        self._cached: dict[Hashable, bytes | None] = {}
        windowed = get_origin(key_type) is Windowed
        of_keys = get_args(key_type)[0] if windowed else key_type
        if of_keys in _TEXT_TYPES:
            self.encode = _cached_encoder(codec.encode, Windowed if windowed else of_keys, self._cached)
            self._kind = Windowed if windowed else of_keys

    def encode_all(self, keys: Sequence[Any]) -> Sequence[bytes | None]:
        """Return many encoded keys."""
        if isinstance(keys, DictionaryColumn):
            return keys.of(self.encode_all(keys.distinct))
        if self._kind is None or set(map(type, keys)) != {self._kind}:
            return list(map(self.encode, keys))
        if is_slow_to_look_up(keys, self._cached):
            return self._codec.encode_all(keys)
        found = list(map(self._cached.get, keys))
        if all(found):
            return found
        new = [key for key, data in zip(keys, found, strict=True) if data is None]
        encoded = self._codec.encode_all(new)
        for key, data in zip(new, encoded, strict=True):
            _cache(self._cached, key, data)
        left = iter(encoded)
        return [next(left) if data is None else data for data in found]


def _cached_encoder(
    encode: Callable[[Any], bytes | None], kind: object, cached: dict[Hashable, bytes | None]
) -> Callable[[Any], bytes | None]:
    def encode_cached(key: Any) -> bytes | None:
        if type(key) is not kind:
            return encode(key)
        found = cached.get(key)
        if found is None:
            found = encode(key)
            _cache(cached, key, found)
        return found

    return encode_cached


def _cache(cached: dict[Hashable, bytes | None], key: Hashable, data: bytes | None) -> None:
    if data is not None and len(data) <= LONGEST_CACHED_KEY:
        if len(cached) >= _CACHED_KEYS:
            cached.clear()
        cached[key] = data
