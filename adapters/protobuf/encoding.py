"""Fills messages of Protobuf with values of Python."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from google.protobuf.message import Message

from eddyline.adapters.codecs.errors import expected_found, in_one_line, shortened
from eddyline.adapters.protobuf.errors import ProtobufValueError
from eddyline.adapters.protobuf.message_types import TIMES, EnumType, ListType, MapType, MessageType, ScalarType, SingleType

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND: Final = timedelta(microseconds=1)
_AS_TEXT: Final[Mapping[type, Callable[[Any], str]]] = {Decimal: str, UUID: str, date: date.isoformat, time: time.isoformat}
_MIN_INT64: Final = -(2**63)
_MAX_INT64: Final = 2**63 - 1


def fill(message: Message, kind: MessageType, value: Any) -> None:
    """Fill a new message with a value.

    Raises:
        ProtobufValueError: the value is not of the type.
    """
    if type(value) is not kind.python:  # a subclass would come back as its base
        raise ProtobufValueError(expected_found(kind.python.__name__, value))
    for field in kind.written:
        item = getattr(value, field.naming.attribute)
        if item is None and field.is_optional:
            continue
        try:
            _set(message, field.naming.written, field.type, item)
        except ProtobufValueError as error:
            raise error.within(f".{field.naming.attribute}") from None


def _set(message: Message, name: str, kind: SingleType | ListType | MapType, value: Any) -> None:
    if isinstance(kind, ListType):
        _extend(getattr(message, name), kind, value)
    elif isinstance(kind, MapType):
        _update(getattr(message, name), kind, value)
    elif _is_message(kind):
        part = getattr(message, name)
        part.SetInParent()
        _fill_single(part, kind, value)
    else:
        setattr(message, name, _scalar(kind, value))


def _extend(repeated: Any, kind: ListType, value: Any) -> None:
    if not isinstance(value, (set, frozenset) if kind.python in (set, frozenset) else kind.python):
        raise ProtobufValueError(expected_found(kind.python.__name__, value))
    items: Any = value
    for index, item in enumerate(items):
        try:
            _fill_single(repeated.add(), kind.item, item) if _is_message(kind.item) else repeated.append(_scalar(kind.item, item))
        except ProtobufValueError as error:
            raise error.within(f"[{index}]") from None
    if kind.python in (set, frozenset):  # which have another order in each process
        repeated.sort(key=_serialized if _is_message(kind.item) else None)


def _serialized(message: Message) -> bytes:
    return message.SerializeToString(deterministic=True)


def _update(entries: Any, kind: MapType, value: Any) -> None:
    if not isinstance(value, Mapping):
        raise ProtobufValueError(expected_found("dict", value))
    for key, item in value.items():
        try:
            if _is_message(kind.value):
                _fill_single(entries[_scalar(kind.key, key)], kind.value, item)
            else:
                entries[_scalar(kind.key, key)] = _scalar(kind.value, item)
        except ProtobufValueError as error:
            raise error.within(f"[{shortened(key)}]") from None


def _is_message(kind: SingleType) -> bool:
    return isinstance(kind, MessageType) or (isinstance(kind, ScalarType) and kind.python in TIMES)


def _fill_single(message: Any, kind: SingleType, value: Any) -> None:
    """Fill the message of a dataclass or of a time."""
    if isinstance(kind, MessageType):
        fill(message, kind, value)
        return
    if not isinstance(value, (datetime, timedelta)) or not isinstance(value, kind.python):
        raise ProtobufValueError(expected_found(kind.python.__name__, value))
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ProtobufValueError(f"datetime {value.isoformat()} has no time zone")
        seconds, micros = divmod((value - EPOCH) // MICROSECOND, 1_000_000)
    else:
        total = value // MICROSECOND
        sign = -1 if total < 0 else 1
        seconds, micros = (sign * part for part in divmod(abs(total), 1_000_000))
    message.seconds, message.nanos = seconds, micros * 1_000


def _scalar(kind: SingleType, value: Any) -> Any:
    """Return a scalar of Protobuf."""
    python: Any = kind.python
    if python is float and type(value) is int:
        value = _as_float(value)
    is_other = (isinstance(value, bool) and python is int) or (isinstance(value, datetime) and python is date)
    if is_other or not isinstance(value, python):
        raise ProtobufValueError(expected_found(python.__name__, value))
    if isinstance(kind, EnumType):
        return kind.numbers[kind.names[value]]
    if python is int and not _MIN_INT64 <= value <= _MAX_INT64:
        raise ProtobufValueError(f"{shortened(value)} does not fit into the 64 bits of an int64")
    if python in (str, bytes, int, float, bool):
        return _checked_text(value) if python is str else value
    return _AS_TEXT[python](value)


def _as_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError as error:
        raise ProtobufValueError(in_one_line(error)) from error


def _checked_text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ProtobufValueError(f"{shortened(value)} has a lone surrogate, which UTF-8 cannot encode") from None
    return value
