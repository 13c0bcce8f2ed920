"""Encodes and decodes values of a Python type with Avro, whichever schema they were written with."""

import io
from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any

from fastavro import parse_schema, schemaless_writer

from eddyline.adapters.avro.avro_types import EnumType, RecordType, UntypedType
from eddyline.adapters.avro.encoders import Encoder
from eddyline.adapters.avro.encoding import encoder_of
from eddyline.adapters.avro.errors import AvroSchemaError, InvalidSchemaError, TypeMismatchError
from eddyline.adapters.avro.options import AvroOptions
from eddyline.adapters.avro.promotion import Decoder
from eddyline.adapters.avro.schema import schema_of, schema_text
from eddyline.adapters.avro.schema_resolution import Resolution, resolve
from eddyline.adapters.avro.type_mapping import avro_type_of
from eddyline.adapters.avro.unencodable import find_unencodable
from eddyline.adapters.avro.writer_schema import ReadDatum, WriterSchema
from eddyline.adapters.codecs.errors import in_one_line
from eddyline.adapters.codecs.field_names import camel_case
from eddyline.adapters.codecs.type_choices import TypeChoices
from eddyline.adapters.registry.serialization_context import SerializationContext
from eddyline.application.ports.codec import CodecError
from eddyline.application.topology.types import Names

_ENCODE_ERRORS = (ValueError, TypeError, OverflowError, RecursionError)


class AvroFormat:
    """The Avro format of values of the Python type `hint`; `lax` converts texts, numbers and truth values when it decodes.

    Raises:
        AvroSchemaError: Avro cannot represent the type.
    """

    schema_type = "AVRO"

    def __init__(self, hint: Any, options: AvroOptions | None = None, names: Names = "as-declared", *, lax: bool = False) -> None:
        self._hint, self._options, self._names, self._lax = hint, options or AvroOptions(), names, lax
        self._type = avro_type_of(hint, self._options, names)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(AvroFormat, lax=self._lax), (self._hint, self._options, self._names)

    @cached_property
    def schema_text(self) -> str:
        """The schema as it is registered."""
        return schema_text(self._type)

    @property
    def record_name(self) -> str | None:
        """The full name of the record or enum; None for any other type."""
        return self._type.name if isinstance(self._type, (RecordType, EnumType, UntypedType)) else None

    def decoder(self, schema: str, references: tuple[tuple[str, str], ...] = ()) -> ReadDatum:
        """Return the decoder of values written with a schema; it raises CodecError.

        Args:
            schema: the writer's schema.
            references: names and texts of the schemas that it refers to, each after those that it refers to itself.

        Raises:
            CodecError: no value of the schema can be decoded as the Python type.
        """
        try:
            writer = WriterSchema(schema, references)
            decode = resolve(self._type, writer, lax=self._lax).decode
        except Exception as error:
            raise CodecError(_reason(error)) from error
        return _value_reader(writer.datum_reader(), decode)

    def incompatibilities(self, schema: str, references: tuple[tuple[str, str], ...] = ()) -> tuple[str, ...]:
        """Return why some or all values written with a schema cannot be decoded; empty if all can be.

        Raises:
            CodecError: the schema is invalid.
        """
        try:
            return resolve(self._type, WriterSchema(schema, references), lax=self._lax).incompatibilities
        except TypeMismatchError as error:
            return (str(error),)
        except Exception as error:
            raise CodecError(_reason(error)) from error

    def unmatched_fields(self, schema: str, references: tuple[tuple[str, str], ...] = ()) -> tuple[str, ...]:
        """Return the paths of the fields that are not in a writer's schema and take their defaults; none if it is invalid."""
        found = self._resolution(schema, references)
        return found.defaulted if found else ()

    def respelled_fields(self, schema: str, references: tuple[tuple[str, str], ...] = ()) -> tuple[tuple[str, str], ...]:
        """Return the fields of a schema that this one has in the other spelling: their names there, and here."""
        found = self._resolution(schema, references)
        pairs = found.respelled if found else ()
        return tuple((there, here) for there, here in pairs if camel_case(there) == camel_case(here))

    def _resolution(self, schema: str, references: tuple[tuple[str, str], ...]) -> Resolution | None:
        try:
            return resolve(self._type, WriterSchema(schema, references), lax=self._lax)
        except (TypeMismatchError, InvalidSchemaError):
            return None

    def encode(self, value: Any, prefix: bytes) -> bytes:
        """Return the prefix followed by the encoded value.

        Raises:
            CodecError: the value is not of the Python type.
        """
        stream = io.BytesIO()
        stream.write(prefix)
        datum = None
        try:
            datum = self._to_datum(value)
            schemaless_writer(stream, self._parsed_schema, datum)
        except (OverflowError, UnicodeEncodeError) as error:
            raise CodecError(find_unencodable(datum) or _reason(error)) from error
        except _ENCODE_ERRORS as error:
            raise CodecError(_reason(error)) from error
        return stream.getvalue()

    @cached_property
    def _parsed_schema(self) -> Any:
        return parse_schema(schema_of(self._type))

    @cached_property
    def _to_datum(self) -> Encoder:
        return encoder_of(self._type)


class AvroFormats:
    """A factory of the Avro formats of topics' keys and values, which can be pickled."""

    def __init__(self, options: AvroOptions | None = None, choices: TypeChoices | None = None) -> None:
        self._options, self._choices = options or AvroOptions(), choices or TypeChoices()

    def configured(self, choices: Mapping[str, str]) -> "AvroFormats":
        """Return the factory with the choices of a flow where the settings make none."""
        return AvroFormats(self._options, self._choices.over(choices))

    def __call__(self, context: SerializationContext, hint: Any) -> AvroFormat:
        """Return the format for a Python type.

        Args:
            context: the topic, and whether the format is for its keys or its values; it begins the error message.
            hint: the Python type.

        Raises:
            AvroSchemaError: Avro cannot represent the type.
        """
        try:
            topic, choices = context.topic, self._choices
            return AvroFormat(hint, self._options, choices.names(topic), lax=not choices.is_strict(topic))
        except AvroSchemaError as error:
            raise AvroSchemaError(f"{context}: {error}") from error


def _value_reader(read_datum: ReadDatum, decode: Decoder | None) -> ReadDatum:
    """Return the reader of a datum and its decoder as one function, which raises CodecError for invalid data."""

    def read(data: bytes, offset: int) -> Any:
        try:
            datum = read_datum(data, offset)
            return datum if decode is None else decode(datum)
        except Exception as error:
            raise CodecError(f"{_reason(error)} ({len(data) - offset} bytes of Avro)") from error

    return read


def _reason(error: BaseException) -> str:
    match error:
        case EOFError():
            return "the data ends too early"
        case IndexError() if "string index" in str(error):
            return "the data ends too early"
        case KeyError(args=(int(),)):
            return "the data has the index of a union branch or enum symbol that the schema does not have"
        case RecursionError():
            return "the value is nested too deeply"
        case TypeMismatchError() | InvalidSchemaError():
            return str(error)
        case _:
            return in_one_line(error)
