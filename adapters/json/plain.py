"""JSON without a type: what is read are dicts, lists, texts, numbers, booleans and None, and they are written as they were."""

import dataclasses
import json
from typing import Any

from pydantic.alias_generators import to_camel
from pydantic_core import from_json, to_json, to_jsonable_python

from eddyline.adapters.json.errors import unencodable
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers
from eddyline.application.topology.types import type_name

_SCALARS = (str, int, float, bool, type(None))


class PlainJsonCodec(Codec):
    """Values of a topic whose type is not known, or known to be of a `kind` such as dict, with anything in it.

    Dataclasses may be written, but are read back as dicts.
    """

    def __init__(self, kind: type = object) -> None:
        self._kind = kind

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        if not isinstance(value, self._kind):
            raise CodecError(f"should be a {self._kind.__name__}, not {type(value).__name__}")
        try:
            return _written(value).encode()
        except (ValueError, TypeError, RecursionError) as error:
            raise unencodable(type(value), value, error) from None

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        if data is None:
            return None
        try:
            value = from_json(data, allow_inf_nan=False)
        except ValueError as error:
            raise CodecError(f"Invalid JSON: {error}") from None
        if value is not None and not isinstance(value, self._kind):
            raise CodecError(f"should be a {self._kind.__name__}, not {type(value).__name__}")
        return value


class PlainStateCodec(Codec):
    """State of a type that is not known: only what comes back from JSON as it was."""

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        try:
            return to_json(unchanged(value))
        except (ValueError, TypeError, RecursionError) as error:
            raise unencodable(type(value), value, error) from None

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        if data is None:
            return None
        try:
            return from_json(data)
        except ValueError as error:
            raise CodecError(f"Invalid JSON: {error}") from None


def jsonable(value: Any) -> Any:
    """The value as the JSON of a topic holds it, dataclasses in it with camelCase names. Raises ValueError or TypeError."""
    return value if type(value) in _SCALARS else json.loads(_written(value))


def unchanged(value: Any) -> Any:
    """The value itself, when JSON gives it back as it is. Raises ValueError for any other."""
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is list:
        for element in value:
            unchanged(element)
        return value
    if kind is dict and all(type(key) is str for key in value):
        for element in value.values():
            unchanged(element)
        return value
    what = "a dict with other keys than texts" if kind is dict else f"a value of type {type_name(kind)}"
    raise ValueError(f"{what} would not come back from state as it is, since its type is not known; annotate what makes it")


def _to_plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {to_camel(field.name): getattr(value, field.name) for field in dataclasses.fields(value)}
    return to_jsonable_python(value, bytes_mode="base64")


_written = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_to_plain).encode
