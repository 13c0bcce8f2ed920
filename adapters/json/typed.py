"""JSON of a declared type."""

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import CoreSchema
from pydantic_core.core_schema import DataclassSchema

from eddyline.adapters.codecs.errors import shortened
from eddyline.adapters.codecs.kept import Comparison, cure
from eddyline.adapters.json.column_encoder import column_encoder
from eddyline.adapters.json.compiled import compiled_column_decoder, compiled_decoder, is_simple
from eddyline.adapters.json.decimals import DecimalValidator
from eddyline.adapters.json.errors import JsonTypeError, decode_error, encode_error
from eddyline.adapters.json.limits import MAX_DEPTH, check_depth, check_untyped_parts
from eddyline.adapters.json.nulls import present_in
from eddyline.adapters.json.type_adapter import CONSTANTS, TOPIC, Shape, has_own_serializer, has_part, json_type, may_change
from eddyline.adapters.json.unions import examples_of, unions_in
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers
from eddyline.application.topology.forms import Form, NoFormError, form_of
from eddyline.application.topology.types import type_name

_MIN_COLUMN = 4
_MAX_CERTAIN_BYTES = 4_096
"""The size of JSON in which no number has more digits than are read."""
_FIRST = 100
"""So many values of a simple type with code of its own, such as `__post_init__`, are read again when they are written."""
_OF_WRITERS = frozenset({"missing", "extra_forbidden"})
_NOT_NUMBERS = frozenset({"finite_number", "float_type"})
_CURE_OF_UNIONS = 'let the types of a union be dataclasses that have a field such as `kind: Literal["paid"] = "paid"` each'


class ChangedError(CodecError):
    """A value would come back as another one."""


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
        self._check = found.validator.check_json if isinstance(found.validator, DecimalValidator) else self._validate
        self._is_read = shape.finite  # other values are only shown
        self._is_simple = is_simple(declared)
        self._form = _form_of(declared)
        self._changes = may_change(self._schema)
        self._left = _FIRST if self._changes else 0
        self._encode_column = column_encoder(declared, shape.names)
        self._has_untyped_parts = has_part(self._schema, "any")
        self._comparison = Comparison(has_part(self._schema, "union", "tagged-union"), self._has_untyped_parts, shape.strict)
        self._is_compared = not has_own_serializer(self._schema)

    def __reduce__(self) -> tuple[Any, ...]:
        return _typed_codec, (self._declared, self._shape, self._shown_as)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of encoded values, which may be null."""
        return DocstringFreeJsonSchema(by_alias=True).generate(self._schema, mode="serialization")

    def check_unions(self) -> None:
        """Make sure that values of all types in the unions of the type come back, by examples of those that are known.

        Raises:
            JsonTypeError: those of one type come back as those of another.
        """
        for union in unions_in(self._declared):
            codec = TypedJsonCodec(union, self._shape)
            for value in examples_of(union):
                try:
                    codec.encode(value)
                except ChangedError as error:
                    raise JsonTypeError(str(error)) from None
                except CodecError:  # such as a number outside the constraints of its type
                    continue

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        return self._encoded(value, is_exact=self._form is not None and self._form.exact(value))

    def _encoded(self, value: Any, *, is_exact: bool) -> bytes:
        try:
            data = self._serialize(value, by_alias=True, warnings=False if is_exact and self._is_simple else "error")
        except (ValueError, TypeError, RecursionError) as error:
            raise encode_error(self._shown_as, value, error) from None
        if self._is_read and not (is_exact and self._is_simple and not self._left and len(data) <= _MAX_CERTAIN_BYTES):
            self._check_readable(value, data, is_exact=is_exact)
        return data

    def _check_readable(self, value: Any, data: bytes, *, is_exact: bool) -> None:
        """Refuse what does not come back from its JSON, such as None where it is not declared, or a subclass.

        Types that are only written may leave out fields, and have others that are computed.
        """
        check_depth(data, MAX_DEPTH)
        is_compared = self._is_compared and not (is_exact and (self._is_simple or not self._changes) and not self._left)
        try:
            found = None if self._compiled is None else self._compiled(data)
            if found is None:
                found = self._validate(data) if is_compared else self._check(data)
        except ValidationError as error:
            if {problem["type"] for problem in error.errors(include_url=False, include_context=False)} <= _OF_WRITERS:
                return
            found = self._with_quoted_constants(data, error)
        except Exception as error:
            raise decode_error(self._shown_as, error) from error
        if is_compared and not self._comparison.is_kept(value, found):
            raise self._changed(value, found)
        self._left = max(self._left - 1, 0)

    def _changed(self, value: Any, found: Any) -> ChangedError:
        path, part, back = self._comparison.change(value, found)
        start = ": ".join(filter(None, (type_name(self._shown_as), path.lstrip("."))))
        advice = _CURE_OF_UNIONS if self._comparison.has_unions else cure(part, back)
        return ChangedError(f"{start}: {shortened(part)} would come back from JSON as {shortened(back)}; {advice}")

    def encode_all(self, values: Sequence[Any]) -> Sequence[bytes | None]:
        if len(values) < _MIN_COLUMN or self._left:
            return super().encode_all(values)
        found = None if self._encode_column is None else self._encode_column(values)
        if found is not None:
            return found
        present = present_in(values)
        try:
            is_exact = self._form is not None and self._form.exact_all(present)
        except (TypeError, AttributeError, RecursionError):
            is_exact = False
        if not is_exact:
            return super().encode_all(values)
        return [None if value is None else self._encoded(value, is_exact=True) for value in values]

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        if data is None:
            return None
        if self._compiled is not None and (value := self._compiled(data)) is not None:
            return value
        try:
            value = self._validate(data)
        except ValidationError as error:
            value = self._with_quoted_constants(data, error)
        except Exception as error:
            raise decode_error(self._shown_as, error) from error
        if self._has_untyped_parts:
            check_untyped_parts(data)
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
        except Exception as other:
            raise decode_error(self._shown_as, other) from other


def _form_of(declared: Any) -> Form | None:
    """Return the form of a type in state, which says whether the classes in a value are those that were declared, or None."""
    try:
        return form_of(declared)
    except NoFormError:
        return None


def _typed_codec(declared: Any, shape: Shape, shown_as: Any) -> TypedJsonCodec:
    return TypedJsonCodec(declared, shape, shown_as=shown_as)


class DocstringFreeJsonSchema(GenerateJsonSchema):
    """Leaves out what pydantic takes from docstrings: rewording one must not register a new version of a schema."""

    def generate(self, schema: CoreSchema, mode: JsonSchemaMode = "validation") -> JsonSchemaValue:
        """Return the schema of a type."""
        generated = super().generate(schema, mode)
        for each in (generated, *generated.get("$defs", {}).values()):
            if "enum" in each:
                each.pop("description", None)
        return generated

    def dataclass_schema(self, schema: DataclassSchema) -> JsonSchemaValue:
        """Return the schema of a dataclass."""
        return {name: value for name, value in super().dataclass_schema(schema).items() if name != "description"}
