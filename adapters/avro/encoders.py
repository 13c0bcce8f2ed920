"""Encoders of primitive types, literals and enums."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, TypeAlias

from eddyline.adapters.avro.avro_types import EnumType, LiteralType
from eddyline.adapters.avro.errors import TypeMismatchError

Encoder: TypeAlias = Callable[[Any], Any]
"""Converts a value to a datum that fastavro can write. Raises TypeMismatchError."""

EncoderSelector: TypeAlias = Callable[[type], Encoder | None]
"""Selects the encoder for values of a class; None if they need no conversion.

Raises TypeMismatchError, with the expected type, if values of the class cannot be encoded.
"""


def for_instances(python: type | tuple[type, ...], encoder: Encoder | None) -> EncoderSelector:
    """Return the selector of an encoder for instances of a class, or of one of several."""

    def select(kind: type) -> Encoder | None:
        if issubclass(kind, python):
            return encoder
        raise TypeMismatchError(f"expected {python.__name__ if isinstance(python, type) else python[0].__name__}")

    return select


def primitive_encoder(python: type) -> EncoderSelector:
    """Return the encoder selector of a primitive type; an int is accepted for a float, a bool for no other type."""

    def select(kind: type) -> Encoder | None:
        if kind is python:
            return None
        if python is float and kind is int:
            return _to_float
        if issubclass(kind, python) and kind is not bool:
            return _FROM_SUBCLASS[python]
        raise TypeMismatchError(f"expected {python.__name__}")

    return select


def _to_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        raise TypeMismatchError("the integer is too large for a double") from None


_FROM_SUBCLASS: Mapping[type, Encoder] = {str: str.__str__, int: int.__int__, float: float.__float__, bytes: bytes}


def literal_encoder(literal: LiteralType) -> EncoderSelector:
    """Return the encoder selector of a Literal; the encoder checks the value."""
    allowed = frozenset(literal.values)
    select_primitive = primitive_encoder(literal.base.python)

    def encode(value: Any) -> Any:
        if value in allowed:
            return value
        raise TypeMismatchError(f"expected one of {', '.join(map(repr, literal.values))}, found {value!r}")

    def select(kind: type) -> Encoder | None:
        select_primitive(kind)
        return encode

    return select


def symbol_encoder(enum: EnumType) -> Encoder:
    """Return the encoder of an enum, which converts members to symbols."""
    symbols = enum.symbol_of

    def encode(member: Enum) -> str:
        try:
            return symbols[member]
        except KeyError:
            raise TypeMismatchError(f"expected one of {', '.join(enum.symbols)}, found {member!r}") from None

    return encode
