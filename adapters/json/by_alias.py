"""Decodes dataclasses whose fields have other names in JSON, by msgspec, which looks for fields by their names."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import Field, field, fields, make_dataclass
from itertools import repeat
from keyword import iskeyword
from typing import Any, Final, Literal, NamedTuple

import msgspec

from eddyline.adapters.codecs.field_names import FieldName

_IMPOSSIBLE: Final = Literal["\0"]
"""The type of a string that no JSON without escapes has."""


class Decoders(NamedTuple):
    """Functions of msgspec that decode a value, and many values in lines."""

    one: Callable[[bytes], Any]
    lines: Callable[[bytes], list[Any]]


def decoders_by_alias(declared: type, hints: Mapping[str, Any], names: Mapping[str, FieldName]) -> Decoders | None:
    """Return the functions that decode a dataclass, None if its class is not a simple one with slots.

    msgspec creates an object of a stand-in that has the same layout, where the name in JSON is another descriptor of the same
    attribute; then the object gets the class that was declared, and its `__post_init__` is called. JSON with the name of a field
    that has another one there is refused with `msgspec.ValidationError`, since pydantic accepts more than one.

    Args:
        declared: The dataclass; JSON is without escapes.
        hints: The types of its fields.
        names: Their names.
    """
    own = fields(declared)
    aliases = [names[each.name].written for each in own]
    renamed = {alias: each.name for alias, each in zip(aliases, own, strict=True) if alias != each.name}
    others = {name for each in own for name in names[each.name].read} - {*aliases, *renamed.values()}
    has_private = any(each.name.startswith("__") for each in own)
    if (
        declared.__bases__ != (object,)
        or "__slots__" not in vars(declared)
        or type(declared) is not type
        or has_private
        or not all(map(_is_identifier, (*aliases, *others)))
        or len({*aliases, *renamed.values()}) < len(own) + len(renamed)
    ):
        return None
    stand_in: Any = type(declared.__name__, (object,), {"__slots__": vars(declared)["__slots__"]})
    for alias, name in renamed.items():
        setattr(stand_in, alias, vars(stand_in)[name])
    found = [(alias, hints[each.name], _like(each)) for alias, each in zip(aliases, own, strict=True)]
    refused = [(name, _IMPOSSIBLE, field(default=None)) for name in (*renamed.values(), *others)]
    for name, _, _ in refused:
        setattr(stand_in, name, property(id))  # so that msgspec sets no default
    described: Any = make_dataclass(declared.__name__, [*found, *refused], kw_only=True)
    stand_in.__dataclass_fields__ = described.__dataclass_fields__
    stand_in.__annotations__ = {name: hint for name, hint, _ in (*found, *refused)}
    decoder, set_attribute = msgspec.json.Decoder(stand_in), object.__setattr__
    decode_stand_in, decode_stand_ins = decoder.decode, decoder.decode_lines
    post_init: Callable[[Any], None] | None = getattr(declared, "__post_init__", None)

    def decode(data: bytes) -> Any:
        value = decode_stand_in(data)
        set_attribute(value, "__class__", declared)
        if post_init is not None:
            post_init(value)
        return value

    def decode_lines(data: bytes) -> list[Any]:
        values: list[Any] = decode_stand_ins(data)
        deque(map(set_attribute, values, repeat("__class__"), repeat(declared)), maxlen=0)
        if post_init is not None:
            deque(map(post_init, values), maxlen=0)
        return values

    return Decoders(decode, decode_lines)


def _is_identifier(name: str) -> bool:
    return name.isidentifier() and not iskeyword(name)


def _like(each: Field[Any]) -> Any:
    """Return a field with the same default."""
    return field(default=each.default, default_factory=each.default_factory)
