"""The order of keys in state stores: text by its UTF-8 bytes, numbers by value, dataclasses and tuples field by field."""

import dataclasses
from typing import Any, Final

_PLAIN_TYPES: Final = frozenset((str, int, float, bytes))


def key_order(key: Any) -> Any:
    """Return the sort key of a store key; all keys must be of one type.

    Python orders text by code point, which is the order of its UTF-8 bytes.
    """
    if type(key) in _PLAIN_TYPES:
        return key
    if type(key) is tuple:
        return tuple(map(key_order, key))
    if dataclasses.is_dataclass(key) and not isinstance(key, type):
        return tuple(key_order(getattr(key, field.name)) for field in dataclasses.fields(key))
    if isinstance(key, tuple):
        return tuple(map(key_order, key))
    if key is None:
        return ()
    return key
