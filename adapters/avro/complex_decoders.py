"""Decoders of arrays, maps and records, whose errors have the path of the element or field."""

from collections.abc import Callable
from operator import itemgetter
from typing import Any, Final

from eddyline.adapters.avro.avro_types import RecordField, RecordType
from eddyline.adapters.avro.errors import TypeMismatchError
from eddyline.adapters.avro.paths import index_path, key_path
from eddyline.adapters.avro.promotion import Decoder
from eddyline.adapters.avro.record_kinds import creator
from eddyline.adapters.codecs.errors import described, in_one_line

INVALID_VALUE: Final = (ValueError, TypeError, ArithmeticError, AssertionError)
"""The errors that decoders, and the checks of a dataclass itself, raise for an invalid value, TypeMismatchError among them."""


def array_decoder(decode_item: Decoder | None, python: type) -> Decoder | None:
    """Return the decoder of an array into a list, a tuple or a set; None for a list whose items need no conversion."""
    if decode_item is None:
        return None if python is list else python

    def decode_list(data: list[Any]) -> list[Any]:
        items = iter(data)
        try:
            return [decode_item(item) for item in items]
        except INVALID_VALUE as error:
            raise _at(index_path(data, items), error) from _cause(error)

    return decode_list if python is list else lambda data: python(decode_list(data))


def map_decoder(decode_item: Decoder | None) -> Decoder | None:
    """Return the decoder of a map into a dict; None if its values need no conversion."""
    if decode_item is None:
        return None

    def decode(data: dict[str, Any]) -> dict[str, Any]:
        items = iter(data.items())
        try:
            return {name: decode_item(item) for name, item in items}
        except INVALID_VALUE as error:
            raise _at(key_path(data, items), error) from _cause(error)

    return decode


def entries_decoder(decode_key: Decoder | None, decode_value: Decoder | None) -> Decoder:
    """Return the decoder of an array of records with the fields key and value into a dict."""

    def decode(data: list[dict[str, Any]]) -> dict[Any, Any]:
        items = iter(data)
        found = {}
        try:
            for item in items:
                key, value = item["key"], item["value"]
                found[key if decode_key is None else decode_key(key)] = value if decode_value is None else decode_value(value)
        except INVALID_VALUE as error:
            raise _at(index_path(data, items), error) from _cause(error)
        return found

    return decode


def record_decoder(
    record: RecordType, present: list[RecordField], decoders: tuple[tuple[int, Decoder], ...]
) -> Callable[[dict[str, Any]], Any]:
    """Return the decoder of a record into its dataclass.

    Args:
        record: the record type of the reader.
        present: its fields that the writer has; the dataclass supplies the defaults of the others.
        decoders: the decoders of some of these fields, by index; the others need no conversion.
    """
    python = record.python
    attributes = tuple(entry.attribute for entry in present)
    create = creator(python, attributes, has_all=len(present) == len(record.fields))
    get = _getter(tuple(entry.name for entry in present))

    def decode(datum: dict[str, Any]) -> Any:
        values = list(get(datum))
        index = 0
        try:
            for index, decoder in decoders:
                values[index] = decoder(values[index])
        except TypeMismatchError as error:
            raise error.within(f".{present[index].name}") from None
        except INVALID_VALUE as error:
            reason = f"cannot decode {described(values[index])}: {in_one_line(error)}"
            raise TypeMismatchError(reason, f".{present[index].name}") from error
        return python(*values) if create is None else create(values)

    if create is None and not decoders:
        return lambda datum: python(*get(datum))
    return decode


def _at(path: str, error: Exception) -> TypeMismatchError:
    if isinstance(error, TypeMismatchError):
        return error.within(path)
    return TypeMismatchError(in_one_line(error), path)


def _cause(error: Exception) -> Exception | None:
    return None if isinstance(error, TypeMismatchError) else error


def _getter(names: tuple[str, ...]) -> Callable[[dict[str, Any]], Any]:
    if len(names) > 1:
        return itemgetter(*names)
    return lambda datum: tuple(datum[name] for name in names)
