"""A writer's schema: parsed, with its references resolved, and checked before it is used for decoding."""

import io
import json
import math
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import fastavro
from fastavro import _read_py as python_reader  # raises RecursionError where the compiled reader overflows the C stack

from eddyline.adapters.avro.avro_types import MAP_ENTRY
from eddyline.adapters.avro.errors import InvalidSchemaError
from eddyline.adapters.avro.schema_inspection import RECORDS, SchemaInspection, check_nesting, too_deep
from eddyline.adapters.codecs.errors import in_one_line

ReadDatum: TypeAlias = Callable[[bytes, int], Any]
"""Reads the datum that begins at an offset and ends with the data."""

_CONNECT_TYPES: Final = {
    "io.debezium.time.Date": "date",
    "io.debezium.time.Time": "time-millis",
    "io.debezium.time.MicroTime": "time-micros",
    "io.debezium.time.Timestamp": "timestamp-millis",
    "io.debezium.time.MicroTimestamp": "timestamp-micros",
    "io.debezium.time.MicroDuration": "duration-micros",
}
"""The logical types that have the meaning of those of Debezium, which are named in an attribute of Kafka Connect."""

IGNORED: Final = "eddyline.ignored"
"""The attribute that takes the place of an invalid logical type."""

NAMED_TYPES: Final = ("record", "error", "enum", "fixed")


class WriterSchema:
    """A writer's schema: `root` is the schema with full names, `named` has its named types.

    Args:
        text: the schema.
        references: names and texts of the schemas that it refers to, each after those that it refers to itself.

    Raises:
        InvalidSchemaError: the schema is invalid, or a few bytes could hold any number of its values.
    """

    def __init__(self, text: str, references: tuple[tuple[str, str], ...] = ()) -> None:
        self.named: dict[str, Any] = {}
        named_without_logical_types: dict[str, Any] = {}
        try:
            *dependencies, source = map(_loaded, (*(found for _, found in references), text))
            for dependency in dependencies:
                _parsed(dependency, self.named)
                _parsed(_without_logical_types(dependency), named_without_logical_types)
            self.root: Any = _parsed(source, self.named)
            plain = _parsed(_without_logical_types(source), named_without_logical_types)
            inspection = SchemaInspection(self.root, self.named)
            self._without_logical_types = with_checked_indexes(plain, named_without_logical_types)
        except RecursionError as error:
            raise too_deep() from error
        except InvalidSchemaError:
            raise
        except Exception as error:  # a schema is data of others: whatever it does to the parser, it is invalid
            raise InvalidSchemaError(f"invalid Avro schema: {in_one_line(error)}") from error
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
    if isinstance(schema, dict) and IGNORED in schema:
        logical = f" ({schema[IGNORED]}, which is invalid and ignored)"
    named = f" {schema['name']}" if kind in NAMED_TYPES else ""
    return f"expected {expected}, found {kind}{named}{logical} in the writer's schema"


def is_map_entry(record: Mapping[str, object]) -> bool:
    """Return whether Kafka Connect has written a record as an entry of a map."""
    return record.get("connect.internal.type") == MAP_ENTRY or record["name"] == f"io.confluent.connect.avro.{MAP_ENTRY}"


def _loaded(text: str) -> Any:
    """Return a schema without any keys that are fastavro's own marks, and with valid logical types."""
    source = json.loads(text, object_pairs_hook=_without_marks)
    check_nesting(source)
    return _with_valid_types(source)


def _parsed(source: Any, named: dict[str, Any]) -> Any:
    """Parse a schema and add its named types to `named`; defaults, which decoding does not use, are not checked."""
    return fastavro.parse_schema(source, named_schemas=named, _ignore_default_error=True)


def _with_valid_types(schema: Any) -> Any:
    """Return a schema without decimals that Avro tells readers to ignore, and with Avro's logical types for those of Debezium."""
    if isinstance(schema, list):
        return [_with_valid_types(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {name: value if name == "default" else _with_valid_types(value) for name, value in schema.items()}
    of_debezium = _CONNECT_TYPES.get(str(schema.get("connect.name")))
    if of_debezium is not None:
        copy.setdefault("logicalType", of_debezium)
    if schema.get("logicalType") == "decimal" and not _is_valid_decimal(schema):
        del copy["logicalType"]
        copy[IGNORED] = f"decimal with precision {schema.get('precision')!r} and scale {schema.get('scale', 0)!r}"
    return copy


def _is_valid_decimal(schema: dict[str, Any]) -> bool:
    precision, scale, size = schema.get("precision"), schema.get("scale", 0), schema.get("size")
    if type(precision) is not int or type(scale) is not int or not 0 <= scale <= precision or precision == 0:
        return False
    return type(size) is not int or precision <= math.floor(math.log10(2) * (8 * size - 1))


def _without_marks(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, value in pairs if not name.startswith("__")}


def _excess_bytes(stream: io.BytesIO, data: bytes) -> Any:
    raise ValueError(f"{len(data) - stream.tell()} bytes are left after the value")


def _without_logical_types(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_logical_types(item) for item in schema]
    if isinstance(schema, Mapping):
        return {name: _without_logical_types(value) for name, value in schema.items() if name != "logicalType"}
    return schema


def with_checked_indexes(root: Any, named: Mapping[str, Any]) -> Any:
    """Return a parsed schema for fastavro's readers, in which branches and symbols are found in a dict.

    The readers look them up with the index in the data. A dict raises KeyError for each index that is not in the schema, at no
    cost of its own. The types in `named` are changed in place.
    """
    for schema in named.values():
        _check_indexes_in(schema)
    checked = _checked(root)
    if isinstance(checked, dict):
        checked |= {"__fastavro_parsed": True, "__named_schemas": named}
    return checked


def _checked(schema: Any) -> Any:
    if isinstance(schema, list):
        return {"type": "union", **{index: _checked(branch) for index, branch in enumerate(schema)}}
    if isinstance(schema, dict) and "__checked" not in schema:
        _check_indexes_in(schema)
    return schema


def _check_indexes_in(schema: Any) -> None:
    if "__checked" in schema:
        return
    schema["__checked"] = True
    kind = schema["type"]
    if isinstance(kind, (dict, list)):
        schema["type"] = _checked(kind)
    elif kind in RECORDS:
        for field in schema["fields"]:
            field["type"] = _checked(field["type"])
    elif kind == "enum":
        schema["symbols"] = dict(enumerate(schema["symbols"]))
    elif kind in {"array", "map"}:
        content = "items" if kind == "array" else "values"
        schema[content] = _checked(schema[content])
