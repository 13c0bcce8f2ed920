"""Columns of a table: which parts of a record a header stands for, and how to read them."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from pydantic.alias_generators import to_camel

from eddyline.adapters.scenario.errors import TextTableError, no_field
from eddyline.application.topology.errors import listed
from eddyline.application.topology.windows import Windowed

TextTable: TypeAlias = Sequence[Sequence[Any]] | Sequence[Mapping[str, Any]]
"""A header and rows of cells, as pytest-bdd passes the table of a step; or one mapping from header to cell for each row."""

Columns: TypeAlias = Mapping[str, str | Sequence[str]]
"""What headers stand for: a path such as `key`, `value.price` or `window.start`, or several paths that share the cell."""

_ROOTS = ("key", "value", "timestamp", "window", "headers")
_USUAL = {"time": "timestamp", "window start": "window.start", "window end": "window.end", "window length": "window.length"}
_TIMES = ("timestamp", "window.start", "window.end")


def rows_of(table: TextTable) -> list[Mapping[str, Any]]:
    """Return the rows of a table as mappings from header to cell.

    Raises:
        TextTableError: A row is shorter or longer than the header.
    """
    if not table:
        return []
    header, *lines = table
    if isinstance(header, Mapping):
        return [row for row in table if isinstance(row, Mapping)]
    for number, line in enumerate(lines, start=1):
        if len(line) != len(header):
            raise TextTableError(f"row {number} has {len(line)} cells, but the header has {len(header)}: {listed(header)}")
    return [dict(zip(header, line, strict=True)) for line in lines]


def headers_of(table: TextTable) -> list[str]:
    """Return the headers of a table."""
    return list(table[0]) if table else []


def paths_of(header: str, columns: Columns) -> list[str]:
    """Return the paths that a header stands for; one that `columns` does not name is a usual name or a field of the value."""
    chosen = columns.get(header, _USUAL.get(header, header.replace(" ", "_")))
    paths = [chosen] if isinstance(chosen, str) else chosen
    return [path if path.split(".")[0] in _ROOTS else f"value.{path}" for path in paths]


def is_time(path: str) -> bool:
    """Return whether the path leads to a time, in ms since the epoch."""
    return path in _TIMES


def part_of(record: Any, path: str) -> Any:
    """Return the part of an output record or of a store's row that the path leads to.

    A field of a list is the list of the fields of its elements; a field of None is None.

    Raises:
        TextTableError: There is no such part.
    """
    root, *names = path.split(".")
    key, window = record.key if isinstance(record.key, Windowed) else (record.key, getattr(record, "window", None))
    if path == "window.length":
        return None if window is None else window.end - window.start
    if root in {"key", "window"}:
        found: Any = key if root == "key" else window
    elif hasattr(record, root):
        found = getattr(record, root)
    else:
        raise TextTableError(f"rows of a store have no {root}, so there is no '{path}'")
    if root == "headers":
        found = {name: (value or b"").decode() for name, value in found}
    for name in names:
        found = _field(found, name)
    return found


def _field(value: Any, name: str) -> Any:
    if value is None:
        return None
    if isinstance(value, Mapping):
        return value.get(name, value.get(to_camel(name)))
    if isinstance(value, list) or type(value) is tuple:
        return [_field(element, name) for element in value]
    if not hasattr(value, name):
        raise no_field(type(value).__name__, name, getattr(type(value), "__annotations__", ()))
    return getattr(value, name)
