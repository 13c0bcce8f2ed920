"""Conversions between Python values and the data of Avro's logical types, in both directions."""

import struct
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Context, Decimal
from typing import Any, Final
from uuid import UUID

from eddyline.adapters.avro.avro_types import LogicalType
from eddyline.adapters.avro.encoders import Encoder, EncoderSelector, for_instances
from eddyline.adapters.avro.errors import TypeMismatchError
from eddyline.adapters.avro.writer_schema import mismatch, type_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_DAY = date(1970, 1, 1).toordinal()
_DAY = timedelta(days=1)
_MAX_DECIMAL_BYTES: Final = 4_000
_EXACT = Context(prec=3 * _MAX_DECIMAL_BYTES)
_UUID_BYTES: Final = 16
_FIXED_SIZES: Final = {"uuid": _UUID_BYTES, "duration": 12}
_MICROSECOND: Final = timedelta(microseconds=1)
_INTEGERS = ("int", "long")
_UNDERLYING_TYPES: Mapping[str, tuple[str, ...]] = {
    "decimal": ("bytes", "fixed"),
    "uuid": ("string", "fixed"),
    "date": _INTEGERS,
    "time-millis": _INTEGERS,
    "time-micros": _INTEGERS,
    "timestamp-millis": _INTEGERS,
    "timestamp-micros": _INTEGERS,
    "duration-micros": _INTEGERS,
    "duration": ("fixed",),
}


def logical_encoder(logical: LogicalType) -> EncoderSelector:
    """Return the encoder selector of a logical type."""
    name = logical.properties["logicalType"]
    if name == "decimal":
        return for_instances(Decimal, _decimal_encoder(logical.properties["precision"], logical.properties["scale"]))
    return _SELECTORS[name]


def logical_decoder(logical: LogicalType, schema: Any, path: str) -> Callable[[Any], Any]:
    """Return the decoder of a logical type from a writer's schema with the same meaning.

    Raises:
        TypeMismatchError: the writer's schema has another type.
    """
    kind = type_of(schema)
    if logical.python is UUID and kind == "string":
        return UUID
    if logical.python is UUID and kind == "fixed" and schema["size"] == _UUID_BYTES:
        return _uuid_of_bytes
    written = logical_type_of(schema)
    if logical.python is Decimal and written == "decimal":
        return _decimal_decoder(schema.get("scale", 0))
    decode = _DECODERS.get((logical.python, written))
    if decode is None:
        raise TypeMismatchError(mismatch(schema, f"{logical.avro} ({logical.properties['logicalType']})"), path)
    return decode


def natural_decoder(schema: Any) -> Callable[[Any], Any] | None:
    """Return the decoder of a writer's schema into the Python type of its logical type; None if it has none."""
    written = logical_type_of(schema)
    if written == "decimal":
        return _decimal_decoder(schema.get("scale", 0))
    if written == "uuid":
        return UUID if type_of(schema) == "string" else _uuid_of_bytes
    return next((decode for (_, name), decode in _DECODERS.items() if name == written), None)


def logical_type_of(schema: Any) -> str | None:
    """Return the name of a schema's logical type; None if it has none or if, as Avro specifies, it is ignored as invalid."""
    name = schema.get("logicalType") if isinstance(schema, dict) else None
    if type_of(schema) not in _UNDERLYING_TYPES.get(str(name), ()):
        return None
    size = _FIXED_SIZES.get(str(name))
    return None if size is not None and schema.get("size", size) != size else name


def _decimal_encoder(precision: int, scale: int) -> Encoder:
    def encode(value: Decimal) -> bytes:
        sign, digits, exponent = value.as_tuple()
        if not isinstance(exponent, int):
            raise TypeMismatchError(f"expected a finite Decimal, found {value}")
        if value and value.adjusted() + 1 > precision - scale:
            raise TypeMismatchError(
                f"{value} has more than {precision - scale} digits before the decimal point, with precision {precision} "
                f"and scale {scale}; raise option avro.decimal.precision, or max_digits of the field"
            )
        if not value:
            return b"\x00"
        unscaled, rest, shift = int("".join(map(str, digits))), 0, exponent + scale
        if shift >= 0:
            unscaled *= 10**shift
        elif -shift > len(digits):
            rest = unscaled
        else:
            unscaled, rest = divmod(unscaled, 10**-shift)
        if rest:
            raise TypeMismatchError(
                f"{value} has more than {scale} digits after the decimal point; round it, or raise option avro.decimal.scale, or "
                "decimal_places of the field"
            )
        unscaled = -unscaled if sign else unscaled
        return unscaled.to_bytes((unscaled.bit_length() + 8) // 8, "big", signed=True)

    return encode


def _decimal_decoder(scale: int) -> Callable[[bytes], Decimal]:
    def decode(datum: bytes) -> Decimal:
        if len(datum) > _MAX_DECIMAL_BYTES:
            raise TypeMismatchError(f"a decimal of {len(datum)} bytes is longer than the limit of {_MAX_DECIMAL_BYTES}")
        return Decimal(int.from_bytes(datum, "big", signed=True)).scaleb(-scale, _EXACT)

    return decode


def _select_date_encoder(kind: type) -> Encoder | None:
    if issubclass(kind, date) and not issubclass(kind, datetime):
        return lambda value: value.toordinal() - _EPOCH_DAY
    raise TypeMismatchError("expected date")


def _timestamp_micros(value: datetime) -> int:
    if value.tzinfo is None:
        raise TypeMismatchError(f"datetime {value.isoformat()} has no time zone")
    delta = value - _EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def _timestamp_millis(value: datetime) -> int:
    millis, rest = divmod(_timestamp_micros(value), 1_000)
    if rest:
        raise TypeMismatchError(
            f"datetime {value.isoformat()} has microseconds; round it, or set option avro.timestamps to micros"
        )
    return millis


def _time_micros(value: time) -> int:
    if value.tzinfo is not None:
        raise TypeMismatchError(f"time {value.isoformat()} has a time zone, which Avro's time-micros does not support")
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond


def _time_of_micros(micros: int) -> time:
    since_midnight = timedelta(microseconds=micros)
    if not timedelta(0) <= since_midnight < _DAY:
        raise TypeMismatchError(f"{micros} microseconds after midnight are not a time of day")
    return (_EPOCH + since_midnight).time()


def _uuid_of_bytes(datum: bytes) -> UUID:
    return UUID(bytes=datum)


def _duration_micros(value: timedelta) -> int:
    return value // _MICROSECOND


def _duration_of_fixed(datum: bytes) -> timedelta:
    """Return Avro's duration: months, days and milliseconds, each an unsigned integer of 4 bytes, little-endian."""
    months, days, millis = struct.unpack("<III", datum)
    if months:
        raise TypeMismatchError(f"a duration with {months} months has no length in days")
    return timedelta(days=days, milliseconds=millis)


_SELECTORS: Mapping[str, EncoderSelector] = {
    "timestamp-millis": for_instances(datetime, _timestamp_millis),
    "timestamp-micros": for_instances(datetime, _timestamp_micros),
    "time-micros": for_instances(time, _time_micros),
    "uuid": for_instances(UUID, str),
    "date": _select_date_encoder,
    "duration-micros": for_instances(timedelta, _duration_micros),
}

_DECODERS: Mapping[tuple[type, str | None], Callable[[Any], Any]] = {
    (datetime, "timestamp-millis"): lambda datum: _EPOCH + timedelta(milliseconds=datum),
    (datetime, "timestamp-micros"): lambda datum: _EPOCH + timedelta(microseconds=datum),
    (date, "date"): lambda datum: date.fromordinal(datum + _EPOCH_DAY),
    (time, "time-millis"): lambda datum: _time_of_micros(datum * 1_000),
    (time, "time-micros"): _time_of_micros,
    (timedelta, "duration-micros"): lambda datum: timedelta(microseconds=datum),
    (timedelta, "duration"): _duration_of_fixed,
}
