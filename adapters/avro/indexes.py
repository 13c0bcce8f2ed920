"""Indexes of union branches and enum symbols in data: an index below zero is an error, not counted from the end as in a list."""

from collections.abc import Mapping
from typing import Any

from eddyline.adapters.avro.schema_inspection import RECORDS


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
