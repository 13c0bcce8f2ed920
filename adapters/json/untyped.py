"""JSON without a declared type: it is decoded into dicts, lists, strings, numbers, booleans and None."""

import dataclasses
import json
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

import msgspec
from pydantic_core import from_json, to_jsonable_python

from eddyline.adapters.codecs.errors import expected_found
from eddyline.adapters.codecs.field_names import field_names
from eddyline.adapters.json.errors import encode_error
from eddyline.adapters.json.limits import MAX_DEPTH, check_depth, check_numbers, is_within_limits
from eddyline.adapters.json.nulls import present_in, with_nulls
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers
from eddyline.application.topology.types import Names

_SCALARS = (str, int, float, bool, type(None))
_KINDS_OF_OBJECTS = (object, dict)


class UntypedJsonCodec(Codec):
    """Values in topics whose type is unknown, or known to be a `kind` of collection, such as dict, with any contents.

    Dataclasses can be encoded, with these names of fields; they are decoded as dicts.
    """

    def __init__(self, kind: type = object, names: Names = "as-declared") -> None:
        self._kind, self._names = kind, names

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        if not isinstance(value, self._kind):
            raise CodecError(expected_found(self._kind.__name__, value))
        try:
            return _writer(self._names)(value).encode()
        except (ValueError, TypeError, RecursionError) as error:
            raise encode_error(type(value), value, error) from None

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        if data is None:
            return None
        try:
            value = from_json(data, allow_inf_nan=False)
        except ValueError as error:
            raise CodecError(f"Invalid JSON: {error}") from None
        check_depth(data, MAX_DEPTH)
        check_numbers(data, value)
        if value is not None and not isinstance(value, self._kind):
            raise CodecError(expected_found(self._kind.__name__, value))
        return value

    def decode_all(self, column: Sequence[bytes | None]) -> Sequence[Any]:
        found = decode_objects(column) if self._kind in _KINDS_OF_OBJECTS else None
        return super().decode_all(column) if found is None else found


def to_jsonable(value: Any, *, names: Names) -> Any:
    """Convert a value to the parsed form of its JSON; dataclasses become dicts.

    Raises:
        ValueError: the value has no JSON, such as not-a-number.
        TypeError: the value, or one inside it, is of a type that JSON cannot represent.
    """
    return value if type(value) in _SCALARS else json.loads(_writer(names)(value))


@cache
def _writer(names: Names) -> Callable[[Any], str]:
    def default(value: Any) -> Any:
        if (dataclasses.is_dataclass(value) and not isinstance(value, type)) or _is_plain_model(value):
            kind: Any = type(value)
            own = field_names(kind, names).values()
            return {each.written: getattr(value, each.attribute) for each in own if not each.excluded}
        if isinstance(value, set | frozenset):
            return sorted(value, key=write)  # whose own order differs from process to process
        return to_jsonable_python(value, bytes_mode="base64")

    write = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=default).encode
    return write


def _is_plain_model(value: Any) -> bool:
    """Return whether a value is a pydantic model of nothing but fields, which pydantic writes as they are."""
    own = getattr(type(value), "__pydantic_decorators__", None)
    if own is None or getattr(value, "__pydantic_root_model__", False) or getattr(value, "__pydantic_extra__", None):
        return False
    return not (own.field_serializers or own.model_serializers or own.computed_fields)


_decode_lines: Final = msgspec.json.Decoder().decode_lines


def decode_objects(column: Sequence[bytes | None]) -> Sequence[Any] | None:
    """Return many decoded JSON objects, None for None; or None if they must be decoded one by one, by pydantic.

    They must if one of them is not an object, begins or ends with a space, contains a line break or is invalid, or may be beyond
    the limits of JSON. What msgspec accepts, pydantic decodes to the same value.
    """
    present = present_in(column)
    count = len(present)
    lines = b"\n".join(present)
    if not _has_objects_alone(lines, count) or not is_within_limits(present, lines):
        return None
    try:
        decoded = _decode_lines(lines)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return with_nulls(column, decoded) if len(decoded) == count else None


def _has_objects_alone(lines: bytes, count: int) -> bool:
    """Return whether each line, if it is valid, has at least one object, and nothing else.

    Within JSON, no line break can stand between two brackets of objects such as these, since strings contain none.
    """
    breaks = count - 1
    return lines[:1] == b"{" and lines[-1:] == b"}" and lines.count(b"\n") == breaks == lines.count(b"}\n{")
