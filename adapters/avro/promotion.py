"""Decoders of primitive types and literals, with the type promotions of Avro's schema resolution."""

from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, TypeAlias

from eddyline.adapters.avro.avro_types import LiteralType, PrimitiveType
from eddyline.adapters.avro.errors import TypeMismatchError
from eddyline.adapters.avro.writer_schema import mismatch, type_of

Decoder: TypeAlias = Callable[[Any], Any]
"""Converts a datum that fastavro has read to a Python value. Raises TypeMismatchError, among others."""

_PROMOTIONS: dict[str, dict[str, Decoder | None]] = {
    "null": {"null": None},
    "boolean": {"boolean": None},
    "long": {"int": None, "long": None},
    "double": {"double": None, "float": None, "long": float, "int": float},
    "string": {"string": None, "bytes": bytes.decode, "enum": None},
    "bytes": {"bytes": None, "string": str.encode, "fixed": None},
}


def primitive_decoder(primitive: PrimitiveType, schema: Any, path: str) -> Decoder | None:
    """Return the decoder of a primitive type from a writer's schema; None if its data needs no conversion.

    Raises:
        TypeMismatchError: the type of the writer's schema cannot be promoted to the primitive type.
    """
    promotions = _PROMOTIONS[primitive.avro]
    kind = type_of(schema)
    if kind not in promotions:
        raise TypeMismatchError(mismatch(schema, primitive.avro), path)
    return promotions[kind]


def literal_decoder(literal: LiteralType, schema: Any, path: str) -> Decoder:
    """Return the decoder of a Literal, which checks the value.

    Raises:
        TypeMismatchError: the type of the writer's schema cannot be promoted to that of the literals.
    """
    allowed = frozenset(literal.values)
    promote = primitive_decoder(literal.base, schema, path)

    def decode(datum: Any) -> Any:
        value = datum if promote is None else promote(datum)
        if value not in allowed:
            raise TypeMismatchError(f"expected one of {', '.join(map(repr, literal.values))}, found {value!r}")
        return value

    return decode


def lax_decoder(python: type, kind: str) -> Decoder | None:
    """Return the conversion of a writer's type to a Python type that only lax types allow; None if there is none."""
    return _CONVERSIONS.get((python, kind))


def _integral(datum: float) -> int:
    if not datum.is_integer():
        raise TypeMismatchError(f"expected an integer, found {datum!r}")
    return int(datum)


def _truth(datum: Any) -> bool:
    found = _TRUTHS.get(str(datum).lower())
    if found is None:
        raise TypeMismatchError(f"expected true or false, found {datum!r}")
    return found


_TRUTHS: Mapping[str, bool] = {"true": True, "1": True, "false": False, "0": False}

_CONVERSIONS: Mapping[tuple[type, str], Decoder] = {
    **{(int, kind): int for kind in ("string", "boolean")},
    **{(int, kind): _integral for kind in ("double", "float")},
    **{(float, kind): float for kind in ("string", "boolean")},
    **{(bool, kind): _truth for kind in ("string", "int", "long")},
    **{(Decimal, kind): lambda datum: Decimal(str(datum)) for kind in ("string", "int", "long", "double", "float")},
    **{(python, "string"): python.fromisoformat for python in (datetime, date, time)},
}
