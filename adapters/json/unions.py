"""Unions in JSON: the order in which their types are tried, and the types of which no value would come back."""

import typing
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Final
from uuid import UUID

from eddyline.application.topology.forms.records import field_types, has_fields, is_named_tuple, substituted, type_arguments
from eddyline.application.topology.types import is_typed_dict

_ORDER: Final = (
    *("none", "bool", "int", "float", "decimal", "literal", "enum", "uuid", "date", "datetime", "time", "timedelta", "bytes"),
    *("list", "tuple", "set", "frozenset", "dict"),
)
_EXAMPLES: Final[Mapping[Any, Any]] = {
    str: "text",
    int: 1,
    float: 1.5,
    bool: True,
    Decimal: Decimal("1.5"),
    bytes: b"data",
    datetime: datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC),
    date: date(2024, 1, 2),
    time: time(3, 4, 5),
    timedelta: timedelta(hours=1),
    UUID: UUID(int=1),
}
_COLLECTIONS: Final[Mapping[Any, type]] = {list: list, set: set, frozenset: frozenset, Sequence: list, Collection: list}
_DICTS: Final = (dict, Mapping)
_MAX_DEPTH: Final = 8


def in_order(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return pydantic's schema of a union whose result does not depend on the order in which its types are declared.

    `str | int` and `int | str` are equal in Python, so one may be used in place of the other. Of types that fit equally well,
    the one with fewer fields counts.
    """
    return {**schema, "choices": sorted(schema["choices"], key=_rank)}


def texts_last(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a union where a text is a `str` only if it is none of the other types, such as the text of a `datetime`."""
    choices = schema["choices"]
    texts = [choice for choice in choices if _schema_of(choice).get("type") == "str"]
    others = [choice for choice in choices if choice not in texts]
    if not texts or not others:
        return dict(schema)
    rest = {"type": "union", "choices": others} if len(others) > 1 else _schema_of(others[0])
    return {**schema, "mode": "left_to_right", "choices": [rest, *texts]}


def _schema_of(choice: Any) -> Any:
    return choice[0] if isinstance(choice, tuple) else choice


def _rank(choice: Any) -> tuple[int, int, str]:
    schema = _schema_of(choice)
    kind = schema.get("type")
    if kind in _ORDER:
        return _ORDER.index(kind), 0, ""
    inner = schema
    while isinstance(inner.get("schema"), dict) and "fields" not in inner:
        inner = inner["schema"]
    name = str(schema.get("schema_ref") or schema.get("ref") or schema.get("cls") or "")
    return len(_ORDER) + (kind == "str"), len(inner.get("fields", ())), name.partition(":")[0]


def unions_in(declared: Any) -> Iterator[Any]:
    """Yield the unions in a type, each once."""
    yield from _unions_in(declared, set())


def _unions_in(declared: Any, seen: set[Any]) -> Iterator[Any]:
    arguments = typing.get_args(declared)
    if _is_union(declared) and len(_members(declared)) > 1:
        yield declared
    for argument in () if typing.get_origin(declared) is typing.Literal else arguments:
        yield from _unions_in(argument, seen)
    try:
        is_new = declared not in seen
    except TypeError:  # it has no hash
        return
    if is_new:
        seen.add(declared)
        for hint in _fields(declared).values():
            yield from _unions_in(hint, seen)


def examples_of(declared: Any) -> list[Any]:
    """Return values of a type, some of each type in a union; none of types that are not known here."""
    return _examples(declared, _MAX_DEPTH)


def _is_union(declared: Any) -> bool:
    return typing.get_origin(declared) in (typing.Union, UnionType)


def _members(union: Any) -> list[Any]:
    return [argument for argument in typing.get_args(union) if argument is not NoneType]


def _fields(declared: Any) -> dict[str, Any]:
    kind = typing.get_origin(declared) or declared
    if hasattr(kind, "__supertype__"):
        return {"": kind.__supertype__}
    if not (has_fields(kind) or is_named_tuple(kind) or is_typed_dict(kind)):
        return {}
    try:
        hints = typing.get_type_hints(kind)
    except (NameError, TypeError):
        return {}
    variables = type_arguments(kind, typing.get_args(declared))
    return {name: substituted(hint, variables) for name, hint in field_types(kind, hints).items()}


def _examples(declared: Any, depth: int) -> list[Any]:
    origin, arguments = typing.get_origin(declared), typing.get_args(declared)
    kind: Any = origin or declared
    if depth == 0:  # the type contains itself
        found = []
    elif origin is typing.Annotated or hasattr(declared, "__supertype__"):
        found = _examples(arguments[0] if arguments else declared.__supertype__, depth)
    elif _is_union(declared):
        found = [value for member in _members(declared) for value in _examples(member, depth)]
        found = found or [None for argument in arguments if argument is NoneType]
    elif origin is typing.Literal:
        found = list(arguments)
    elif kind in _EXAMPLES:
        found = [_EXAMPLES[kind]]
    elif isinstance(kind, type) and issubclass(kind, Enum):
        found = list(kind)
    elif arguments and (kind is tuple or kind in _COLLECTIONS or kind in _DICTS):
        found = _collections(kind, [_examples(argument, depth - 1) for argument in arguments])
    else:
        found = _objects(kind, {name: _examples(hint, depth - 1) for name, hint in _fields(declared).items()})
    return found


def _collections(kind: Any, parts: Sequence[list[Any]]) -> list[Any]:
    """Return collections of the values of their arguments; an ellipsis has none."""
    if kind in _DICTS:
        return [{key: value} for key, value in zip(*parts, strict=False)]
    if kind is tuple and len(parts) > 1 and all(parts):
        return [tuple(part[0] for part in parts)]
    create = _COLLECTIONS.get(kind, tuple)
    return [create([item]) for item in parts[0] if create is list or create is tuple or isinstance(item, Hashable)]


def _objects(kind: Any, fields: Mapping[str, list[Any]]) -> list[Any]:
    if not fields or not all(fields.values()):
        return []
    values = {name: found[0] for name, found in fields.items()}
    if is_typed_dict(kind):
        return [values]
    if hasattr(kind, "model_construct"):
        return [kind.model_construct(**values)]
    if is_named_tuple(kind):
        return [kind(**values)]
    created = object.__new__(kind)
    for name, value in values.items():
        object.__setattr__(created, name, value)
    return [created]
