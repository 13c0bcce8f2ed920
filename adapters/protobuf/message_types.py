"""Maps Python types to Protobuf types."""

import dataclasses
import re
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, Final, TypeAlias
from uuid import UUID

from eddyline.adapters.codecs.field_names import FieldName, field_names, snake_case
from eddyline.adapters.protobuf.errors import ProtobufTypeError
from eddyline.application.topology.types import Names, type_name

SCALARS: Final[Mapping[type, str]] = {
    str: "string",
    bytes: "bytes",
    bool: "bool",
    int: "int64",
    float: "double",
    Decimal: "string",
    UUID: "string",
    date: "string",
    time: "string",
}
"""The scalar types of Protobuf by the types of Python."""

TIMES: Final[Mapping[type, str]] = {datetime: "google.protobuf.Timestamp", timedelta: "google.protobuf.Duration"}
"""The messages of Protobuf by the types of Python."""

_KEYS: Final = (str, int, bool)
_NUMBERS: Final = range(1, 2**29)
_RESERVED_NUMBERS: Final = range(19_000, 20_000)
_UNSPECIFIED: Final = "UNSPECIFIED"
_SUPPORTED: Final = (
    "str, bytes, int, float, bool, Enum, datetime, timedelta, date, time, Decimal, UUID, dataclasses, list[...], set[...], "
    "tuple[..., ...] and dict[..., ...] of these, and X | None of all but those"
)


@dataclass(frozen=True)
class ScalarType:
    """A scalar of Protobuf, or the message of a time."""

    python: type
    name: str


@dataclass(eq=False)
class EnumType:
    """An enum with the numbers of its values in Protobuf by their names, that of number 0 first."""

    python: type[Enum]
    name: str
    numbers: Mapping[str, int]
    names: Mapping[Enum, str]


@dataclass(frozen=True)
class ListType:
    """A repeated field: a list, tuple, set or frozenset."""

    python: type
    item: "SingleType"


@dataclass(frozen=True)
class MapType:
    """A map field."""

    key: ScalarType
    value: "SingleType"


@dataclass(eq=False)
class MessageType:
    """The message of a dataclass."""

    python: type
    name: str
    fields: "list[MessageField]" = field(default_factory=list)

    @property
    def written(self) -> "list[MessageField]":
        """The fields that are written."""
        return [each for each in self.fields if not each.naming.excluded]


SingleType: TypeAlias = ScalarType | EnumType | MessageType


@dataclass(frozen=True)
class MessageField:
    """A field of a message.

    Attributes:
        naming: Its names.
        number: Its number.
        is_numbered: Whether the dataclass declares the number.
        type: Its type.
        is_optional: Whether it may be None.
        has_default: Whether the dataclass has a default.
    """

    naming: FieldName
    number: int
    is_numbered: bool
    type: SingleType | ListType | MapType
    is_optional: bool
    has_default: bool


def message_types_of(hint: Any, names: Names) -> Sequence[MessageType | EnumType]:
    """Return the messages and enums of a dataclass, its own message first.

    Args:
        hint: The dataclass.
        names: The choice of the names of fields.

    Raises:
        ProtobufTypeError: Protobuf cannot represent the type.
    """
    mapping = _TypeMapping(names)
    if not (isinstance(hint, type) and dataclasses.is_dataclass(hint)):
        raise _unsupported(hint, type_name(hint), "a topic has messages, which are declared as dataclasses")
    mapping.message(hint)
    return list(mapping.named.values())


class _TypeMapping:
    """The mapping for one schema; the argument `path` is the class and field that errors name, as in `Trade.legs[]`."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self.named: dict[str, MessageType | EnumType] = {}

    def message(self, python: type) -> MessageType:
        known = self._known(python)
        if isinstance(known, MessageType):
            return known
        message = MessageType(python, _checked_name(python.__name__, python.__name__))
        self.named[message.name] = message
        try:
            hints = typing.get_type_hints(python)
        except NameError as error:
            raise ProtobufTypeError(f"'{python.__name__}': the type of a field is unknown: {error}") from error
        number, attributes = 0, dict[int, str]()
        for each in dataclasses.fields(python):
            naming = field_names(python, self._names)[each.name]
            path = f"{python.__name__}.{each.name}"
            if not each.init:
                raise ProtobufTypeError(f"{path}: a field with init=False cannot be decoded; make it a property")
            _checked_name(naming.written, path)
            number = _number(each.metadata.get("number", number + 1), path)
            if number in attributes:
                raise ProtobufTypeError(f"{path}: field '{attributes[number]}' has the number {number}, too; choose another one")
            attributes[number] = each.name
            has_default = each.default is not dataclasses.MISSING or each.default_factory is not dataclasses.MISSING
            declared, is_optional = _without_none(hints[each.name])
            kind = self._field(declared, path)
            if is_optional and isinstance(kind, (ListType, MapType)):
                raise _unsupported(hints[each.name], path, "a repeated field or a map cannot be None; declare it without None")
            message.fields.append(MessageField(naming, number, "number" in each.metadata, kind, is_optional, has_default))
        return message

    def _field(self, hint: Any, path: str) -> SingleType | ListType | MapType:
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if arguments and (origin in (list, Sequence, set, frozenset) or (origin is tuple and arguments[1:] == (...,))):
            return ListType(list if origin is Sequence else origin, self._single(arguments[0], f"{path}[]"))
        if origin in (dict, Mapping) and arguments:
            if arguments[0] not in _KEYS:
                raise _unsupported(hint, path, "the keys of a dict are str, int or bool")
            return MapType(ScalarType(arguments[0], SCALARS[arguments[0]]), self._single(arguments[1], f"{path}[]"))
        return self._single(hint, path)

    def _single(self, hint: Any, path: str) -> SingleType:
        while isinstance(hint, typing.NewType):
            hint = hint.__supertype__
        if not isinstance(hint, type) or typing.get_origin(hint) is not None:
            raise _unsupported(hint, path)
        name = SCALARS.get(hint) or TIMES.get(hint)
        if name is not None:
            return ScalarType(hint, name)
        if issubclass(hint, Enum):
            return self._enum(hint, path)
        if dataclasses.is_dataclass(hint):
            return self.message(hint)
        raise _unsupported(hint, path)

    def _enum(self, python: type[Enum], path: str) -> EnumType:
        known = self._known(python)
        if isinstance(known, EnumType):
            return known
        name = _checked_name(python.__name__, path)
        members = [_checked_name(member.name, path) for member in python]
        if not members:
            raise _unsupported(python, path, "an enum needs members")
        prefix = enum_prefix(name)
        zero = next((member for member in members if member.upper() == _UNSPECIFIED), _UNSPECIFIED)
        numbers = {prefix + member: number for number, member in enumerate((zero, *(each for each in members if each != zero)))}
        self.named[name] = EnumType(python, name, numbers, {member: prefix + member.name for member in python})
        return self.named[name]  # type: ignore[return-value] # just set

    def _known(self, python: type) -> MessageType | EnumType | None:
        known = self.named.get(python.__name__)
        if known is not None and known.python is not python:
            raise ProtobufTypeError(
                f"types '{known.python.__module__}.{known.python.__qualname__}' and '{python.__module__}.{python.__qualname__}' "
                f"have the same name '{known.name}' in Protobuf; rename one of them"
            )
        return known


def enum_prefix(name: str) -> str:
    """Return what the names of an enum's values begin with, since they are unique in a file: `SIDE_` for `Side`."""
    return snake_case(name).upper() + "_"


def _without_none(hint: Any) -> tuple[Any, bool]:
    """Return a type without None, and whether it had it."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        others = [each for each in typing.get_args(hint) if each is not type(None)]
        if len(others) == 1 and len(others) < len(typing.get_args(hint)):
            return others[0], True
    return hint, False


def _number(number: object, path: str) -> int:
    if type(number) is not int or number not in _NUMBERS or number in _RESERVED_NUMBERS:
        raise ProtobufTypeError(
            f"{path}: the number of a field is '{number}'; choose one from {_NUMBERS[0]} to {_NUMBERS[-1]} that is not from "
            f"{_RESERVED_NUMBERS[0]} to {_RESERVED_NUMBERS[-1]}"
        )
    return number


def _checked_name(name: str, path: str) -> str:
    if re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
        return name
    raise ProtobufTypeError(f"{path}: '{name}' is not a valid name in Protobuf; use ASCII letters, digits and _")


def _unsupported(hint: Any, path: str, reason: str = "") -> ProtobufTypeError:
    if isinstance(hint, type) and hasattr(hint, "DESCRIPTOR"):
        reason = "it is a class generated by protoc; declare a dataclass with its fields"
    return ProtobufTypeError(
        f"{path}: Protobuf cannot represent type '{type_name(hint)}'; {f'{reason}; ' if reason else ''}use one of: {_SUPPORTED}"
    )
