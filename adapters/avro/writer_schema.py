"""A writer's schema: parsed, with its references resolved, and checked before it is used for decoding."""

import io
import json
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import fastavro
from fastavro import _read_py as python_reader  # raises RecursionError where the compiled reader overflows the C stack
from fastavro.schema import SchemaParseException, UnknownType

from eddyline.adapters.avro.errors import InvalidSchemaError, in_one_line

ReadDatum: TypeAlias = Callable[[bytes, int], Any]
"""Reads the datum that begins at an offset and ends with the data."""

NAMED_TYPES: Final = ("record", "error", "enum", "fixed")
RECORDS: Final = ("record", "error")


class WriterSchema:
    """A writer's schema: `root` is the schema with full names, `named` has its named types.

    Args:
        text: the schema.
        references: the schemas that it refers to, each after those that it refers to itself.

    Raises:
        InvalidSchemaError: the schema is invalid, or has arrays whose items take no bytes.
    """

    def __init__(self, text: str, references: tuple[str, ...] = ()) -> None:
        self.named: dict[str, Any] = {}
        named_without_logical_types: dict[str, Any] = {}
        try:
            for reference in references:
                fastavro.parse_schema(json.loads(reference), named_schemas=self.named)
                fastavro.parse_schema(_without_logical_types(json.loads(reference)), named_schemas=named_without_logical_types)
            source = json.loads(text)
            self.root: Any = fastavro.parse_schema(source, named_schemas=self.named)
            self._without_logical_types: Any = fastavro.parse_schema(
                _without_logical_types(source), named_schemas=named_without_logical_types
            )
        except (SchemaParseException, UnknownType, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise InvalidSchemaError(f"invalid Avro schema: {in_one_line(error)}") from error
        inspection = _Inspection(self.named)
        inspection.visit(self.root)
        if inspection.has_empty_items:
            raise InvalidSchemaError(
                "the schema has an array whose items take no bytes, so that a few bytes could hold any number of items"
            )
        self._read = python_reader.schemaless_reader if inspection.is_recursive else fastavro.schemaless_reader

    def resolve(self, schema: Any) -> Any:
        """Return the definition of a schema that is the name of a type, else the schema itself."""
        while True:
            if isinstance(schema, str) and schema in self.named:
                schema = self.named[schema]
            elif isinstance(schema, dict) and isinstance(schema["type"], (dict, list)):
                schema = schema["type"]
            else:
                return schema

    def datum_reader(self) -> ReadDatum:
        """Return the reader of a datum, which has the underlying types of logical types.

        A record, enum or fixed in a union is read as a pair of its full name and its datum.
        """
        read, schema = self._read, self._without_logical_types

        def read_datum(data: bytes, offset: int) -> Any:
            stream = io.BytesIO(data)
            stream.seek(offset)
            datum = read(stream, schema, None, return_named_type=True)
            return datum if stream.tell() == len(data) else _excess_bytes(stream, data)

        return read_datum


def type_of(schema: Any) -> str:
    """Return the Avro type of a resolved schema that is not a union."""
    return str(schema["type"]) if isinstance(schema, dict) else str(schema)


def mismatch(schema: Any, expected: str) -> str:
    """Return the reason why a writer's schema does not match an expected type."""
    kind = type_of(schema)
    logical = f" ({schema['logicalType']})" if isinstance(schema, dict) and "logicalType" in schema else ""
    named = f" {schema['name']}" if kind in NAMED_TYPES else ""
    return f"expected {expected}, found {kind}{named}{logical} in the writer's schema"


def _excess_bytes(stream: io.BytesIO, data: bytes) -> Any:
    raise ValueError(f"{len(data) - stream.tell()} bytes are left after the value")


def _without_logical_types(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_logical_types(item) for item in schema]
    if isinstance(schema, Mapping):
        return {name: _without_logical_types(value) for name, value in schema.items() if name != "logicalType"}
    return schema


class _Inspection:
    """An inspection of a schema for records that refer to themselves, and for array items that take no bytes."""

    def __init__(self, named: Mapping[str, Any]) -> None:
        self._named = named
        self._open: set[str] = set()
        self._done: set[str] = set()
        self.is_recursive = False
        self.has_empty_items = False

    def visit(self, schema: Any) -> None:
        if isinstance(schema, str):
            if schema in self._named:
                self._visit_named(schema, self._named[schema])
        elif isinstance(schema, list):
            for branch in schema:
                self.visit(branch)
        elif isinstance(schema["type"], (dict, list)):
            self.visit(schema["type"])
        elif schema["type"] in RECORDS:
            self._visit_named(schema["name"], schema)
        elif schema["type"] == "array":
            self.has_empty_items = self.has_empty_items or self._is_empty(schema["items"])
            self.visit(schema["items"])
        elif schema["type"] == "map":
            self.visit(schema["values"])

    def _visit_named(self, name: str, schema: Any) -> None:
        if name in self._open:
            self.is_recursive = True
        if name in self._open or name in self._done or type_of(schema) not in RECORDS:
            return
        self._open.add(name)
        for field in schema["fields"]:
            self.visit(field["type"])
        self._open.discard(name)
        self._done.add(name)

    def _is_empty(self, schema: Any, seen: frozenset[str] = frozenset()) -> bool:
        """Return whether data of a schema takes no bytes."""
        if isinstance(schema, str):
            return schema == "null" or (schema in self._named and self._is_empty(self._named[schema], seen))
        if isinstance(schema, list):
            return False
        kind = schema["type"]
        if isinstance(kind, (dict, list)):
            return self._is_empty(kind, seen)
        if kind == "fixed":
            return bool(schema["size"] == 0)
        if kind in RECORDS:
            name = schema["name"]
            return name not in seen and all(self._is_empty(field["type"], seen | {name}) for field in schema["fields"])
        return bool(kind == "null")
