"""Cells of a table: text read as values of a type, and values written as text."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pydantic import PydanticUserError, TypeAdapter, ValidationError
from pydantic_core import from_json

from eddyline.adapters.scenario.errors import TextTableError, no_field
from eddyline.adapters.scenario.times import milliseconds, time_text
from eddyline.application.topology.types import UNKNOWN, type_name, without_none

_UNTYPED = (Any, object, UNKNOWN)
_LISTS = (list, tuple, set, frozenset, Sequence)
_NUMBERS = (int, float, Decimal)
_SEPARATOR = ", "
_OPENING = ("{", "[")

Cells = Sequence[tuple[Sequence[str], Any]]
"""Cells, each with the names of the fields that lead to its part of a value."""


def assemble(kind: Any, cells: Cells) -> Any:
    """Return the value of a type that cells make up; None where all of them are empty.

    An empty cell is None where its field takes None; otherwise the field is left out.

    Raises:
        TextTableError: The type has no such field, or does not take such a value.
    """
    filled = [(names, cell) for names, cell in cells if cell is not None and cell != ""]
    if not filled:
        return None
    if not filled[0][0]:
        return parse(kind, filled[0][1])
    fields: dict[str, list[tuple[Sequence[str], Any]]] = {}
    for (name, *rest), cell in cells:
        fields.setdefault(name, []).append((rest, cell))
    types = {name: _field_type(kind, name) for name in fields}
    values = {name: assemble(types[name], own) for name, own in fields.items()}
    return _checked(kind, {name: value for name, value in values.items() if value is not None or _takes_none(types[name])})


def parse(kind: Any, cell: Any) -> Any:
    """Return a cell as a value of a type.

    A number may be written as a time or a duration, which gives milliseconds; elements of a list are separated by commas. Objects
    are JSON. Without a type, JSON is what it says (`5`, `true`, `"5"`), and other text is itself. A cell that is no text stays
    what it is.

    Raises:
        TextTableError: The type does not take such a value.
    """
    found = without_none(kind)
    if not isinstance(cell, str):
        return _checked(found, cell)
    if found in _UNTYPED:
        return _untyped(cell)
    if found is not str and cell[:1] in _OPENING:
        return _from_json(found, cell)
    if found in _LISTS or get_origin(found) in _LISTS:
        element = (*get_args(found), Any)[0]
        return _checked(found, [parse(element, text) for text in cell.split(_SEPARATOR)])
    if found in _NUMBERS and (number := _number(cell, found)) is not None:
        return number
    try:
        return _adapter(found).validate_strings(cell)
    except ValidationError as unfit:
        raise _refused(found, unfit) from None


def as_text(value: Any, *, time: bool = False) -> str:
    """Return a value as text: None is empty, elements of a list are separated by commas, objects are JSON."""
    if isinstance(value, float):
        return str(value).removesuffix(".0")
    if isinstance(value, bool | None):
        return "" if value is None else str(value).lower()
    if time and isinstance(value, int):
        return time_text(value)
    if isinstance(value, Mapping) or dataclasses.is_dataclass(value):
        return json.dumps(value, default=_plain, ensure_ascii=False)
    if isinstance(value, list | set | frozenset) or type(value) is tuple:
        return _SEPARATOR.join(map(as_text, value))
    return str(value)


def matches(cell: str, value: Any) -> bool:
    """Return whether a cell is one way to write a value, as `1.50` is for 1.5, or `2 s` for 2000."""
    if isinstance(value, bool):
        return cell.lower() == as_text(value)
    if isinstance(value, _NUMBERS):
        return bool(_number(cell, type(value)) == value)
    if isinstance(value, list) or type(value) is tuple:
        texts = cell.split(_SEPARATOR) if cell else []
        return len(texts) == len(value) and all(map(matches, texts, value))
    return cell == as_text(value)


def _untyped(text: str) -> Any:
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        return text


def _from_json(kind: Any, text: str) -> Any:
    try:
        return _adapter(kind).validate_json(text)
    except ValidationError as unfit:
        raise _refused(kind, unfit) from None


def _number(text: str, kind: Any) -> Any:
    """Return the number that the text is, or the milliseconds of the time that it is; None when it is neither."""
    try:
        return kind(text)
    except (ValueError, ArithmeticError):
        pass
    try:
        return kind(milliseconds(text))
    except ValueError:
        return None


def _field_type(kind: Any, name: str) -> Any:
    found = without_none(kind)
    if found in _UNTYPED or found is dict:
        return Any
    if get_origin(found) in {dict, Mapping}:
        return get_args(found)[1]
    hints = _hints(found)
    if name not in hints:
        raise no_field(type_name(found), name, hints)
    return hints[name]


@cache
def _hints(kind: Any) -> Mapping[str, Any]:
    members = get_args(kind) if get_origin(kind) not in {None, Literal} else (kind,)
    return {name: hint for member in members for name, hint in get_type_hints(member).items()}


def _takes_none(kind: Any) -> bool:
    return kind in _UNTYPED or type(None) in get_args(kind)


def _checked(kind: Any, value: Any) -> Any:
    found = without_none(kind)
    if found in _UNTYPED or (isinstance(found, type) and isinstance(value, found)):
        return value
    try:
        return _adapter(found).validate_python(value)
    except ValidationError as unfit:
        raise _refused(found, unfit) from None


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    try:
        return TypeAdapter(kind)
    except PydanticUserError:
        raise TextTableError(f"{type_name(kind)} cannot be read from text; put the value itself into the cell") from None


def _refused(kind: Any, unfit: ValidationError) -> TextTableError:
    error = unfit.errors(include_url=False)[0]
    field = "".join(f"{part}: " for part in error["loc"])
    return TextTableError(f"{type_name(kind)}: {field}{error['msg']}, not {error['input']!r}")


def _plain(value: Any) -> Any:
    return dataclasses.asdict(value) if dataclasses.is_dataclass(value) and not isinstance(value, type) else str(value)
