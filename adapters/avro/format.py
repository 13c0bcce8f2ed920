"""Values of a Python type as Avro bytes, with whatever schema they were written."""

import io
from decimal import InvalidOperation
from functools import cached_property
from typing import Any

import fastavro

from eddyline.adapters.avro.hints import shape_of
from eddyline.adapters.avro.misfit import MisfitError
from eddyline.adapters.avro.options import AvroOptions
from eddyline.adapters.avro.reading import reading
from eddyline.adapters.avro.schema import schema_of, schema_text
from eddyline.adapters.avro.shapes import Anything, AvroSchemaError, Enumeration, Record
from eddyline.adapters.avro.write_leaves import Step
from eddyline.adapters.avro.writer_schema import BadSchemaError, FromBytes, WriterSchema
from eddyline.adapters.avro.writing import writer_of
from eddyline.application.ports.codec import CodecError

_UNREADABLE = (ValueError, EOFError, LookupError, TypeError, OverflowError, RecursionError, InvalidOperation, MemoryError)
_UNWRITABLE = (ValueError, TypeError, OverflowError, RecursionError)


class AvroFormat:
    """Turns values of the Python type `hint` into Avro and back. Raises AvroSchemaError for a type that Avro cannot hold."""

    kind = "AVRO"

    def __init__(self, hint: Any, options: AvroOptions) -> None:
        self._hint = hint
        self._options = options
        self._shape = shape_of(hint, options)

    def __reduce__(self) -> tuple[Any, ...]:
        return AvroFormat, (self._hint, self._options)

    @cached_property
    def schema_text(self) -> str:
        """The schema as it is registered."""
        return schema_text(self._shape)

    @property
    def record_name(self) -> str | None:
        """The full name of the record or enum."""
        return self._shape.name if isinstance(self._shape, (Record, Enumeration, Anything)) else None

    def reader(self, schema: str, references: tuple[str, ...] = ()) -> FromBytes:
        """How values written with the schema are read. Raises CodecError where they cannot be, and gives what raises it."""
        writer = _writer_schema(schema, references)
        try:
            step = reading(self._shape, writer).step
        except MisfitError as error:
            raise CodecError(str(error)) from error
        return _guarded(writer.reader(), step)

    def gaps(self, schema: str, references: tuple[str, ...] = ()) -> tuple[str, ...]:
        """What values written with the schema cannot all be read, in words."""
        try:
            return reading(self._shape, _writer_schema(schema, references)).gaps
        except (MisfitError, CodecError) as error:
            return (str(error),)

    def payload(self, value: Any, prefix: bytes) -> bytes:
        """The prefix and the value as Avro. Raises CodecError for a value that is not of the type."""
        stream = io.BytesIO()
        stream.write(prefix)
        try:
            fastavro.schemaless_writer(stream, self._parsed, self._to_datum(value))
        except _UNWRITABLE as error:
            raise CodecError(_reason(error)) from error
        return stream.getvalue()

    @cached_property
    def _parsed(self) -> Any:
        return fastavro.parse_schema(schema_of(self._shape))

    @cached_property
    def _to_datum(self) -> Step:
        return writer_of(self._shape)


class AvroFormats:
    """Gives the Avro format of a Python type. It can be pickled."""

    def __init__(self, options: AvroOptions | None = None) -> None:
        self._options = options or AvroOptions()

    def __call__(self, topic: str, part: str, hint: Any) -> AvroFormat:
        """The format of the keys or values of a topic. Raises AvroSchemaError, which names the topic, for an impossible type."""
        try:
            return AvroFormat(hint, self._options)
        except AvroSchemaError as error:
            raise AvroSchemaError(f"{part} of topic {topic}: {error}") from error


def _guarded(from_bytes: FromBytes, step: Step | None) -> FromBytes:
    """The reader, with every way in which bytes can be wrong told as a CodecError."""

    def read(data: bytes, offset: int) -> Any:
        try:
            datum = from_bytes(data, offset)
            return datum if step is None else step(datum)
        except _UNREADABLE as error:
            raise CodecError(f"{_reason(error)} ({len(data) - offset} bytes of Avro)") from error

    return read


def _writer_schema(schema: str, references: tuple[str, ...]) -> WriterSchema:
    try:
        return WriterSchema(schema, references)
    except BadSchemaError as error:
        raise CodecError(str(error)) from error


def _reason(error: BaseException) -> str:
    match error:
        case EOFError():
            return "it ends too early"
        case IndexError() if "string index" in str(error):
            return "it ends too early"
        case IndexError():
            return "it names a branch of a union, or a symbol, that its schema does not have"
        case RecursionError():
            return "it is nested too deeply"
        case MisfitError():
            return str(error)
        case _:
            return " ".join(f"{type(error).__name__}: {error}".split())
