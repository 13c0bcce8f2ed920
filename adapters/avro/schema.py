"""The Avro schema of a Python type: a pure function, the same dict for the same type whatever ran before."""

import dataclasses
import json
import math
from collections.abc import Callable
from functools import singledispatchmethod
from typing import Any, Final

from eddyline.adapters.avro.hints import shape_of
from eddyline.adapters.avro.misfit import MisfitError
from eddyline.adapters.avro.options import AvroOptions
from eddyline.adapters.avro.shapes import (
    NULL,
    Anything,
    Array,
    AvroSchemaError,
    Choice,
    Dictionary,
    Enumeration,
    Logical,
    Primitive,
    Record,
    RecordField,
    Shape,
    Union,
    branch_name,
)
from eddyline.adapters.avro.writing import writer_of

_MISSING: Final = object()


def schema_for(hint: object, options: AvroOptions | None = None) -> Any:
    """The Avro schema of values of the type `hint`, as `json` would load it.

    A field of a dataclass that has a default has it in the schema too, where Avro can say it: not an infinite number, and of
    factories only classes (`list`, `dict`, a dataclass), since a function may give something else each time.
    Raises AvroSchemaError for a type that Avro cannot hold.
    """
    return schema_of(shape_of(hint, options or AvroOptions()))


def schema_text(shape: Shape) -> str:
    """The schema of the shape as the text that is registered."""
    return json.dumps(schema_of(shape), separators=(",", ":"))


def schema_of(shape: Shape) -> Any:
    """The schema of the shape."""
    return _Schema().of(shape)


class _Schema:
    """Builds one schema; a named type is spelled out where it occurs first."""

    def __init__(self) -> None:
        self._defined: set[str] = set()

    @singledispatchmethod
    def of(self, shape: Shape) -> Any:
        """The schema of the shape."""
        raise AvroSchemaError(f"{shape} has no schema")

    @of.register
    def _(self, shape: Anything) -> Any:
        items = {"type": "array", "items": shape.name}
        forms = ["null", "boolean", "long", "double", "string", items, {"type": "map", "values": shape.name}]
        return self._once(
            shape, lambda: {"type": "record", **_qualified(shape.name), "fields": [{"name": "value", "type": forms}]}
        )

    @of.register
    def _(self, shape: Primitive) -> Any:
        return shape.avro

    @of.register
    def _(self, shape: Logical) -> Any:
        return {"type": shape.avro, **shape.properties}

    @of.register
    def _(self, shape: Choice) -> Any:
        return shape.base.avro

    @of.register
    def _(self, shape: Array) -> Any:
        return {"type": "array", "items": self.of(shape.items)}

    @of.register
    def _(self, shape: Dictionary) -> Any:
        return {"type": "map", "values": self.of(shape.values)}

    @of.register
    def _(self, shape: Union) -> Any:
        return [self.of(branch) for branch in _ordered(shape, None)]

    @of.register
    def _(self, shape: Enumeration) -> Any:
        default = {} if shape.default is None else {"default": shape.default}
        return self._once(shape, lambda: {"type": "enum", **_qualified(shape.name), "symbols": list(shape.symbols), **default})

    @of.register
    def _(self, shape: Record) -> Any:
        return self._once(
            shape, lambda: {"type": "record", **_qualified(shape.name), "fields": [self._field(entry) for entry in shape.fields]}
        )

    def _once(self, shape: Enumeration | Record | Anything, define: Callable[[], Any]) -> Any:
        if shape.name in self._defined:
            return shape.name
        self._defined.add(shape.name)
        return define()

    def _field(self, entry: RecordField) -> Any:
        first, default = _default(entry)
        if isinstance(entry.shape, Union):
            schema = [self.of(branch) for branch in _ordered(entry.shape, first)]
        else:
            schema = self.of(entry.shape)
        return {"name": entry.name, "type": schema, **({} if default is _MISSING else {"default": default})}


def _qualified(full_name: str) -> dict[str, str]:
    namespace, _, name = full_name.rpartition(".")
    return {"name": name, "namespace": namespace} if namespace else {"name": name}


def _ordered(shape: Union, first: Shape | None) -> tuple[Shape, ...]:
    """The branches in the order in which they are written: the default's first, else null first, else as declared."""
    leader = first or next((branch for branch in shape.branches if branch_name(branch) == NULL.avro), None)
    if leader is None:
        return shape.branches
    return (leader, *(branch for branch in shape.branches if branch is not leader))


def _default(entry: RecordField) -> tuple[Shape | None, Any]:
    """The branch that the field's default is of (for a union) and the default as JSON, or _MISSING."""
    if entry.default is not dataclasses.MISSING:
        value = entry.default
    elif isinstance(entry.default_factory, type):
        value = entry.default_factory()
    else:
        return None, _MISSING
    try:
        datum = writer_of(entry.shape)(value)
    except MisfitError as error:
        raise AvroSchemaError(f"{entry.attribute}: its default {value!r} is not of its type: {error}") from error
    if not isinstance(entry.shape, Union):
        return None, _as_json(datum, entry.shape)
    branch, datum = _branch(entry.shape, datum)
    return branch, _as_json(datum, branch)


def _branch(shape: Union, datum: Any) -> tuple[Shape, Any]:
    if datum is None:
        return NULL, None
    name, inner = datum
    return next(branch for branch in shape.branches if branch_name(branch) == name), inner


def _as_json(datum: Any, shape: Shape) -> Any:
    """The datum as a default in a schema; _MISSING where a schema cannot say it."""
    match shape:
        case Array():
            return _whole([_as_json(item, shape.items) for item in datum])
        case Dictionary():
            return _whole({name: _as_json(value, shape.values) for name, value in datum.items()})
        case Record():
            return _whole({entry.name: _as_json(datum[entry.name], entry.shape) for entry in shape.fields})
        case Anything():
            return datum if datum["value"] is None else _MISSING
        case Union():
            branch, inner = _branch(shape, datum)
            return _as_json(inner, branch) if branch is _ordered(shape, None)[0] else _MISSING
        case _:
            return _single_as_json(datum)


def _single_as_json(datum: Any) -> Any:
    if isinstance(datum, bytes):
        return datum.decode("latin-1")
    return _MISSING if isinstance(datum, float) and not math.isfinite(datum) else datum


def _whole(items: Any) -> Any:
    values = items.values() if isinstance(items, dict) else items
    return _MISSING if any(value is _MISSING for value in values) else items
