"""A schema that somebody else wrote, made ready for reading: checked, its names resolved, its dangers known."""

import io
import json
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import fastavro
from fastavro import _read_py as careful  # the same reader in Python: it raises where the compiled one overflows the stack
from fastavro.schema import SchemaParseException, UnknownType

FromBytes: TypeAlias = Callable[[bytes, int], Any]
"""Gives the value that begins at an offset and ends with the bytes."""

NAMED: Final = ("record", "error", "enum", "fixed")


class BadSchemaError(ValueError):
    """A schema cannot be used for reading; the message says why."""


class WriterSchema:
    """The schema with which values were written.

    `root` is the schema with full names and `named` its named types. Raises BadSchemaError for what is no Avro schema and for
    a schema whose arrays can be longer than the bytes that hold them.
    """

    def __init__(self, text: str, references: tuple[str, ...] = ()) -> None:
        """`references` are the texts of schemas that it refers to, each after those that it needs itself."""
        self.named: dict[str, Any] = {}
        bare: dict[str, Any] = {}
        try:
            for reference in references:
                fastavro.parse_schema(json.loads(reference), named_schemas=self.named)
                fastavro.parse_schema(_without_logical_types(json.loads(reference)), named_schemas=bare)
            source = json.loads(text)
            self.root: Any = fastavro.parse_schema(source, named_schemas=self.named)
            self._bare: Any = fastavro.parse_schema(_without_logical_types(source), named_schemas=bare)
        except (SchemaParseException, UnknownType, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise BadSchemaError(" ".join(f"it is no Avro schema: {type(error).__name__}: {error}".split())) from error
        walk = _Walk(self.named)
        walk.visit(self.root)
        if walk.endless:
            raise BadSchemaError(
                f"it has {walk.endless} whose items take no bytes, so a few bytes could stand for any number of them"
            )
        self._read = careful.schemaless_reader if walk.recursive else fastavro.schemaless_reader

    def resolve(self, schema: Any) -> Any:
        """The schema itself where `schema` is the name of one."""
        while True:
            if isinstance(schema, str) and schema in self.named:
                schema = self.named[schema]
            elif isinstance(schema, dict) and isinstance(schema["type"], (dict, list)):
                schema = schema["type"]
            else:
                return schema

    def reader(self) -> FromBytes:
        """Reads the value that begins at an offset and ends with the bytes; logical types stay as they are kept.

        In a union, a record, enum or fixed comes as a pair of its full name and its value.
        """
        read, schema = self._read, self._bare

        def from_bytes(data: bytes, offset: int) -> Any:
            stream = io.BytesIO(data)
            stream.seek(offset)
            value = read(stream, schema, None, return_named_type=True)
            return value if stream.tell() == len(data) else _trailing(stream, data)

        return from_bytes


def _trailing(stream: io.BytesIO, data: bytes) -> Any:
    raise ValueError(f"{len(data) - stream.tell()} bytes are left after the value")


def type_of(schema: Any) -> str:
    """The Avro type of a resolved schema that is no union."""
    return str(schema["type"]) if isinstance(schema, dict) else str(schema)


def _without_logical_types(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_logical_types(item) for item in schema]
    if isinstance(schema, Mapping):
        return {name: _without_logical_types(value) for name, value in schema.items() if name != "logicalType"}
    return schema


class _Walk:
    """Looks for what makes reading dangerous: types that hold themselves, and items without bytes."""

    def __init__(self, named: Mapping[str, Any]) -> None:
        self._named = named
        self._open: set[str] = set()
        self._done: set[str] = set()
        self.recursive = False
        self.endless: str | None = None

    def visit(self, schema: Any) -> None:
        if isinstance(schema, str):
            if schema in self._named:
                self._enter(schema, self._named[schema])
        elif isinstance(schema, list):
            for branch in schema:
                self.visit(branch)
        elif isinstance(schema["type"], (dict, list)):
            self.visit(schema["type"])
        elif schema["type"] in ("record", "error"):
            self._enter(schema["name"], schema)
        elif schema["type"] == "array":
            if self._empty(schema["items"]):
                self.endless = "an array"
            self.visit(schema["items"])
        elif schema["type"] == "map":
            self.visit(schema["values"])

    def _enter(self, name: str, schema: Any) -> None:
        if name in self._open:
            self.recursive = True
        if name in self._open or name in self._done or type_of(schema) not in ("record", "error"):
            return
        self._open.add(name)
        for field in schema["fields"]:
            self.visit(field["type"])
        self._open.discard(name)
        self._done.add(name)

    def _empty(self, schema: Any, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a value of the schema takes no bytes."""
        if isinstance(schema, str):
            return schema == "null" or (schema in self._named and self._empty(self._named[schema], seen))
        if isinstance(schema, list):
            return False
        kind = schema["type"]
        if isinstance(kind, (dict, list)):
            return self._empty(kind, seen)
        if kind == "fixed":
            return bool(schema["size"] == 0)
        if kind in ("record", "error"):
            name = schema["name"]
            return name not in seen and all(self._empty(field["type"], seen | {name}) for field in schema["fields"])
        return bool(kind == "null")
