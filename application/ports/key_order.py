"""The order of keys in stores: text by its UTF-8 bytes, numbers by size, everything else by its parts."""

import dataclasses
from typing import Any


def key_order(key: Any) -> Any:
    """What to sort keys of one type by. Python sorts text as UTF-8 would."""
    if dataclasses.is_dataclass(key) and not isinstance(key, type):
        return tuple(key_order(getattr(key, field.name)) for field in dataclasses.fields(key))
    if isinstance(key, tuple):
        return tuple(key_order(part) for part in key)
    if key is None:
        return ()
    return key
