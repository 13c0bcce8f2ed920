"""From what a task gives to a record's bytes, the same way under every engine."""

from collections.abc import Callable, Hashable
from typing import Any, get_args, get_origin

from eddyline.application.topology.windows import Windowed

_REMEMBERED_KEYS = 1 << 16
_TEXTS = (str, bytes)


def key_encoder(encode: Callable[[Any], bytes | None], key_type: object) -> Callable[[Any], bytes | None]:
    """What encodes the keys of a topic; texts, and texts in windows, that came lately are remembered with their bytes.

    Keys of other types are not: equal ones may have different bytes, as 1 and 1.0 have.
    """
    windowed = get_origin(key_type) is Windowed
    if key_type not in _TEXTS and not (windowed and get_args(key_type)[0] in _TEXTS):
        return encode
    kind = Windowed if windowed else key_type
    known: dict[Hashable, bytes | None] = {}

    def encode_remembering(key: Any) -> bytes | None:
        if type(key) is not kind:
            return encode(key)
        found = known.get(key)
        if found is None:
            found = encode(key)
            if len(known) >= _REMEMBERED_KEYS:
                known.clear()
            known[key] = found
        return found

    return encode_remembering
