"""Encodes many values of a simple dataclass at once, by msgspec, in a third of the time of one by one."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from math import hypot, isfinite
from operator import attrgetter
from types import NoneType
from typing import Any, Final, TypeAlias, get_args, get_type_hints

import msgspec
from pydantic.alias_generators import to_camel

from eddyline.adapters.json.compiled import is_simple_dataclass
from eddyline.adapters.json.lines import Lines

_MAX_POSITIONAL: Final = 1e16
"""From here on, the exponents of numbers are written in different ways by msgspec and pydantic."""

EncodeColumn: TypeAlias = Callable[[Sequence[Any]], Sequence[bytes | None] | None]


def column_encoder(declared: type) -> EncodeColumn | None:
    """Return a function that encodes many values of a dataclass, or returns None if pydantic has to; None for other types.

    The fields of the dataclass are strings, numbers and booleans, each of them possibly None. What msgspec encodes has the same
    bytes as with pydantic: values are left to the latter if a class differs from the declared one, or a number is infinite or
    very large.
    """
    own, hints = fields(declared), get_type_hints(declared)
    aliases = {field.name: to_camel(field.name) for field in own}
    if not own or not is_simple_dataclass(declared) or len(set(aliases.values())) < len(aliases):
        return None
    accepted = [frozenset(get_args(hints[field.name]) or (hints[field.name],)) for field in own]
    floats = [index for index, classes in enumerate(accepted) if float in classes]
    has_slots = declared.__dictoffset__ == 0
    getters = list(map(attrgetter, aliases))
    row = msgspec.defstruct(declared.__name__, [(name, Any) for name in aliases], rename=aliases, gc=False)
    encode_lines = msgspec.json.Encoder().encode_lines

    def encode(values: Sequence[Any]) -> Sequence[bytes | None] | None:
        classes = set(map(type, values))
        if classes == {declared, NoneType}:
            found = encode([value for value in values if value is not None])
            left = iter(found or ())
            return None if found is None else [None if value is None else next(left) for value in values]
        if classes != {declared} or not (has_slots or set(map(len, map(vars, values))) == {len(own)}):
            return None
        try:
            columns = [list(map(get, values)) for get in getters]
            found_classes = list(map(_classes_of, columns))
            if not all(map(frozenset.issuperset, accepted, found_classes)):
                return None
            if not all(_is_plain(columns[index], found_classes[index]) for index in floats):
                return None
            return Lines(encode_lines(map(row, *columns)), len(values))
        except (AttributeError, ValueError, msgspec.MsgspecError):
            return None

    return encode


def _classes_of(column: Sequence[Any]) -> set[type]:
    classes = list(map(type, column))
    first = classes[0]
    return {first} if classes.count(first) == len(classes) else set(classes)


def _is_plain(column: Sequence[Any], classes: set[type]) -> bool:
    """Return whether all numbers are finite and written without an exponent, or with a negative one."""
    numbers = [number for number in column if number is not None] if NoneType in classes else column
    if not numbers or hypot(*numbers) < _MAX_POSITIONAL:  # which no number exceeds then, in an eighth of the time
        return True
    return isfinite(sum(numbers)) and min(numbers) > -_MAX_POSITIONAL and max(numbers) < _MAX_POSITIONAL
