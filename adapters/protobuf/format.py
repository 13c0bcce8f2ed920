"""Encodes and decodes values of a dataclass with Protobuf, whichever schema they were written with.

After the schema id, data has the indexes of the message in its schema: their count and the indexes, as integers of variable
length in zigzag encoding, or a single zero byte for the first message.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final

from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FileDescriptor
from google.protobuf.message import DecodeError, EncodeError
from google.protobuf.message_factory import GetMessageClass

from eddyline.adapters.codecs.errors import in_one_line
from eddyline.adapters.codecs.field_names import camel_case
from eddyline.adapters.codecs.type_choices import TypeChoices
from eddyline.adapters.codecs.untyped import UNTYPED
from eddyline.adapters.protobuf.encoding import fill
from eddyline.adapters.protobuf.errors import ProtobufTypeError
from eddyline.adapters.protobuf.message_types import MessageType, message_types_of
from eddyline.adapters.protobuf.resolution import Resolution, read_untyped, resolve
from eddyline.adapters.protobuf.schemas import (
    file_of_text,
    file_of_types,
    indexed_message,
    main_message,
    messages_in_order,
    schema_text,
)
from eddyline.adapters.registry.format import Decode
from eddyline.adapters.registry.serialization_context import SerializationContext
from eddyline.application.ports.codec import CodecError
from eddyline.application.topology.types import Names

_FIRST_MESSAGE: Final = b"\x00"
_MAX_INDEXES: Final = 64
_VARINT_BITS: Final = 35
_UNTYPED_REASON: Final = "Protobuf cannot represent values of any type; declare a dataclass for what is written"


class ProtobufFormat:
    """The Protobuf format of values of the dataclass `hint`, or of values of any type, which can only be decoded, as dicts.

    Raises:
        ProtobufTypeError: Protobuf cannot represent the type.
    """

    schema_type = "PROTOBUF"

    def __init__(self, hint: Any, names: Names = "as-declared") -> None:
        self._hint, self._names = hint, names
        self._named = [] if hint in UNTYPED else message_types_of(hint, names)
        self._type = self._named[0] if self._named and isinstance(self._named[0], MessageType) else None
        if self._named:
            self._own = file_of_types(self._named)
            self._class = GetMessageClass(main_message(self._own, None))

    def __reduce__(self) -> tuple[Any, ...]:
        return ProtobufFormat, (self._hint, self._names)

    @cached_property
    def schema_text(self) -> str:
        """The schema as it is registered. Raises ProtobufTypeError for values of any type."""
        if self._type is None:
            raise ProtobufTypeError(_UNTYPED_REASON)
        return schema_text(self._named)

    @property
    def record_name(self) -> str | None:
        """The name of the message; None for values of any type."""
        return None if self._type is None else self._type.name

    def decoder(self, schema: str, references: tuple[tuple[str, str], ...] = ()) -> Decode:
        """Return the decoder of values written with a schema; it raises CodecError.

        Raises:
            CodecError: no value of the schema can be decoded as the Python type.
        """
        messages = messages_in_order(self._file(schema, references))
        by_indexes: dict[tuple[int, ...], Callable[[bytes], Any]] = {}

        def decode(data: bytes, offset: int) -> Any:
            indexes, start = _read_indexes(data, offset)
            read = by_indexes.get(indexes)
            if read is None:
                read = by_indexes[indexes] = self._reader_or_refusal(indexed_message(messages, indexes))
            return read(data[start:])

        if len(messages) == 1:
            by_indexes[0,] = self._reader(messages[0])
        return decode

    def _reader_or_refusal(self, writer: Descriptor) -> Callable[[bytes], Any]:
        """Return what decodes messages of a writer's schema; if it can decode none, it refuses each without looking again."""
        try:
            return self._reader(writer)
        except CodecError as error:
            reason = str(error)

        def refuse(_data: bytes) -> Any:
            raise CodecError(reason)

        return refuse

    def _reader(self, writer: Descriptor) -> Callable[[bytes], Any]:
        """Return what decodes messages of a writer's schema. Raises CodecError if it can decode none."""
        message_class = GetMessageClass(writer)
        read: Callable[[Any], Any] = read_untyped
        if self._type is not None:
            found = resolve(self._type, writer)
            if found.problems:
                raise CodecError("; ".join(found.problems))
            read = found.read

        def decode(data: bytes) -> Any:
            message = message_class()
            try:
                message.ParseFromString(data)
                return read(message)
            except CodecError:
                raise
            except DecodeError as error:
                raise CodecError(f"{error} ({len(data)} bytes of Protobuf)") from error
            except Exception as error:
                raise CodecError(in_one_line(error)) from error

        return decode

    def incompatibilities(self, schema: str, references: tuple[tuple[str, str], ...] = ()) -> tuple[str, ...]:
        """Return why some or all values written with a schema cannot be decoded; empty if all can be.

        Raises:
            CodecError: the schema is invalid.
        """
        found = self._resolution(schema, references)
        return (*found.problems, *found.partial)

    def unmatched_fields(self, schema: str, references: tuple[tuple[str, str], ...] = ()) -> tuple[str, ...]:
        """Return the paths of the fields that are not in a writer's schema and take their defaults. Raises CodecError."""
        return tuple(self._resolution(schema, references).defaulted)

    def respelled_fields(self, schema: str, references: tuple[tuple[str, str], ...] = ()) -> tuple[tuple[str, str], ...]:
        """Return the fields that a schema has in the other spelling: their names there, and here. Raises CodecError."""
        pairs = self._resolution(schema, references).respelled
        return tuple((there, here) for there, here in pairs if camel_case(there) == camel_case(here))

    def _resolution(self, schema: str, references: tuple[tuple[str, str], ...]) -> Resolution:
        """Return how values of the message of this name, or else of the first one of a schema, are decoded."""
        if self._type is None:
            self._file(schema, references)
            return Resolution(read_untyped)
        return resolve(self._type, main_message(self._file(schema, references), self._type.name))

    def _file(self, schema: str, references: tuple[tuple[str, str], ...]) -> FileDescriptor:
        return self._own if self._type is not None and schema == self.schema_text else file_of_text(schema, references)

    def encode(self, value: Any, prefix: bytes) -> bytes:
        """Return the prefix followed by the encoded value.

        Raises:
            CodecError: the value is not of the Python type.
        """
        if self._type is None:
            raise CodecError(_UNTYPED_REASON)
        message = self._class()
        try:
            fill(message, self._type, value)
            return prefix + _FIRST_MESSAGE + message.SerializeToString(deterministic=True)
        except CodecError:
            raise
        except RecursionError as error:
            raise CodecError("the value is nested too deeply") from error
        except (EncodeError, ValueError, TypeError, AttributeError, OverflowError) as error:
            raise CodecError(in_one_line(error)) from error


class JsonMessageEncoder:
    """Encodes JSON text as the first message of a schema.

    Args:
        schema: The schema.
        references: Names and texts of the schemas that it imports.

    Raises:
        CodecError: the schema is invalid.
    """

    def __init__(self, schema: str, references: tuple[tuple[str, str], ...] = ()) -> None:
        message = main_message(file_of_text(schema, references), None)
        self._class = GetMessageClass(message)
        self.is_text, self.record_name = True, message.full_name

    def encode(self, text: Any, prefix: bytes) -> bytes:
        """Return the prefix followed by the encoded message. Raises ValueError for other text."""
        try:
            message = json_format.Parse(text, self._class())
            return prefix + _FIRST_MESSAGE + message.SerializeToString(deterministic=True)
        except (json_format.Error, EncodeError, RecursionError) as error:
            raise ValueError(f"the value does not match the Protobuf schema: {error}") from error


class ProtobufFormats:
    """A factory of the Protobuf formats of topics' keys and values, which can be pickled."""

    def __init__(self, choices: TypeChoices | None = None) -> None:
        self._choices = choices or TypeChoices()

    def configured(self, choices: Mapping[str, str]) -> "ProtobufFormats":
        """Return the factory with the choices of a flow where the settings make none."""
        return ProtobufFormats(self._choices.over(choices))

    def __call__(self, context: SerializationContext, hint: Any) -> ProtobufFormat:
        """Return the format for a Python type.

        Raises:
            ProtobufTypeError: Protobuf cannot represent the type.
        """
        try:
            return ProtobufFormat(hint, self._choices.names(context.topic))
        except ProtobufTypeError as error:
            raise ProtobufTypeError(f"{context}: {error}") from error


def _read_indexes(data: bytes, offset: int) -> tuple[tuple[int, ...], int]:
    """Return the indexes of a message, and where it begins. Raises CodecError."""
    count, offset = _read_varint(data, offset)
    if count == 0:
        return (0,), offset
    if not 0 < count <= _MAX_INDEXES:
        raise CodecError(f"the data has {count} message indexes; expected 1 to {_MAX_INDEXES}")
    indexes = []
    for _ in range(count):
        index, offset = _read_varint(data, offset)
        indexes.append(index)
    return tuple(indexes), offset


def _read_varint(data: bytes, offset: int) -> tuple[int, int]:
    """Return an integer in zigzag encoding, and where it ends. Raises CodecError."""
    found = 0
    for position, shift in zip(range(offset, len(data)), range(0, _VARINT_BITS, 7), strict=False):
        found |= (data[position] & 0x7F) << shift
        if data[position] < 0x80:  # noqa: PLR2004 - the highest bit of a byte says that another one follows
            return (found >> 1) ^ -(found & 1), position + 1
    raise CodecError("the data ends within the message indexes, or has no message indexes")
