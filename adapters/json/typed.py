"""JSON of a declared type."""

import typing
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from operator import attrgetter
from types import NoneType
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from eddyline.adapters.codecs.errors import expected_found
from eddyline.adapters.json.column_encoder import column_encoder
from eddyline.adapters.json.compiled import compiled_column_decoder, compiled_decoder
from eddyline.adapters.json.decimals import DecimalValidator
from eddyline.adapters.json.errors import decode_error, encode_error
from eddyline.adapters.json.limits import MAX_DEPTH, check_depth, check_untyped_parts
from eddyline.adapters.json.schema_generator import DocstringFreeJsonSchema
from eddyline.adapters.json.type_adapter import CONSTANTS, TOPIC, Shape, has_part, json_type
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers
from eddyline.application.topology.types import type_name

_SCALARS = frozenset({str, int, float, bool, type(None)})
_MIN_COLUMN = 4
_OF_WRITERS = frozenset({"missing", "extra_forbidden"})
_NOT_NUMBERS = frozenset({"finite_number", "float_type"})


class TypedJsonCodec(Codec):
    """Values of one type: a dataclass, tuple, list, dict, number, date, Decimal, UUID, enum, … or a union of these.

    Args:
        declared: the type.
        shape: what decides about the JSON. Not-a-number and infinity are strings, as Java programs write them; numbers greater
            than any float, and the constants NaN and Infinity, which are not JSON, cannot be decoded.
        shown_as: the type that errors name, if it is another.

    Raises:
        JsonTypeError: JSON cannot represent the type.
    """

    def __init__(self, declared: Any, shape: Shape = TOPIC, *, shown_as: Any = None) -> None:
        self._declared, self._shape = declared, shape
        self._shown_as = shown_as or declared
        found = json_type(declared, shape, self._shown_as)
        self._schema, self._validate, self._serialize = found.schema, found.validator.validate_json, found.serializer.to_json
        self._compiled, self._compiled_column = (
            compiled_decoder(declared, shape.names),
            compiled_column_decoder(declared, shape.names),
        )
        self._flat, self._fields_of, self._allowed = _flat_dataclass(declared)
        self._refuses_others = shape.strict
        self._check = found.validator.check_json if isinstance(found.validator, DecimalValidator) else self._validate
        self._is_read = shape.finite  # other values are only shown
        self._encode_column = column_encoder(declared, shape.names)
        self._scalar = next((scalar for scalar in _SCALARS if scalar is declared), None)
        self._checked: set[tuple[type, ...]] = set()
        self._has_untyped_parts = has_part(self._schema, "any")

    def __reduce__(self) -> tuple[Any, ...]:
        return _typed_codec, (self._declared, self._shape, self._shown_as)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of encoded values, which may be null."""
        return DocstringFreeJsonSchema(by_alias=True).generate(self._schema, mode="serialization")

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        classes = None
        try:
            if type(value) is self._scalar:
                return self._serialize(value, warnings=False)
            if type(value) is self._flat:
                classes = tuple(map(type, self._fields_of(value)))
                if classes in self._checked:
                    return self._serialize(value, by_alias=True, warnings=False)
            data = self._serialize(value, by_alias=True, warnings="error")
        except (ValueError, TypeError, RecursionError) as error:
            raise encode_error(self._shown_as, value, error) from None
        is_flat = classes is not None and _SCALARS.issuperset(classes)
        if is_flat and self._refuses_others:
            self._check_classes(classes or (), value)
        if self._is_read:
            self._check_readable(data)
        if is_flat:
            self._checked.add(classes or ())
        return data

    def _check_readable(self, data: bytes) -> None:
        """Refuse what pydantic writes, but does not read, such as None where it is not declared.

        Types that are only written may leave out fields, and have others that are computed.
        """
        if self._compiled is not None and self._compiled(data) is not None:
            return
        try:
            self._check(data)
        except ValidationError as error:
            if not {problem["type"] for problem in error.errors(include_url=False, include_context=False)} <= _OF_WRITERS:
                self._with_quoted_constants(data, error)

    def _check_classes(self, classes: tuple[type, ...], value: Any) -> None:
        """Refuse what pydantic writes, but does not read: None where it is not declared, and booleans as numbers."""
        for allowed, found, content, each in zip(self._allowed, classes, self._fields_of(value), fields(value), strict=True):
            if found not in allowed:
                expected = " or ".join("None" if kind is NoneType else type_name(kind) for kind in allowed)
                raise CodecError(f"{type_name(self._shown_as)}: {each.name}: {expected_found(expected, content)}")

    def encode_all(self, values: Sequence[Any]) -> Sequence[bytes | None]:
        found = None if self._encode_column is None or len(values) < _MIN_COLUMN else self._encode_column(values)
        return super().encode_all(values) if found is None else found

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        if data is None:
            return None
        if self._compiled is not None and (value := self._compiled(data)) is not None:
            return value
        try:
            value = self._validate(data)
        except ValidationError as error:
            value = self._with_quoted_constants(data, error)
        if self._has_untyped_parts:
            check_untyped_parts(data)
        if self._flat is None:
            check_depth(data, MAX_DEPTH)
        return value

    def decode_all(self, column: Sequence[bytes | None]) -> Sequence[Any]:
        found = None if self._compiled_column is None or len(column) < _MIN_COLUMN else self._compiled_column(column)
        return super().decode_all(column) if found is None else found

    def _with_quoted_constants(self, data: bytes, error: ValidationError) -> Any:
        """Return the value if all that is wrong with it are the strings for not-a-number and infinity. Raises CodecError."""
        problems = error.errors(include_url=False, include_context=False)
        infinite = [problem["input"] for problem in problems if problem["type"] in _NOT_NUMBERS]
        if not infinite or not all(isinstance(found, str) and found in CONSTANTS for found in infinite):
            raise decode_error(self._shown_as, error) from None
        try:
            shape = self._shape._replace(finite=False, constants=True)
            return json_type(self._declared, shape, self._shown_as).validator.validate_json(data)
        except ValidationError as other:
            raise decode_error(self._shown_as, other) from None


def _flat_dataclass(declared: Any) -> tuple[type | None, Callable[[Any], tuple[Any, ...]], Sequence[Sequence[type]]]:
    """Return the type, a getter of the field values and their classes if it is a dataclass of strings and numbers, else None.

    Whether pydantic accepts such a value depends only on the classes of its fields. Comparing these with the classes of values
    that pydantic has checked takes a third of the time of another check.
    """
    if not isinstance(declared, type) or not is_dataclass(declared):
        return None, _no_fields, ()
    try:
        hints = typing.get_type_hints(declared, include_extras=True)
    except NameError:
        return None, _no_fields, ()
    names = [field.name for field in fields(declared)]
    types_of = [typing.get_args(hints[name]) or (hints[name],) for name in names]
    has_constraints = any(isinstance(field.default, FieldInfo) for field in fields(declared))
    if not names or has_constraints or not all(map(_SCALARS.issuperset, types_of)):
        return None, _no_fields, ()
    return declared, _getter_of(names), [[*each, int] if float in each else each for each in types_of]


def _getter_of(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    getter = attrgetter(*names)
    return getter if len(names) > 1 else lambda value: (getter(value),)


def _no_fields(_value: Any) -> tuple[Any, ...]:
    return ()


def _typed_codec(declared: Any, shape: Shape, shown_as: Any) -> TypedJsonCodec:
    return TypedJsonCodec(declared, shape, shown_as=shown_as)
