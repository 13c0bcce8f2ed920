"""Checks that a writer's schema is safe: the work and the memory for a datum are bounded by its number of bytes."""

from collections.abc import Mapping
from typing import Any, Final

from eddyline.adapters.avro.errors import InvalidSchemaError

RECORDS: Final = ("record", "error")

MAX_JSON_NESTING: Final = 500
"""The greatest depth of a schema's text, far below what overflows the stack of a parser."""
MAX_NESTING: Final = 100
"""The greatest depth of types in a schema, not counting those of records inside themselves."""
MAX_FREE_VALUES: Final = 100
"""The greatest number of values that a record may have without taking any bytes."""


def check_nesting(document: Any) -> None:
    """Check the depth of a parsed JSON document.

    Raises:
        InvalidSchemaError: it is nested too deeply.
    """
    level = [document]
    for _ in range(MAX_JSON_NESTING):
        level = [
            child
            for node in level
            if isinstance(node, (dict, list))
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return
    raise too_deep()


def too_deep() -> InvalidSchemaError:
    """Return the error for a schema that is nested too deeply."""
    return InvalidSchemaError(f"the schema is nested too deeply; Eddyline reads schemas with up to {MAX_NESTING} levels of types")


class SchemaInspection:
    """An inspection of a parsed schema: `is_recursive` tells whether a record can contain itself.

    Each named type is visited once, however often the schema refers to it.

    Args:
        root: the schema with full names.
        named: its named types.

    Raises:
        InvalidSchemaError: types are nested too deeply, a fixed type has an invalid size, or a few bytes could hold any number
            of values.
    """

    def __init__(self, root: Any, named: Mapping[str, Any]) -> None:
        self._named = named
        self._heights: dict[str, int] = {}
        self._open: set[str] = set()
        self._records: list[Any] = []
        self._items: list[Any] = []
        self._sizes: dict[str, tuple[int, bool]] = {}
        self.is_recursive = False
        self._height(root, 0)
        for record in self._records:
            free, _ = self._size(record)
            if free > MAX_FREE_VALUES:
                raise InvalidSchemaError(
                    f"each value of {record['name']} has more than {MAX_FREE_VALUES} values that take no bytes, so that a few"
                    " bytes could hold any number of values; remove fields of type null and empty records from the schema"
                )
        if any(self._size(items)[1] for items in self._items):
            raise InvalidSchemaError(
                "the schema has an array whose items take no bytes, so that a few bytes could hold any number of items"
            )

    def _height(self, schema: Any, depth: int) -> int:
        """Visit a schema at a depth and return the number of levels below it."""
        if depth > MAX_NESTING:
            raise too_deep()
        schema = self._defined(schema)
        if isinstance(schema, str):
            return 0
        if isinstance(schema, list):
            if not schema or any(isinstance(branch, list) for branch in schema):
                raise InvalidSchemaError("the schema has a union without branches or directly inside a union")
            return self._tallest(schema, depth)
        kind = schema["type"]
        if isinstance(kind, (dict, list)):
            return self._height(kind, depth)
        if kind in RECORDS:
            return self._height_of_record(schema, depth)
        if kind == "array":
            self._items.append(schema["items"])
            return self._tallest([schema["items"]], depth)
        if kind == "fixed" and (type(schema["size"]) is not int or schema["size"] < 0):
            raise InvalidSchemaError(f"the size {schema['size']!r} of {schema['name']} is not a number of bytes")
        return self._tallest([schema["values"]], depth) if kind == "map" else 0

    def _height_of_record(self, record: Any, depth: int) -> int:
        name = record["name"]
        if name in self._open:
            self.is_recursive = True
            return 0
        if name not in self._heights:
            self._open.add(name)
            self._records.append(record)
            for field in record["fields"]:
                if not isinstance(field["name"], str):
                    raise InvalidSchemaError(f"the name {field['name']!r} of a field of {name} is not text")
            self._heights[name] = self._tallest([field["type"] for field in record["fields"]], depth)
            self._open.discard(name)
        if depth + self._heights[name] > MAX_NESTING:
            raise too_deep()
        return self._heights[name]

    def _tallest(self, schemas: list[Any], depth: int) -> int:
        return 1 + max((self._height(schema, depth + 1) for schema in schemas), default=0)

    def _size(self, schema: Any) -> tuple[int, bool]:
        """Return how many of the values in a datum take no bytes, and whether the datum itself takes none.

        What is in arrays, maps and unions does not count, because each of them takes a byte itself.
        """
        schema = self._defined(schema)
        kind = schema if isinstance(schema, (str, list)) else schema["type"]
        if isinstance(kind, list):
            return 0, False
        if isinstance(kind, dict):
            return self._size(kind)
        if kind in RECORDS:
            return self._size_of_record(schema)
        is_empty = kind == "null" or (kind == "fixed" and schema["size"] == 0)
        return int(is_empty), is_empty

    def _size_of_record(self, record: Any) -> tuple[int, bool]:
        name = record["name"]
        if name in self._open:
            raise InvalidSchemaError(f"a value of {name} would contain itself without an end")
        if name not in self._sizes:
            self._open.add(name)
            sizes = [self._size(field["type"]) for field in record["fields"]]
            self._open.discard(name)
            is_empty = all(empty for _, empty in sizes)
            self._sizes[name] = is_empty + sum(free for free, _ in sizes), is_empty
        return self._sizes[name]

    def _defined(self, schema: Any) -> Any:
        """Return the definition of a schema that is the name of a type, else the schema itself."""
        return self._named.get(schema, schema) if isinstance(schema, str) else schema
