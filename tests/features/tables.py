"""The tables of steps."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

Table: TypeAlias = list[list[str]]
"""A table as pytest-bdd passes it to a step: the header, then the rows."""


def rows(datatable: Table) -> list[dict[str, str]]:
    """Return the rows of a table as dicts from header to cell."""
    header, *lines = datatable
    return [dict(zip(header, line, strict=True)) for line in lines]


def as_table(found: Iterable[Mapping[str, str]], like: Table) -> Table:
    """Return rows as a table with the header of another one."""
    header = like[0]
    return [header, *([row[name] for name in header] for row in found)]
