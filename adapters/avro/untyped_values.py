"""Encodes values of unknown type as the record of untyped values; dataclasses become maps of their fields."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from eddyline.adapters.avro.errors import TypeMismatchError
from eddyline.adapters.avro.names import camel_case
from eddyline.adapters.avro.paths import index_path, key_path
from eddyline.adapters.codecs.errors import described

_SCALARS = {bool: "boolean", int: "long", float: "double", str: "string"}


def encode_untyped(value: Any) -> dict[str, Any]:
    """Return the record of an untyped value for fastavro.

    Raises:
        TypeMismatchError: JSON cannot represent the value, or one inside it.
    """
    branch = _SCALARS.get(type(value))
    if branch is not None:
        return {"value": (branch, value)}
    if value is None:
        return {"value": None}
    if isinstance(value, Mapping):
        return _encode_map(value)
    if isinstance(value, (list, tuple)):
        return _encode_array(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _encode_dataclass(value)
    raise TypeMismatchError(f"JSON cannot represent {described(value)}; declare the type of this value")


def map_key(name: Any) -> str:
    """Return the key of a map.

    Raises:
        TypeMismatchError: the key is not a str.
    """
    if isinstance(name, str):
        return name
    raise TypeMismatchError(f"expected str as the key of a dict, found {described(name)}")


def _encode_map(value: Mapping[Any, Any]) -> dict[str, Any]:
    items = iter(value.items())
    try:
        return {"value": ("map", {map_key(name): encode_untyped(item) for name, item in items})}
    except TypeMismatchError as error:
        raise error.within(key_path(value, items)) from None


def _encode_array(value: Sequence[Any]) -> dict[str, Any]:
    items = iter(value)
    try:
        return {"value": ("array", [encode_untyped(item) for item in items])}
    except TypeMismatchError as error:
        raise error.within(index_path(value, items)) from None


def _encode_dataclass(value: Any) -> dict[str, Any]:
    encoded, name = {}, ""
    try:
        for name in [entry.name for entry in dataclasses.fields(value)]:
            encoded[camel_case(name)] = encode_untyped(getattr(value, name))
    except TypeMismatchError as error:
        raise error.within(f".{name}") from None
    return {"value": ("map", encoded)}
