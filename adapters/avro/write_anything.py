"""How a value of a type that nobody told becomes Avro: as JSON would hold it, a dataclass as an object of its fields."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from eddyline.adapters.avro.misfit import MisfitError
from eddyline.adapters.avro.shapes import camel_case

_SINGLE = {bool: "boolean", int: "long", float: "double", str: "string"}


def anything(value: Any) -> dict[str, Any]:
    """The value in the record that can hold any. Raises MisfitError for what JSON cannot hold."""
    branch = _SINGLE.get(type(value))
    if branch is not None:
        return {"value": (branch, value)}
    if value is None:
        return {"value": None}
    if isinstance(value, Mapping):
        return {"value": ("map", {text(name): _at(f"[{name!r}]", item) for name, item in value.items()})}
    if isinstance(value, (list, tuple)):
        return {"value": ("array", [_at("[]", item) for item in value])}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {
            camel_case(entry.name): _at(f".{entry.name}", getattr(value, entry.name)) for entry in dataclasses.fields(value)
        }
        return {"value": ("map", fields)}
    raise MisfitError(f"a value of type {type(value).__name__} has no form in JSON; declare the type")


def text(name: Any) -> str:
    """The key of a map. Raises MisfitError when it is no text."""
    if isinstance(name, str):
        return name
    raise MisfitError(f"the key {name!r} of a dict must be a str")


def _at(place: str, item: Any) -> dict[str, Any]:
    try:
        return anything(item)
    except MisfitError as error:
        raise error.within(place) from None
