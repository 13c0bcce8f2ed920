"""Maps Python types to Avro types."""

import dataclasses
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, TypeVar
from uuid import UUID

from eddyline.adapters.avro.avro_types import (
    JSON_VALUE,
    MAP_ENTRY,
    NULL,
    PRIMITIVES,
    TUPLE,
    ArrayType,
    AvroType,
    EntriesType,
    EnumType,
    LiteralType,
    LogicalType,
    MapType,
    RecordField,
    RecordType,
    UnionType,
    UntypedType,
    branch_name,
)
from eddyline.adapters.avro.errors import AvroSchemaError
from eddyline.adapters.avro.names import is_name, simple_name
from eddyline.adapters.avro.options import AvroOptions
from eddyline.adapters.avro.record_kinds import DeclaredField, declared_fields, is_record
from eddyline.adapters.codecs.field_names import FieldName, field_names
from eddyline.adapters.codecs.untyped import UNTYPED
from eddyline.application.ports.codec import UnsupportedTypeError
from eddyline.application.topology.types import Names, type_name

_SUPPORTED = (
    "str, int, float, bool, bytes, None, Decimal, date, time, datetime, timedelta, UUID, Enum, Literal, list[...], set[...], "
    "tuple[...], dict[..., ...], X | Y, Any, and dataclasses, NamedTuples, TypedDicts and pydantic models of these"
)
_PAIR = 2
_DIGITS = frozenset(("max_digits", "decimal_places"))
"""What a field's annotation or metadata says of the digits of a Decimal; the names are pydantic's."""


def avro_type_of(hint: object, options: AvroOptions, names: Names = "as-declared") -> AvroType:
    """Return the Avro type of a Python type whose fields have these names.

    Raises:
        AvroSchemaError: Avro cannot represent the type.
    """
    return _TypeMapping(options, names).map(hint, type_name(hint))


class _TypeMapping:
    """The mapping for one schema, in which a class is mapped once and no two classes have the same name.

    The argument `path` of its methods is the class and field that errors name, as in `Trade.legs[]`.
    """

    def __init__(self, options: AvroOptions, names: Names) -> None:
        self._options, self._names = options, names
        self._named: dict[str, tuple[object, AvroType]] = {}
        self._logical = _logical_types(options)
        self._untyped = UntypedType(options.full_name(JSON_VALUE), names)
        self._bare: dict[object, AvroType] = {dict: MapType(self._untyped), list: ArrayType(list, self._untyped)}
        self._bare |= {python: ArrayType(python, self._untyped) for python in (set, frozenset)}
        self._generics: dict[object, Callable[[object, str], AvroType]] = {
            typing.Annotated: self._annotated,
            typing.Union: self._union,
            types.UnionType: self._union,
            typing.Literal: self._literal,
            list: self._list,
            Sequence: self._list,
            tuple: self._tuple,
            set: self._set,
            frozenset: self._set,
            typing.Required: self._annotated,
            typing.NotRequired: self._annotated,
            dict: self._dict,
            Mapping: self._dict,
        }

    def map(self, hint: object, path: str) -> AvroType:
        if hint in UNTYPED:
            return self._untyped
        if isinstance(hint, typing.NewType):
            return self.map(hint.__supertype__, path)
        origin = typing.get_origin(hint)
        if origin is None and (hint is None or isinstance(hint, type)):
            return self._class(type(None) if hint is None else hint, path)
        if not typing.get_args(hint):  # typing.List and its like
            bare = self._bare.get(origin)
            if bare is None:
                raise _unsupported(hint, path)
            return bare
        map_generic = self._generics.get(origin, self._record if is_record(origin) else None)
        if map_generic is None:
            raise _unsupported(hint, path)
        return map_generic(hint, path)

    def _class(self, python: type, path: str) -> AvroType:
        single = PRIMITIVES.get(python) or self._logical.get(python) or self._bare.get(python)
        if single is not None:
            return single
        if issubclass(python, Enum):
            return self._enum(python, path)
        if is_record(python):
            return self._record(python, path)
        raise _unsupported(python, path)

    def _annotated(self, hint: object, path: str) -> AvroType:
        declared, *annotations = typing.get_args(hint)
        constraints = [inner for each in annotations for inner in (each, *getattr(each, "metadata", ()))]
        given = {name: getattr(each, name) for name in _DIGITS for each in constraints if getattr(each, name, None) is not None}
        return self._with_digits(self.map(declared, path), given, path)

    def _with_digits(self, avro_type: AvroType, given: Mapping[str, Any], path: str) -> AvroType:
        """Return a decimal, or a union with one, with the digits of a field."""
        if isinstance(avro_type, UnionType):
            return UnionType(tuple(self._with_digits(branch, given, path) for branch in avro_type.branches))
        if not given or not isinstance(avro_type, LogicalType) or avro_type.python is not Decimal:
            return avro_type
        precision = given.get("max_digits", avro_type.properties["precision"])
        scale = given.get("decimal_places", avro_type.properties["scale"])
        if not 0 <= scale <= precision or precision < 1:
            raise AvroSchemaError(
                f"{path}: decimal_places '{scale}' is not valid with max_digits '{precision}'; "
                "choose 0 <= decimal_places <= max_digits and max_digits >= 1"
            )
        return dataclasses.replace(avro_type, properties={**avro_type.properties, "precision": precision, "scale": scale})

    def _list(self, hint: object, path: str) -> AvroType:
        return ArrayType(list, self.map(typing.get_args(hint)[0], f"{path}[]"))

    def _set(self, hint: object, path: str) -> AvroType:
        python: Any = typing.get_origin(hint)
        return ArrayType(python, self.map(typing.get_args(hint)[0], f"{path}[]"))

    def _tuple(self, hint: object, path: str) -> AvroType:
        arguments = typing.get_args(hint)
        if len(arguments) == _PAIR and arguments[1] is Ellipsis:
            return ArrayType(tuple, self.map(arguments[0], f"{path}[]"))
        parts = [self.map(argument, f"{path}[{at}]") for at, argument in enumerate(arguments)]
        record = RecordType(tuple, self._options.full_name("_".join((TUPLE, *map(_label, parts)))))
        for at, part in enumerate(parts):
            record.fields.append(RecordField(f"_{at}", f"_{at}", part, (f"_{at}",), excluded=False, default=dataclasses.MISSING))
        return record

    def _dict(self, hint: object, path: str) -> AvroType:
        key, value = typing.get_args(hint)
        if key is str:
            return MapType(self.map(value, f"{path}[]"))
        keys, values = self.map(key, f"{path}[].key"), self.map(value, f"{path}[].value")
        return EntriesType(self._options.full_name(f"{MAP_ENTRY}_{_label(keys)}_{_label(values)}"), keys, values)

    def _union(self, hint: object, path: str) -> AvroType:
        arguments = typing.get_args(hint)
        branches = tuple(self.map(argument, path) for argument in arguments)
        names = [branch_name(branch) for branch in branches]
        for index, name in enumerate(names):
            if name in names[:index]:
                first, second = arguments[names.index(name)], arguments[index]
                raise AvroSchemaError(
                    f"{path}: types '{type_name(first)}' and '{type_name(second)}' are both '{name}' in Avro, which cannot "
                    "distinguish them in a union; wrap each in a dataclass"
                )
        return UnionType(branches)

    @staticmethod
    def _literal(hint: object, path: str) -> AvroType:
        values = typing.get_args(hint)
        classes = {type(value) for value in values}
        base = PRIMITIVES.get(next(iter(classes))) if len(classes) == 1 else None
        if base is None:
            raise AvroSchemaError(
                f"{path}: the values of a Literal must all be of one type, which is str, int, bool or bytes, but are {values}; "
                "write Literal[...] | None for an optional one"
            )
        return LiteralType(values, base)

    def _enum(self, python: type[Enum], path: str) -> AvroType:
        name = self._options.full_name(python.__name__)
        symbols = list(EnumType(python, name).symbols)
        if not symbols or not all(map(is_name, symbols)):
            raise AvroSchemaError(
                f"{path}: enum '{python.__name__}' needs members whose values or names, its symbols in Avro, consist of ASCII "
                f"letters, digits and _, but has {symbols}; rename them"
            )
        return self._named_type(name, python) or self._add_named(name, python, EnumType(python, name))

    def _record(self, hint: Any, _path: str) -> AvroType:
        python: type = typing.get_origin(hint) or hint
        of_model = getattr(hint, "__pydantic_generic_metadata__", {})
        generic = of_model.get("origin") or python
        arguments = typing.get_args(hint) or of_model.get("args", ())
        class_name = "_".join((generic.__name__, *(simple_name(type_name(argument)) for argument in arguments)))
        name = self._options.full_name(class_name)
        known = self._named_type(name, hint)
        if known is not None:
            return known
        if class_name not in self._options.names and not is_name(class_name):
            raise AvroSchemaError(f"'{class_name}' is not a valid Avro name; choose one with option avro.names.{class_name}")
        record = RecordType(python, name)
        self._add_named(name, hint, record)
        naming = _field_names(python, self._names)
        bound = dict(zip(getattr(python, "__parameters__", ()), arguments, strict=False))
        for entry in declared_fields(python):
            self._add_field(record, entry._replace(hint=_bind(entry.hint, bound)), naming[entry.name])
        return record

    def _add_field(self, record: RecordType, entry: DeclaredField, naming: FieldName) -> None:
        name = naming.written
        path = f"{record.python.__name__}.{entry.name}"
        if not is_name(name):
            raise AvroSchemaError(f"{path}: '{name}' is not a valid Avro name; use ASCII letters, digits and _")
        digits = {key: entry.metadata[key] for key in _DIGITS & entry.metadata.keys()}
        avro_type, default = self._with_digits(self.map(entry.hint, path), digits, path), entry.default
        if not entry.is_required:
            if isinstance(avro_type, UntypedType) or (isinstance(avro_type, UnionType) and NULL in avro_type.branches):
                raise AvroSchemaError(
                    f"{path}: Avro cannot distinguish a key that is missing from one that is None; declare the key as required"
                )
            branches = avro_type.branches if isinstance(avro_type, UnionType) else (avro_type,)
            avro_type, default = UnionType((NULL, *branches)), None
        record.fields.append(RecordField(entry.name, name, avro_type, naming.read, naming.excluded, default, entry.factory))

    def _named_type(self, name: str, hint: object) -> AvroType | None:
        if name not in self._named:
            return None
        other, avro_type = self._named[name]
        if other != hint:
            raise AvroSchemaError(
                f"types '{_qualified(other)}' and '{_qualified(hint)}' have the same name '{name}' in Avro; "
                "rename one of them, or choose its name with option avro.names.<class>"
            )
        return avro_type

    def _add_named(self, name: str, hint: object, avro_type: AvroType) -> AvroType:
        self._named[name] = (hint, avro_type)
        return avro_type


def _logical_types(options: AvroOptions) -> Mapping[type, LogicalType]:
    digits = {"precision": options.decimal_precision, "scale": options.decimal_scale}
    return {
        Decimal: LogicalType(Decimal, "bytes", {"logicalType": "decimal", **digits}),
        datetime: LogicalType(datetime, "long", {"logicalType": f"timestamp-{options.timestamps}"}),
        date: LogicalType(date, "int", {"logicalType": "date"}),
        time: LogicalType(time, "long", {"logicalType": "time-micros"}),
        timedelta: LogicalType(timedelta, "long", {"logicalType": "duration-micros"}),
        UUID: LogicalType(UUID, "string", {"logicalType": "uuid"}),
    }


def _field_names(python: type, names: Names) -> Mapping[str, FieldName]:
    try:
        return field_names(python, names)
    except UnsupportedTypeError as error:
        raise AvroSchemaError(str(error)) from error


def _bind(hint: Any, bound: Mapping[TypeVar, object]) -> object:
    """Replace the type variables of a generic dataclass in the type of a field."""
    if isinstance(hint, TypeVar):
        return bound.get(hint, hint)
    parameters = getattr(hint, "__parameters__", ())
    if not parameters:
        return hint
    return hint[tuple(bound.get(parameter, parameter) for parameter in parameters)]


def _label(avro_type: AvroType) -> str:
    """Return a part of a name that is the same only for types with the same schema."""
    match avro_type:
        case LogicalType():
            return re.sub(r"\W", "_", "_".join(map(str, avro_type.properties.values())))
        case ArrayType():
            return f"array_{_label(avro_type.items)}"
        case MapType():
            return f"map_{_label(avro_type.values)}"
        case EntriesType():
            return simple_name(avro_type.name)
        case UnionType():
            return "_or_".join(map(_label, avro_type.branches))
        case _:
            return branch_name(avro_type).replace(".", "_")


def _qualified(hint: object) -> str:
    return f"{hint.__module__}.{hint.__qualname__}" if isinstance(hint, type) else type_name(hint)


def _unsupported(hint: object, path: str) -> AvroSchemaError:
    return AvroSchemaError(f"{path}: Avro cannot represent type '{type_name(hint)}'; use one of: {_SUPPORTED}")
