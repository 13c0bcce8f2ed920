"""How single values become what fastavro writes: numbers, text, enums, logical types."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any, TypeAlias
from uuid import UUID

from eddyline.adapters.avro.misfit import MisfitError
from eddyline.adapters.avro.shapes import Choice, Enumeration, Logical

Step: TypeAlias = Callable[[Any], Any]
Chooser: TypeAlias = Callable[[type], Step | None]
"""Gives the step for values of a class, None where they stay as they are. Raises MisfitError for a class that does not fit."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_DAY = date(1970, 1, 1).toordinal()


def only(python: type | tuple[type, ...], step: Step | None) -> Chooser:
    """Takes `step` for the class and its subclasses, nothing for others."""

    def choose(kind: type) -> Step | None:
        if issubclass(kind, python):
            return step
        expected = python.__name__ if isinstance(python, type) else python[0].__name__
        raise MisfitError(f"expected {expected}, not {kind.__name__}")

    return choose


def primitive(python: type) -> Chooser:
    """Lets values of the class pass; an int goes for a float, a bool for no number."""

    def choose(kind: type) -> Step | None:
        if kind is python:
            return None
        if python is float and kind is int:
            return _as_float
        if issubclass(kind, python) and kind is not bool:
            return _PLAIN[python]
        raise MisfitError(f"expected {python.__name__}, not {kind.__name__}")

    return choose


def _as_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        raise MisfitError("the number is too great for a double") from None


_PLAIN: Mapping[type, Step] = {str: str.__str__, int: int.__int__, float: float.__float__, bytes: bytes}


def choice(shape: Choice) -> Chooser:
    """Checks that a value is one of the choices."""
    allowed = frozenset(shape.values)

    def convert(value: Any) -> Any:
        if value in allowed:
            return value
        raise MisfitError(f"{value!r} is not one of {', '.join(map(repr, shape.values))}")

    def choose(kind: type) -> Step | None:
        primitive(shape.base.python)(kind)
        return convert

    return choose


def symbol(shape: Enumeration) -> Step:
    """The name of a member."""
    symbols = {member: member.name for member in shape.python}

    def convert(member: Enum) -> str:
        try:
            return symbols[member]
        except KeyError:
            raise MisfitError(f"{member!r} is not one of {', '.join(shape.symbols)}") from None

    return convert


def logical(shape: Logical) -> Chooser:
    """Chooses for a value that Avro keeps as another type."""
    kind = shape.properties["logicalType"]
    if kind == "decimal":
        return only(Decimal, _unscaled(shape.properties["precision"], shape.properties["scale"]))
    return _LOGICAL[kind]


def _day_chooser(kind: type) -> Step | None:
    if issubclass(kind, date) and not issubclass(kind, datetime):
        return lambda value: value.toordinal() - _EPOCH_DAY
    raise MisfitError(f"expected date, not {kind.__name__}")


def _unscaled(precision: int, scale: int) -> Step:
    def convert(value: Decimal) -> bytes:
        sign, digits, exponent = value.as_tuple()
        if not isinstance(exponent, int):
            raise MisfitError(f"{value} is not a finite number")
        if value and value.adjusted() + 1 > precision - scale:
            raise MisfitError(
                f"{value} has more than {precision - scale} digits before the point (precision {precision}, scale {scale})"
            )
        if not value:
            return b"\x00"
        whole, rest, shift = int("".join(map(str, digits))), 0, exponent + scale
        if shift >= 0:
            whole *= 10**shift
        elif -shift > len(digits):
            rest = whole
        else:
            whole, rest = divmod(whole, 10**-shift)
        if rest:
            raise MisfitError(f"{value} has more than {scale} digits after the point; round it, or raise decimal_scale")
        whole = -whole if sign else whole
        return whole.to_bytes((whole.bit_length() + 8) // 8, "big", signed=True)

    return convert


def _instant_micros(value: datetime) -> int:
    if value.tzinfo is None:
        raise MisfitError(f"the datetime {value.isoformat()} has no time zone")
    delta = value - _EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def _instant_millis(value: datetime) -> int:
    millis, rest = divmod(_instant_micros(value), 1_000)
    if rest:
        raise MisfitError(f"the datetime {value.isoformat()} has microseconds; round it, or set timestamps to micros")
    return millis


def _time_micros(value: time) -> int:
    if value.tzinfo is not None:
        raise MisfitError(f"the time {value.isoformat()} has a time zone, which Avro's time of day has not")
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond


_LOGICAL: Mapping[str, Chooser] = {
    "timestamp-millis": only(datetime, _instant_millis),
    "timestamp-micros": only(datetime, _instant_micros),
    "time-micros": only(time, _time_micros),
    "uuid": only(UUID, str),
    "date": _day_chooser,
}
