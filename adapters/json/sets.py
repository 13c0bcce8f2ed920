"""Writes sets in the order of the JSON of their elements, since their own order differs from process to process."""

import json
from typing import Any, Final, cast

from pydantic_core import core_schema

_SETS: Final = ("set", "frozenset")


def with_sorted_sets(schema: Any) -> Any:
    """Return pydantic's schema of a type with serializers of sets that sort: equal sets have equal JSON."""
    if isinstance(schema, list | tuple):
        return type(schema)(map(with_sorted_sets, schema))
    if not isinstance(schema, dict):
        return schema
    found = {name: with_sorted_sets(part) for name, part in schema.items()}
    if found.get("type") in _SETS and "serialization" not in found:
        found["serialization"] = core_schema.wrap_serializer_function_ser_schema(
            lambda value, handler: sorted(handler(value), key=json.dumps), schema=cast("Any", dict(found)), when_used="json"
        )
    return found
