"""The Avro schema of a Python type: the same for the same type, in every process."""

import json
from collections.abc import Callable
from functools import singledispatchmethod
from typing import Any

from eddyline.adapters.avro.avro_types import (
    MAP_ENTRY,
    ArrayType,
    AvroType,
    EntriesType,
    EnumType,
    LiteralType,
    LogicalType,
    MapType,
    PrimitiveType,
    RecordField,
    RecordType,
    UnionType,
    UntypedType,
)
from eddyline.adapters.avro.errors import AvroSchemaError
from eddyline.adapters.avro.field_defaults import MISSING, default_of
from eddyline.adapters.avro.options import AvroOptions
from eddyline.adapters.avro.type_mapping import avro_type_of
from eddyline.application.topology.types import Names


def schema_for(hint: object, options: AvroOptions | None = None, names: Names = "as-declared") -> Any:
    """Return the Avro schema of a Python type, as `json.loads` would return it.

    Fields have the defaults of the dataclass, unless a schema cannot express them: infinite numbers, and the values of a
    `default_factory` that is not a class, since a function may return another value each time.

    Raises:
        AvroSchemaError: Avro cannot represent the type.
    """
    return schema_of(avro_type_of(hint, options or AvroOptions(), names))


def schema_text(avro_type: AvroType) -> str:
    """Return the schema of an Avro type as the text that is registered."""
    return json.dumps(schema_of(avro_type), separators=(",", ":"))


def schema_of(avro_type: AvroType) -> Any:
    """Return the schema of an Avro type."""
    return _SchemaBuilder().build(avro_type)


class _SchemaBuilder:
    """A builder of one schema, in which a named type is defined where it first occurs."""

    def __init__(self) -> None:
        self._defined: set[str] = set()

    @singledispatchmethod
    def build(self, avro_type: AvroType) -> Any:
        raise AvroSchemaError(f"there is no schema for {avro_type}")

    @build.register
    def _(self, avro_type: UntypedType) -> Any:
        array, values = {"type": "array", "items": avro_type.name}, {"type": "map", "values": avro_type.name}
        branches = ["null", "boolean", "long", "double", "string", array, values]
        return self._named(avro_type, lambda: {**_record(avro_type.name), "fields": [{"name": "value", "type": branches}]})

    @build.register
    def _(self, avro_type: PrimitiveType) -> Any:
        return avro_type.avro

    @build.register
    def _(self, avro_type: LogicalType) -> Any:
        return {"type": avro_type.avro, **avro_type.properties}

    @build.register
    def _(self, avro_type: LiteralType) -> Any:
        return avro_type.base.avro

    @build.register
    def _(self, avro_type: ArrayType) -> Any:
        return {"type": "array", "items": self.build(avro_type.items)}

    @build.register
    def _(self, avro_type: MapType) -> Any:
        return {"type": "map", "values": self.build(avro_type.values)}

    @build.register
    def _(self, avro_type: EntriesType) -> Any:
        parts = (("key", avro_type.keys), ("value", avro_type.values))
        mark = {"connect.internal.type": MAP_ENTRY}
        items = self._named(
            avro_type,
            lambda: {**_record(avro_type.name), "fields": [{"name": name, "type": self.build(to)} for name, to in parts], **mark},
        )
        return {"type": "array", "items": items}

    @build.register
    def _(self, avro_type: UnionType) -> Any:
        return self._union(avro_type, None)

    @build.register
    def _(self, avro_type: EnumType) -> Any:
        default = {} if avro_type.default is None else {"default": avro_type.default}
        return self._named(
            avro_type, lambda: {"type": "enum", **_names(avro_type.name), "symbols": list(avro_type.symbols), **default}
        )

    @build.register
    def _(self, avro_type: RecordType) -> Any:
        return self._named(
            avro_type, lambda: {**_record(avro_type.name), "fields": [self._field(entry) for entry in avro_type.written]}
        )

    def _named(self, avro_type: EntriesType | EnumType | RecordType | UntypedType, define: Callable[[], Any]) -> Any:
        if avro_type.name in self._defined:
            return avro_type.name
        self._defined.add(avro_type.name)
        return define()

    def _field(self, entry: RecordField) -> Any:
        branch, default = default_of(entry)
        schema = self._union(entry.type, branch) if isinstance(entry.type, UnionType) else self.build(entry.type)
        return {"name": entry.name, "type": schema, **({} if default is MISSING else {"default": default})}

    def _union(self, union: UnionType, first: AvroType | None) -> list[Any]:
        return [self.build(branch) for branch in union.ordered(first)]


def _record(full_name: str) -> dict[str, str]:
    return {"type": "record", **_names(full_name)}


def _names(full_name: str) -> dict[str, str]:
    namespace, _, name = full_name.rpartition(".")
    return {"name": name, "namespace": namespace} if namespace else {"name": name}
