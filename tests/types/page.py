"""Writes the tables of the page about types from what the codecs do: `python -m tests.types.page`."""

import re
from pathlib import Path
from typing import Any

from eddyline.adapters.avro.errors import AvroSchemaError
from eddyline.adapters.avro.schema import schema_for
from eddyline.adapters.json.codecs import JsonCodecs
from tests.types.table import TABLE, Row

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "types-and-formats.md"
_TABLE = re.compile(r"(<!-- types -->\n).*?(<!-- end of types -->)", re.DOTALL)


def generated() -> str:
    """Return the page with its table as the codecs are now."""
    lines = ["| type | JSON | state | Avro | refused in JSON if strict |", "|---|---|---|---|---|", *map(_line, TABLE)]
    text = "\n".join(lines)
    return _TABLE.sub(lambda match: f"{match[1]}{text}\n{match[2]}", PAGE.read_text(encoding="utf-8"))


def _line(row: Row) -> str:
    state = JsonCodecs().for_state(row.declared).encode(row.value)
    refused = ", ".join(_code(text) for text in row.refused)
    cells = (_code(row.name) if row.name[0] != "a" else row.name, _code(row.json), _code((state or b"null").decode()))
    return f"| {' | '.join((*cells, _avro(row), refused))} |"


def avro_schema(row: Row) -> Any:
    """Return the Avro schema of a type, None if Avro cannot represent it."""
    try:
        return schema_for(row.declared)
    except AvroSchemaError:
        return None


def _avro(row: Row) -> str:
    schema = avro_schema(row)
    return "\u2013" if schema is None else _described(schema)


def _described(schema: Any) -> str:
    if isinstance(schema, list):
        return "union"
    if isinstance(schema, str):
        return _code(schema)
    logical = schema.get("logicalType")
    return _code(schema["type"]) if logical is None else f"{_code(schema['type'])}, {_code(logical)}"


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(generated(), encoding="utf-8")
