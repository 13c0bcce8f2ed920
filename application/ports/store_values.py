"""What all implementations of state stores do with keys and values."""

import copy
from dataclasses import is_dataclass
from typing import TypeVar

T = TypeVar("T")

_IMMUTABLE = frozenset({str, bytes, int, float, bool, type(None)})
_SHARED: dict[type, bool] = {}
"""Whether the readers of a store share the values of a type."""


def null_key(store: str) -> ValueError:
    """Return the error for a null key, which Kafka Streams' stores refuse too."""
    return ValueError(f"store '{store}' takes no entry with the key None; drop records without a key before they reach the store")


def own_copy(value: T) -> T:
    """Return the value, or a copy if the reader could change it in place, since that could not be undone.

    A dataclass with a hash is a value that nobody changes.
    """
    kind = type(value)
    shared = _SHARED.get(kind)
    if shared is None:
        shared = _SHARED[kind] = kind in _IMMUTABLE or (is_dataclass(kind) and kind.__hash__ is not None)
    if shared:
        return value
    if isinstance(value, tuple):
        for element in value:
            if own_copy(element) is not element:
                return copy.deepcopy(value)
        return value
    return copy.deepcopy(value)
