"""The default of a field in a schema."""

import dataclasses
import math
from typing import Any, Final

from eddyline.adapters.avro.avro_types import (
    NULL,
    ArrayType,
    AvroType,
    EntriesType,
    MapType,
    RecordField,
    RecordType,
    UnionType,
    UntypedType,
    branch_name,
)
from eddyline.adapters.avro.encoding import encoder_of
from eddyline.adapters.avro.errors import AvroSchemaError, TypeMismatchError

MISSING: Final = object()
"""Stands for a default that a field does not have, or that a schema cannot express."""


def default_of(entry: RecordField) -> tuple[AvroType | None, Any]:
    """Return the branch of the default of a field, None unless the field is a union, and the default as JSON, or MISSING.

    Raises:
        AvroSchemaError: the default is not of the field's type.
    """
    if entry.default is not dataclasses.MISSING:
        value = entry.default
    elif isinstance(entry.default_factory, type):
        value = entry.default_factory()
    else:
        return None, MISSING
    try:
        datum = encoder_of(entry.type)(value)
    except TypeMismatchError as error:
        raise AvroSchemaError(f"field '{entry.attribute}': its default is not of its type: {error}") from error
    if not isinstance(entry.type, UnionType):
        return None, _as_json(datum, entry.type)
    branch, datum = _branch(entry.type, datum)
    return branch, _as_json(datum, branch)


def _branch(union: UnionType, datum: Any) -> tuple[AvroType, Any]:
    if datum is None:
        return NULL, None
    name, inner = datum
    return next(branch for branch in union.branches if branch_name(branch) == name), inner


def _as_json(datum: Any, avro_type: AvroType) -> Any:
    """Return a datum as the JSON of a default, or MISSING if a schema cannot express it."""
    match avro_type:
        case ArrayType() | EntriesType():
            return _all_or_missing([_item_as_json(item, avro_type) for item in datum])
        case MapType():
            return _all_or_missing({name: _as_json(value, avro_type.values) for name, value in datum.items()})
        case RecordType():
            return _all_or_missing({entry.name: _as_json(datum[entry.name], entry.type) for entry in avro_type.written})
        case UntypedType():
            return datum if datum["value"] is None else MISSING
        case UnionType():
            branch, inner = _branch(avro_type, datum)
            return _as_json(inner, branch) if branch is avro_type.ordered()[0] else MISSING
        case _:
            return _scalar_as_json(datum)


def _item_as_json(item: Any, array: ArrayType | EntriesType) -> Any:
    if isinstance(array, ArrayType):
        return _as_json(item, array.items)
    return _all_or_missing({"key": _as_json(item["key"], array.keys), "value": _as_json(item["value"], array.values)})


def _scalar_as_json(datum: Any) -> Any:
    if isinstance(datum, bytes):
        return datum.decode("latin-1")
    return MISSING if isinstance(datum, float) and not math.isfinite(datum) else datum


def _all_or_missing(items: Any) -> Any:
    values = items.values() if isinstance(items, dict) else items
    return MISSING if any(value is MISSING for value in values) else items
