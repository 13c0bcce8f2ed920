"""Reads Python types: which shape a type hint has."""

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any, TypeVar
from uuid import UUID

from eddyline.adapters.avro.options import AvroOptions
from eddyline.adapters.avro.shapes import (
    ANYTHING,
    PRIMITIVES,
    Anything,
    Array,
    AvroSchemaError,
    Choice,
    Dictionary,
    Enumeration,
    Logical,
    Record,
    RecordField,
    Shape,
    Union,
    branch_name,
    camel_case,
)
from eddyline.application.topology.types import UNKNOWN, type_name

_SUPPORTED = (
    "str, int, float, bool, bytes, None, Decimal, date, time, datetime, UUID, Enum, Literal, list[...], tuple[..., ...], "
    "dict[str, ...], X | Y, Any, and dataclasses of these"
)
_OPEN = (Any, object, UNKNOWN)
_PAIR = 2


def shape_of(hint: object, options: AvroOptions) -> Shape:
    """The shape of values of the type `hint`. Raises AvroSchemaError for a type that Avro cannot hold."""
    return _Reader(options).shape(hint, type_name(hint))


class _Reader:
    """Keeps the named types of one schema, so that a type that occurs twice is one shape and a name is used once."""

    def __init__(self, options: AvroOptions) -> None:
        self._options = options
        self._named: dict[str, tuple[object, Shape]] = {}
        self._logical = _logical_shapes(options)
        self._anything = Anything(options.full_name(ANYTHING))
        self._bare: dict[object, Shape] = {dict: Dictionary(self._anything), list: Array(list, self._anything)}
        self._generics: dict[object, Callable[[object, str], Shape]] = {
            typing.Annotated: self._annotated,
            typing.Union: self._union,
            types.UnionType: self._union,
            typing.Literal: self._choice,
            list: self._list,
            Sequence: self._list,
            tuple: self._tuple,
            dict: self._dict,
            Mapping: self._dict,
        }

    def shape(self, hint: object, place: str) -> Shape:
        if hint in _OPEN:
            return self._anything
        if isinstance(hint, typing.NewType):
            return self.shape(hint.__supertype__, place)
        origin = typing.get_origin(hint)
        if origin is not None:
            read = self._generics.get(origin, self._record if dataclasses.is_dataclass(origin) else None)
            if read is not None:
                return read(hint, place)
        elif hint is None or isinstance(hint, type):
            return self._class(type(None) if hint is None else hint, place)
        raise _unsupported(hint, place)

    def _class(self, python: type, place: str) -> Shape:
        single = PRIMITIVES.get(python) or self._logical.get(python) or self._bare.get(python)
        if single is not None:
            return single
        if issubclass(python, Enum):
            return self._enumeration(python, place)
        if dataclasses.is_dataclass(python):
            return self._record(python, place)
        raise _unsupported(python, place)

    def _annotated(self, hint: object, place: str) -> Shape:
        return self.shape(typing.get_args(hint)[0], place)

    def _list(self, hint: object, place: str) -> Shape:
        return Array(list, self.shape(typing.get_args(hint)[0], f"{place}[]"))

    def _tuple(self, hint: object, place: str) -> Shape:
        arguments = typing.get_args(hint)
        if len(arguments) != _PAIR or arguments[1] is not Ellipsis:
            raise _unsupported(hint, place)
        return Array(tuple, self.shape(arguments[0], f"{place}[]"))

    def _dict(self, hint: object, place: str) -> Shape:
        key, value = typing.get_args(hint)
        if key is not str:
            raise _unsupported(hint, place)
        return Dictionary(self.shape(value, f"{place}[]"))

    def _union(self, hint: object, place: str) -> Shape:
        arguments = typing.get_args(hint)
        branches = tuple(self.shape(argument, place) for argument in arguments)
        names = [branch_name(branch) for branch in branches]
        for index, name in enumerate(names):
            if name in names[:index]:
                first, second = arguments[names.index(name)], arguments[index]
                raise AvroSchemaError(
                    f"{place}: {type_name(first)} and {type_name(second)} are both {name} in Avro, which cannot tell them apart "
                    "in a union; put them into dataclasses of their own"
                )
        return Union(branches)

    @staticmethod
    def _choice(hint: object, place: str) -> Shape:
        values = typing.get_args(hint)
        classes = {type(value) for value in values}
        base = PRIMITIVES.get(next(iter(classes))) if len(classes) == 1 else None
        if base is None:
            raise AvroSchemaError(
                f"{place}: the values of a Literal must all be str, all int, all bool or all bytes, but are {values}"
            )
        return Choice(values, base)

    def _enumeration(self, python: type[Enum], place: str) -> Shape:
        if not python.__members__ or not all(name.isascii() for name in python.__members__):
            raise AvroSchemaError(
                f"{place}: the enum {python.__name__} needs members with ASCII names, since they are its symbols in Avro"
            )
        name = self._options.full_name(python.__name__)
        known = self._known(name, python)
        return known or self._remember(name, python, Enumeration(python, name))

    def _record(self, hint: Any, _place: str) -> Shape:
        python: type = typing.get_origin(hint) or hint
        arguments = typing.get_args(hint)
        simple = "_".join((python.__name__, *(type_name(argument).rpartition(".")[2] for argument in arguments)))
        name = self._options.full_name(simple)
        known = self._known(name, hint)
        if known is not None:
            return known
        if not simple.isidentifier() or not simple.isascii():
            raise AvroSchemaError(f"{simple!r} is no Avro name; give the class a name of its own by the option names")
        record = Record(python, name)
        self._remember(name, hint, record)
        hints = _hints(python)
        bound = dict(zip(getattr(python, "__parameters__", ()), arguments, strict=False))
        for entry in dataclasses.fields(python):
            if entry.init:
                self._add_field(record, entry, _bind(hints[entry.name], bound))
        return record

    def _add_field(self, record: Record, entry: "dataclasses.Field[Any]", hint: object) -> None:
        name = camel_case(entry.name)
        place = f"{record.python.__name__}.{entry.name}"
        for other in record.fields:
            if other.name == name:
                raise AvroSchemaError(
                    f"{place} and {record.python.__name__}.{other.attribute} are both {name!r} in Avro; rename one of them"
                )
        if not name.isascii():
            raise AvroSchemaError(f"{place}: the name must be ASCII to be a name in Avro")
        factory = None if entry.default_factory is dataclasses.MISSING else entry.default_factory
        record.fields.append(RecordField(entry.name, name, self.shape(hint, place), entry.default, factory))

    def _known(self, name: str, hint: object) -> Shape | None:
        if name not in self._named:
            return None
        other, shape = self._named[name]
        if other != hint:
            raise AvroSchemaError(
                f"two classes {type_name(hint)} are both {name!r} in Avro; give one a name of its own by the option names"
            )
        return shape

    def _remember(self, name: str, hint: object, shape: Shape) -> Shape:
        self._named[name] = (hint, shape)
        return shape


def _logical_shapes(options: AvroOptions) -> Mapping[type, Logical]:
    digits = {"precision": options.decimal_precision, "scale": options.decimal_scale}
    return {
        Decimal: Logical(Decimal, "bytes", {"logicalType": "decimal", **digits}),
        datetime: Logical(datetime, "long", {"logicalType": f"timestamp-{options.timestamps}"}),
        date: Logical(date, "int", {"logicalType": "date"}),
        time: Logical(time, "long", {"logicalType": "time-micros"}),
        UUID: Logical(UUID, "string", {"logicalType": "uuid"}),
    }


def _hints(python: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(python)
    except NameError as error:
        raise AvroSchemaError(f"{python.__name__}: {error}; its type hints must be names of its module") from error


def _bind(hint: Any, bound: Mapping[TypeVar, object]) -> object:
    if isinstance(hint, TypeVar):
        return bound.get(hint, hint)
    parameters = getattr(hint, "__parameters__", ())
    if not parameters:
        return hint
    return hint[tuple(bound.get(parameter, parameter) for parameter in parameters)]


def _unsupported(hint: object, place: str) -> AvroSchemaError:
    return AvroSchemaError(f"{place}: {type_name(hint)} has no form in Avro; there is one for {_SUPPORTED}")
