"""Encodes the keys of emitted records."""

from collections.abc import Callable, Hashable
from typing import Any, get_args, get_origin

from eddyline.application.runtime.partitioner import LONGEST_CACHED_KEY
from eddyline.application.topology.windows import Windowed

_CACHED_KEYS = 1 << 16
_TEXT_TYPES = (str, bytes)


def key_encoder(encode: Callable[[Any], bytes | None], key_type: object) -> Callable[[Any], bytes | None]:
    """Return a function that encodes the keys of a topic.

    The bytes of str and bytes keys of moderate length, windowed or not, are cached. Those of other types are not, since equal
    keys may have different bytes, as 1 and 1.0 do.
    """
    windowed = get_origin(key_type) is Windowed
    if key_type not in _TEXT_TYPES and not (windowed and get_args(key_type)[0] in _TEXT_TYPES):
        return encode
    kind = Windowed if windowed else key_type
    cached: dict[Hashable, bytes | None] = {}

    def encode_cached(key: Any) -> bytes | None:
        if type(key) is not kind:
            return encode(key)
        found = cached.get(key)
        if found is None:
            found = encode(key)
            if found is not None and len(found) <= LONGEST_CACHED_KEY:
                if len(cached) >= _CACHED_KEYS:
                    cached.clear()
                cached[key] = found
        return found

    return encode_cached
