"""Reads messages that were written with any schema as values of Python: fields are matched by name, as in Avro."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, Final, TypeAlias
from uuid import UUID

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.descriptor_pb2 import FieldDescriptorProto

from eddyline.adapters.codecs.errors import described, in_one_line
from eddyline.adapters.protobuf.encoding import EPOCH
from eddyline.adapters.protobuf.errors import ProtobufValueError
from eddyline.adapters.protobuf.message_types import (
    TIMES,
    EnumType,
    ListType,
    MapType,
    MessageField,
    MessageType,
    ScalarType,
    SingleType,
    enum_prefix,
)
from eddyline.application.topology.types import type_name

Read: TypeAlias = Callable[[Any], Any]
"""Returns the value of Python for one of Protobuf. Raises ProtobufValueError."""

_FLOATS: Final = frozenset((FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE))
_INTS: Final = frozenset(
    (
        FieldDescriptor.CPPTYPE_INT32,
        FieldDescriptor.CPPTYPE_INT64,
        FieldDescriptor.CPPTYPE_UINT32,
        FieldDescriptor.CPPTYPE_UINT64,
    )
)
_FROM_TEXT: Final[Mapping[type, Callable[[str], Any]]] = {
    Decimal: Decimal,
    UUID: UUID,
    date: date.fromisoformat,
    time: time.fromisoformat,
}
_TYPE_NAMES: Final[Mapping[int, str]] = {
    number: name.removeprefix("TYPE_").lower() for name, number in FieldDescriptorProto.Type.items()
}
_NANOS: Final = 10**9
_UNSET: Final = object()


@dataclass
class Resolution:
    """How messages of a schema are read as a type.

    Attributes:
        read: Reads a message.
        problems: Why no value can be read.
        partial: Why some values cannot be read.
        defaulted: The fields of the type that the schema does not have.
        respelled: The fields that the schema has in another spelling: their names there, and here.
    """

    read: Read = staticmethod(lambda _message: None)  # noqa: RUF009 - replaced at once
    problems: list[str] = field(default_factory=list)
    partial: list[str] = field(default_factory=list)
    defaulted: list[str] = field(default_factory=list)
    respelled: list[tuple[str, str]] = field(default_factory=list)


def resolve(kind: MessageType, writer: Descriptor) -> Resolution:
    """Return how messages of a writer's schema are read as a dataclass."""
    found = Resolution()
    found.read = _Resolver(found).message(kind, writer, "")
    return found


class _Resolver:
    """The argument `path` is the field that problems name, as in `.legs[].price`."""

    def __init__(self, found: Resolution) -> None:
        self._found = found
        self._known: dict[tuple[str, str], list[Read]] = {}

    def message(self, kind: MessageType, writer: Descriptor, path: str) -> Read:
        key = (kind.name, writer.full_name)
        if key in self._known:
            known = self._known[key]
            return lambda message: known[0](message)  # noqa: PLW0108 - known is filled later
        self._known[key] = resolved = []
        found = (self._field(field, writer, f"{path}.{field.naming.attribute}") for field in kind.fields)
        readers = [each for each in found if each is not None]
        python = kind.python

        def read(message: Any) -> Any:
            values = {}
            for name, read_field in readers:
                try:
                    value = read_field(message)
                except ProtobufValueError as error:
                    raise error.within(f".{name}") from None
                if value is not _UNSET:
                    values[name] = value
            try:
                return python(**values)
            except Exception as error:
                raise ProtobufValueError(in_one_line(error)) from error

        resolved.append(read)
        return read

    def _field(self, field: MessageField, writer: Descriptor, path: str) -> tuple[str, Read] | None:
        """Return the name of a field of the dataclass and what reads it from a message; None if it has its default."""
        attribute, written = field.naming.attribute, field.naming.written
        theirs = next((found for name in field.naming.read if (found := writer.fields_by_name.get(name))), None)
        if theirs is None and field.is_numbered:
            theirs = writer.fields_by_number.get(field.number)
        elif theirs is not None and theirs.name != written:
            self._found.respelled.append((theirs.name, written))
        if theirs is None:
            self._found.defaulted.append(path.lstrip("."))
            if field.has_default:
                return None
            if field.is_optional:
                return attribute, lambda _message: None
            if isinstance(field.type, (ListType, MapType)):
                empty = field.type.python if isinstance(field.type, ListType) else dict
                return attribute, lambda _message: empty()
            self._problem(path, f"the writer's message '{writer.full_name}' has no such field, and it has no default")
            return None
        return attribute, self._present(field, theirs, path)

    def _present(self, field: MessageField, theirs: FieldDescriptor, path: str) -> Read:
        name = theirs.name
        match field.type:
            case ListType(python, item):
                if not theirs.is_repeated or _is_map(theirs):
                    return self._mismatch(path, python.__name__, theirs)
                read_item = self._single(item, theirs, f"{path}[]")
                return lambda message: python(_at(read_item, each, index) for index, each in enumerate(getattr(message, name)))
            case MapType(key, value):
                if not _is_map(theirs):
                    return self._mismatch(path, "dict", theirs)
                entry: Any = theirs.message_type.fields_by_name  # type: ignore[union-attr] # a map has the message of its entries
                read_key = self._single(key, entry["key"], f"{path}[].key")
                read_value = self._single(value, entry["value"], f"{path}[]")
                return lambda message: {read_key(k): _at(read_value, v, k) for k, v in getattr(message, name).items()}
            case single:
                if theirs.is_repeated:
                    return self._mismatch(path, type_name(single.python), theirs)
                return _single_field(field, theirs, self._single(single, theirs, path))

    def _single(self, kind: SingleType, theirs: FieldDescriptor, path: str) -> Read:
        match kind:
            case MessageType():
                if theirs.message_type is None or theirs.message_type.full_name in TIMES.values():
                    return self._mismatch(path, kind.name, theirs)
                return self.message(kind, theirs.message_type, path)
            case EnumType():
                return self._enum(kind, theirs, path)
            case ScalarType():
                read = _scalar_reader(kind, theirs)
                return self._mismatch(path, type_name(kind.python), theirs) if read is None else read

    def _enum(self, kind: EnumType, theirs: FieldDescriptor, path: str) -> Read:
        if theirs.enum_type is None:
            return self._mismatch(path, kind.name, theirs)
        members = {number: member for number, name in _enum_names(theirs.enum_type) if (member := _member(kind, name))}
        unknown = [name for number, name in _enum_names(theirs.enum_type) if number not in members and number]
        if unknown:
            self._found.partial.append(f"{path.lstrip('.')}: '{kind.name}' has no member for {', '.join(map(repr, unknown))}")

        def read(number: int) -> Any:
            if number in members:
                return members[number]
            if number == 0:
                return _UNSET
            raise ProtobufValueError(f"'{kind.name}' has no member for number {number}")

        return read

    def _mismatch(self, path: str, expected: str, theirs: FieldDescriptor) -> Read:
        self._problem(path, f"expected {expected}, found {_type_text(theirs)} in the writer's schema")
        return lambda value: value

    def _problem(self, path: str, reason: str) -> None:
        self._found.problems.append(f"{path.lstrip('.')}: {reason}")


def _single_field(field: MessageField, theirs: FieldDescriptor, read: Read) -> Read:
    """Return what reads a field that is not repeated; without a value, it has its default or is None."""
    name, has_presence = theirs.name, theirs.has_presence
    unset = None if field.is_optional else _UNSET

    def read_field(message: Any) -> Any:
        value = unset if has_presence and not message.HasField(name) else read(getattr(message, name))
        if value is _UNSET:
            if field.is_optional:
                return None
            if not field.has_default:
                raise ProtobufValueError("it is not set, and has no default")
        return value

    return read_field


def _at(read: Read, value: Any, index: object) -> Any:
    try:
        found = read(value)
    except ProtobufValueError as error:
        raise error.within(f"[{index!r}]") from None
    if found is _UNSET:
        raise ProtobufValueError("it is not set", f"[{index!r}]")
    return found


def _scalar_reader(kind: ScalarType, theirs: FieldDescriptor) -> Read | None:
    """Return what reads a scalar or time; None if the writer's type is another one."""
    python = kind.python
    if python in TIMES:
        if theirs.message_type is None or theirs.message_type.full_name != kind.name:
            return None
        return _read_duration if python is timedelta else _read_timestamp
    parse = _FROM_TEXT.get(python)
    if parse is not None:
        return _parser(parse, python) if theirs.type == FieldDescriptor.TYPE_STRING else None
    if python is float:
        return float if theirs.cpp_type in _FLOATS | _INTS else None
    if python is int:
        return _itself if theirs.cpp_type in _INTS else None
    expected = {str: FieldDescriptor.TYPE_STRING, bytes: FieldDescriptor.TYPE_BYTES, bool: FieldDescriptor.TYPE_BOOL}[python]
    return _itself if theirs.type == expected else None


def _itself(value: Any) -> Any:
    return value


def _parser(parse: Callable[[str], Any], python: type) -> Read:
    def read(text: str) -> Any:
        try:
            return parse(text)
        except (ValueError, ArithmeticError):
            raise ProtobufValueError(f"{described(text)} is no {type_name(python)}") from None

    return read


def _read_duration(message: Any) -> timedelta:
    if not -_NANOS < message.nanos < _NANOS:
        raise ProtobufValueError(f"{message.nanos} are no nanoseconds of a second")
    try:
        return timedelta(seconds=message.seconds, microseconds=message.nanos // 1_000)
    except OverflowError:
        raise ProtobufValueError(f"{message.seconds} s are out of the range of times in Python") from None


def _read_timestamp(message: Any) -> datetime:
    try:
        return EPOCH + _read_duration(message)
    except OverflowError:
        raise ProtobufValueError(f"{message.seconds} s are out of the range of times in Python") from None


def _enum_names(enum: EnumDescriptor) -> Iterator[tuple[int, str]]:
    for value in enum.values:
        yield value.number, value.name


def _member(kind: EnumType, name: str) -> Enum | None:
    """Return the member for a value of a writer's enum, whose name may begin with that of the enum."""
    prefix = enum_prefix(kind.name)
    members = {each.name: each for each in kind.names}
    return members.get(name) or members.get(name.removeprefix(prefix))


def _is_map(theirs: FieldDescriptor) -> bool:
    return theirs.message_type is not None and bool(theirs.message_type.GetOptions().map_entry)


def _type_text(theirs: FieldDescriptor) -> str:
    """Return the type of a writer's field, as in `repeated string`."""
    if _is_map(theirs):
        return "map"
    named = theirs.message_type or theirs.enum_type
    text = named.full_name if named else _TYPE_NAMES[theirs.type]
    return f"repeated {text}" if theirs.is_repeated else text


def read_untyped(message: Any) -> dict[str, Any]:
    """Return the fields of a message by their names in its schema; one that is not set is None.

    Raises:
        ProtobufValueError: a time is out of the range of Python.
    """
    return {each.name: _untyped_field(message, each) for each in message.DESCRIPTOR.fields}


def _untyped_field(message: Any, theirs: FieldDescriptor) -> Any:
    if theirs.has_presence and not theirs.is_repeated and not message.HasField(theirs.name):
        return None
    value = getattr(message, theirs.name)
    if _is_map(theirs):
        content = value.GetEntryClass().DESCRIPTOR.fields_by_name["value"]
        return {key: _untyped(each, content) for key, each in value.items()}
    return [_untyped(each, theirs) for each in value] if theirs.is_repeated else _untyped(value, theirs)


def _untyped(value: Any, theirs: FieldDescriptor) -> Any:
    if theirs.enum_type is not None:
        found = theirs.enum_type.values_by_number.get(value)
        return value if found is None else found.name
    if theirs.message_type is None:
        return value
    if theirs.message_type.full_name == "google.protobuf.Timestamp":
        return _read_timestamp(value)
    return _read_duration(value) if theirs.message_type.full_name == "google.protobuf.Duration" else read_untyped(value)
