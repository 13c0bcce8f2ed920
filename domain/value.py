"""What a value is here: fields that are given once and never changed; a change is a new value."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

_Value = TypeVar("_Value")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[_Value]) -> type[_Value]:
    """Makes a class a value: a standard dataclass with slots, equality and a hash.

    The type checker holds it frozen: setting a field is an error there. At run time nothing guards the fields, because a
    dataclass that guards them takes four times as long to make, and aggregates are made anew for every event.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)
