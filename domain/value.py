"""What a value is: fields that are set when the value is created and never change; a change creates a new value.

A value that cannot be true cannot be created: its `__post_init__` raises ValueError with the names of the value's fields and
the rule, for which there are functions here.
"""

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields
from math import inf
from typing import Any, TypeGuard, TypeVar, cast, dataclass_transform

_Value = TypeVar("_Value")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[_Value]) -> type[_Value]:
    """Make a class a value: a standard dataclass with slots, equality and a hash, also of fields that are dicts or lists.

    Type checkers treat it as frozen: assigning a field is an error there. Nothing protects the fields at run time, because a
    frozen dataclass takes four times as long to create, and aggregates are created for every event.
    """
    made: Any = dataclass(slots=True, unsafe_hash=True)(cls)
    hash_of_fields, names = made.__hash__, [each.name for each in fields(made)]

    def hash_of_contents(self: object) -> int:
        try:
            return int(hash_of_fields(self))
        except TypeError:
            return hash(tuple(_hashable(getattr(self, name)) for name in names))

    made.__hash__ = hash_of_contents
    return cast("type[_Value]", made)


def _hashable(content: Any) -> Any:
    """Return what is equal for equal contents and has a hash."""
    if isinstance(content, Mapping):
        return frozenset((key, _hashable(entry)) for key, entry in content.items())
    if isinstance(content, list | tuple):
        return tuple(map(_hashable, content))
    return frozenset(content) if isinstance(content, AbstractSet) else content


def above_zero(**numbers: object) -> None:
    """Raise ValueError for a number that is not above 0, or is no finite number."""
    for name, number in numbers.items():
        if not (is_number(number) and number > 0):
            raise ValueError(f"{name} is {number!r}; it must be a number above 0")


def not_negative(**numbers: object) -> None:
    """Raise ValueError for a number that is below 0, or is no finite number."""
    for name, number in numbers.items():
        if not (is_number(number) and number >= 0):
            raise ValueError(f"{name} is {number!r}; it must be a number of at least 0")


def at_least(least: int, **numbers: object) -> None:
    """Raise ValueError for a number that is below `least`, or is no whole number."""
    for name, number in numbers.items():
        if not isinstance(number, int) or isinstance(number, bool) or number < least:
            raise ValueError(f"{name} is {number!r}; it must be a whole number of at least {least}")


def not_empty(**texts: object) -> None:
    """Raise ValueError for a text that is empty or blank, or is no text."""
    for name, text in texts.items():
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"{name} is {text!r}; it must be a text that is not empty")


def one_of(choices: Collection[str], **texts: object) -> None:
    """Raise ValueError for a text that is none of the choices."""
    for name, text in texts.items():
        if text not in choices:
            raise ValueError(f"{name} is {text!r}; it must be one of: {', '.join(choices)}")


def is_number(number: object) -> TypeGuard[float]:
    """Return whether this is a finite number; a bool is none."""
    return isinstance(number, int | float) and not isinstance(number, bool) and -inf < number < inf
