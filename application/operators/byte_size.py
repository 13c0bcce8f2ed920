"""Estimates how many bytes keys and values have."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from eddyline.application.topology.windows import Windowed

_NUMBER_BYTES = 8


def byte_size(value: Any) -> int:
    """Return the size of a key or value in bytes.

    It is that of Kafka's serializers for text, bytes, long, double and their time windows. A dataclass or a collection has the
    size of what it contains; anything else has that of its text.
    """
    if value is None:
        return 0
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, bytes):
        return len(value)
    if isinstance(value, int | float):
        return 1 if isinstance(value, bool) else _NUMBER_BYTES
    if isinstance(value, Windowed):
        return byte_size(value.key) + _NUMBER_BYTES
    return _content_size(value)


def _content_size(value: Any) -> int:
    if isinstance(value, Mapping):
        return sum(byte_size(key) + byte_size(entry) for key, entry in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return sum(map(byte_size, value))
    if is_dataclass(value):
        return sum(byte_size(getattr(value, field.name)) for field in fields(value))
    return len(str(value).encode())
