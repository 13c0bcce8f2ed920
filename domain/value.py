"""What a value is: fields that are set when the value is created and never change; a change creates a new value."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

_Value = TypeVar("_Value")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[_Value]) -> type[_Value]:
    """Make a class a value: a standard dataclass with slots, equality and a hash.

    Type checkers treat it as frozen: assigning a field is an error there. Nothing protects the fields at run time, because a
    frozen dataclass takes four times as long to create, and aggregates are created for every event.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)
