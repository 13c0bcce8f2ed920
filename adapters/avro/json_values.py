"""Encodes values as they are in JSON with any Avro schema, without a Python type."""

import base64
import binascii
import io
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import fastavro
from fastavro.schema import UnknownType
from fastavro.validation import validate

from eddyline.adapters.avro.schema_inspection import RECORDS
from eddyline.adapters.avro.writer_schema import WriterSchema, type_of
from eddyline.adapters.codecs.errors import in_one_line
from eddyline.application.ports.codec import CodecError

_ERRORS = (ValueError, TypeError, LookupError, OverflowError, RecursionError, InvalidOperation, AttributeError)

_BITS = {"int": 31, "long": 63}


class JsonValueEncoder:
    """Encodes parsed JSON: bytes are base64, decimals numbers or strings, dates and timestamps ISO 8601 or numbers.

    Args:
        schema: The Avro schema.
        references: Names and texts of the schemas that it refers to, each after those that it refers to itself.

    Raises:
        InvalidSchemaError: The schema is invalid.
    """

    def __init__(self, schema: str, references: tuple[tuple[str, str], ...] = ()) -> None:
        self._schema = WriterSchema(schema, references)
        root = self._schema.resolve(self._schema.root)
        self.is_text = not isinstance(root, list) and type_of(root) == "string"
        self.record_name = root["name"] if isinstance(root, Mapping) and type_of(root) in RECORDS else None

    def encode(self, value: Any, prefix: bytes) -> bytes:
        """Return the prefix followed by the encoded value. Raises CodecError if it is not one of the schema."""
        stream = io.BytesIO()
        stream.write(prefix)
        try:
            datum = self._datum(self._schema.root, value)
            fastavro.schemaless_writer(stream, self._schema.root, datum, strict_allow_default=True)
        except _ERRORS as error:
            raise CodecError(f"the value does not match the Avro schema: {in_one_line(error)}") from error
        return stream.getvalue()

    def _datum(self, schema: Any, value: Any) -> Any:
        schema = self._schema.resolve(schema)
        if isinstance(schema, list):
            return self._of_union(schema, value)
        kind = type_of(schema)
        logical = schema.get("logicalType") if isinstance(schema, Mapping) else None
        if kind in RECORDS and isinstance(value, Mapping):
            types = {field["name"]: field["type"] for field in schema["fields"]}
            return {name: self._datum(types[name], item) if name in types else item for name, item in value.items()}
        if kind == "array" and isinstance(value, list):
            return [self._datum(schema["items"], item) for item in value]
        if kind == "map" and isinstance(value, Mapping):
            return {name: self._datum(schema["values"], item) for name, item in value.items()}
        if kind in _BITS and isinstance(value, int) and not -(1 << _BITS[kind]) <= value < 1 << _BITS[kind]:
            raise ValueError(f"{value} does not fit into {kind}")
        if logical is not None:
            return _logical(logical, value)
        return _bytes(value) if kind in ("bytes", "fixed") and isinstance(value, str) else value

    def _of_union(self, branches: list[Any], value: Any) -> Any:
        others = [branch for branch in branches if branch != "null"]
        if value is None or not others:
            return value
        for branch in others[:-1]:
            try:
                datum = self._datum(branch, value)
                if validate(datum, self._schema.resolve(branch), raise_errors=False):
                    return datum
            except (*_ERRORS, UnknownType):
                continue
        return self._datum(others[-1], value)


def _logical(logical: str, value: Any) -> Any:
    if logical == "decimal" and isinstance(value, str | int | float):
        return Decimal(str(value))
    if logical == "date" and isinstance(value, str):
        return date.fromisoformat(value)
    if "timestamp" in logical and isinstance(value, str):
        moment = datetime.fromisoformat(value)
        return moment if moment.tzinfo or logical.startswith("local") else moment.replace(tzinfo=UTC)
    return value


def _bytes(value: str) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except binascii.Error as error:
        raise ValueError(f"bytes must be base64: {error}") from error
