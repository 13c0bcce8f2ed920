"""Sort keys: bytes that sort as the keys of a store do (`eddyline.application.ports.key_order`), and are equal if the keys are.

The encoding follows the tuple layer of FoundationDB: a byte for the kind of a value, then its bytes, which are no prefix of those
of another value. Numbers of all kinds share one order, whatever their size: their sign, exponent and significant bits.
"""

import dataclasses
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, Final
from uuid import UUID

_NONE: Final = b"\x02"
_NUMBER: Final = b"\x10"
_DECIMAL: Final = b"\x11"
_TEXT: Final = b"\x20"
_BYTES: Final = b"\x21"
_UUID: Final = b"\x22"
_DATE: Final = b"\x30"
_NAIVE_TIME: Final = b"\x31"
_INSTANT: Final = b"\x32"
_TIME_OF_DAY: Final = b"\x33"
_DURATION: Final = b"\x34"
_TUPLE: Final = b"\x40"
_ENCODED: Final = b"\x7f"

_END: Final = b"\x00\x00"
"""The end of text, bytes and digits, in which a zero byte is followed by 0xff; a single zero byte ends a tuple."""

_NEGATIVE_INFINITY, _NEGATIVE, _ZERO, _POSITIVE, _INFINITY, _NOT_A_NUMBER = (bytes([number]) for number in range(1, 7))
_COMPLEMENT: Final = bytes(255 - number for number in range(256))

_SMALL_EXPONENT: Final = 0x4000
_LARGE_EXPONENT: Final = b"\xff\xff"
_MICROSECOND: Final = timedelta(microseconds=1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NAIVE_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - the times of a store may have no time zone


def sort_key(key: Any, encoded: bytes | None = None) -> bytes:
    """Return the sort key of a store key.

    Args:
        key: A key of the store, or None.
        encoded: The encoded key, by which keys of other types than those with an order here are sorted.

    Raises:
        TypeError: keys of this type have no order here, and `encoded` is None.
    """
    encode = _BY_TYPE.get(type(key))
    if encode is not None:
        return encode(key)
    try:
        return _encoder_of(key)(key)
    except TypeError:
        if encoded is None:
            raise
        return _ENCODED + encoded


def sort_prefix(prefix: str | bytes | tuple[Any, ...]) -> bytes:
    """Return the bytes with which the sort keys begin of texts that begin with a text, or of tuples that begin with a tuple.

    Raises:
        TypeError: the prefix is neither of these, or has a part of a type without an order.
    """
    if isinstance(prefix, str):
        return _text(prefix)[: -len(_END)]
    if isinstance(prefix, bytes):
        return _bytes(prefix)[: -len(_END)]
    if isinstance(prefix, tuple):
        return _tuple(prefix)[:-1]
    raise TypeError(f"'{prefix!r}' is no prefix; use a text, bytes or a tuple")


def after_prefix(prefix: bytes) -> bytes | None:
    """Return the least bytes that are greater than all that begin with a prefix, None if there are none."""
    stem = prefix.rstrip(b"\xff")
    return stem[:-1] + bytes([stem[-1] + 1]) if stem else None


def _none(_: None) -> bytes:
    return _NONE


def _text(value: str) -> bytes:
    return _TEXT + _terminated(value.encode("utf-8", "surrogatepass"))


def _bytes(value: bytes) -> bytes:
    return _BYTES + _terminated(value)


def _terminated(data: bytes) -> bytes:
    return data.replace(b"\x00", b"\x00\xff") + _END


def _tuple(value: tuple[Any, ...]) -> bytes:
    return b"".join((_TUPLE, *map(sort_key, value), b"\x00"))


def _dataclass(value: Any) -> bytes:
    return _tuple(tuple(getattr(value, field.name) for field in dataclasses.fields(value)))


def _integer(value: int) -> bytes:
    return _NUMBER + _scaled(int(value), 0)


def _float(value: float) -> bytes:
    if value != value:  # noqa: PLR0124 - not a number
        return _NUMBER + _NOT_A_NUMBER
    if value in (float("inf"), float("-inf")):
        return _NUMBER + (_INFINITY if value > 0 else _NEGATIVE_INFINITY)
    numerator, denominator = value.as_integer_ratio()
    return _NUMBER + _scaled(numerator, denominator.bit_length() - 1)


def _scaled(value: int, scale: int) -> bytes:
    """Return the order of `value / 2**scale`."""
    magnitude = abs(value)
    bits = magnitude.bit_length()
    aligned = magnitude << (-bits % 8)
    significant = aligned.to_bytes((bits + 7) // 8, "big").rstrip(b"\x00")
    return _signed(value, bits - 1 - scale, significant)


def _signed(sign: int, exponent: int, significant: bytes) -> bytes:
    if not sign:
        return _ZERO
    positive = _exponent(exponent) + _terminated(significant)
    return _POSITIVE + positive if sign > 0 else _NEGATIVE + positive.translate(_COMPLEMENT)


def _exponent(exponent: int) -> bytes:
    shifted = exponent + _SMALL_EXPONENT
    return shifted.to_bytes(2, "big") if 0 <= shifted < 2 * _SMALL_EXPONENT else _LARGE_EXPONENT + exponent.to_bytes(8, "big")


def _decimal(value: Decimal) -> bytes:
    if value.is_nan():
        return _DECIMAL + _NOT_A_NUMBER
    if value.is_infinite():
        return _DECIMAL + (_INFINITY if value > 0 else _NEGATIVE_INFINITY)
    sign = (value > 0) - (value < 0)
    digits = "".join(map(str, value.as_tuple().digits)).lstrip("0")
    exponent = len(digits) + int(value.as_tuple().exponent)
    shifted = (exponent + (1 << 62)).to_bytes(8, "big")
    if not sign:
        return _DECIMAL + _ZERO
    positive = shifted + _terminated(digits.rstrip("0").encode())
    return _DECIMAL + (_POSITIVE + positive if sign > 0 else _NEGATIVE + positive.translate(_COMPLEMENT))


def _datetime(value: datetime) -> bytes:
    if value.tzinfo is None:
        return _NAIVE_TIME + _scaled((value - _NAIVE_EPOCH) // _MICROSECOND, 0)
    return _INSTANT + _scaled((value - _EPOCH) // _MICROSECOND, 0)


def _date(value: date) -> bytes:
    return _DATE + value.toordinal().to_bytes(4, "big")


def _time(value: time) -> bytes:
    offset = (value.utcoffset() or timedelta()) // _MICROSECOND
    since_midnight = ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond
    return _TIME_OF_DAY + _scaled(since_midnight - offset, 0)


def _timedelta(value: timedelta) -> bytes:
    return _DURATION + _scaled(value // _MICROSECOND, 0)


def _uuid(value: UUID) -> bytes:
    return _UUID + value.bytes


def _enum(value: Enum) -> bytes:
    return sort_key(value.value)


_BY_TYPE: Final[dict[type, Callable[[Any], bytes]]] = {
    type(None): _none,
    bool: _integer,
    int: _integer,
    float: _float,
    Decimal: _decimal,
    str: _text,
    bytes: _bytes,
    tuple: _tuple,
    datetime: _datetime,
    date: _date,
    time: _time,
    timedelta: _timedelta,
    UUID: _uuid,
}


def _encoder_of(key: Any) -> Callable[[Any], bytes]:
    """Return the encoder of a key whose class is not one of those above: an enum, a dataclass, or a subclass."""
    if isinstance(key, Enum):
        return _enum
    if dataclasses.is_dataclass(key) and not isinstance(key, type):
        return _dataclass
    for kind, encode in _BY_TYPE.items():
        if isinstance(key, kind):
            return encode
    known = ", ".join(kind.__name__ for kind in _BY_TYPE)
    raise TypeError(f"keys of type '{type(key).__name__}' have no order; choose one of: {known}, or a dataclass or an enum")
