"""Encodes values of unknown type as the record of untyped values; dataclasses become maps of their fields."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from eddyline.adapters.avro.errors import TypeMismatchError
from eddyline.adapters.avro.paths import index_path, key_path
from eddyline.adapters.codecs.errors import described
from eddyline.adapters.codecs.field_names import field_names
from eddyline.application.topology.types import Names

_SCALARS = {bool: "boolean", int: "long", float: "double", str: "string"}


def encode_untyped(value: Any, names: Names) -> dict[str, Any]:
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
        return _encode_map(value, names)
    if isinstance(value, (list, tuple)):
        return _encode_array(value, names)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _encode_dataclass(value, names)
    raise TypeMismatchError(f"JSON cannot represent {described(value)}; declare the type of this value")


def map_key(name: Any) -> str:
    """Return the key of a map.

    Raises:
        TypeMismatchError: the key is not a str.
    """
    if isinstance(name, str):
        return name
    raise TypeMismatchError(f"expected str as the key of a dict, found {described(name)}")


def _encode_map(value: Mapping[Any, Any], names: Names) -> dict[str, Any]:
    items = iter(value.items())
    try:
        return {"value": ("map", {map_key(name): encode_untyped(item, names) for name, item in items})}
    except TypeMismatchError as error:
        raise error.within(key_path(value, items)) from None


def _encode_array(value: Sequence[Any], names: Names) -> dict[str, Any]:
    items = iter(value)
    try:
        return {"value": ("array", [encode_untyped(item, names) for item in items])}
    except TypeMismatchError as error:
        raise error.within(index_path(value, items)) from None


def _encode_dataclass(value: Any, names: Names) -> dict[str, Any]:
    encoded, name = {}, ""
    try:
        for name, naming in field_names(value.__class__, names).items():
            if not naming.excluded:
                encoded[naming.written] = encode_untyped(getattr(value, name), names)
    except TypeMismatchError as error:
        raise error.within(f".{name}") from None
    return {"value": ("map", encoded)}
