"""The results of the suite as tables."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any, Final, TypeAlias

_WHOLE_FROM: Final = 100
"""From here on, numbers are shown without decimals."""

Row: TypeAlias = Mapping[str, Any]


def table(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """Return rows as a Markdown table; the second to the last column have numbers."""
    lines = [f"| {' | '.join(columns)} |", "|---|" + "---:|" * (len(columns) - 1)]
    lines += [f"| {' | '.join(cell(row.get(column)) for column in columns)} |" for row in rows]
    return "\n".join(lines) + "\n"


def shown(row: Row) -> Row:
    """Print a row in one line, and return it."""
    print(
        "  ".join(f"{name} {value:,.2f}" if isinstance(value, float) else f"{name} {value}" for name, value in row.items()),
        flush=True,
    )
    return row


def medians(runs: Iterable[Row]) -> list[Row]:
    """Return a row for each program: the medians of its runs, None where one of them has no value."""
    found: dict[str, list[Row]] = {}
    for row in runs:
        found.setdefault(row["program"], []).append(row)
    return [{name: _median([row[name] for row in rows]) for name in rows[0]} for rows in found.values()]


def _median(values: Sequence[Any]) -> Any:
    """Return the median of numbers, as an integer if all are; the first value of others."""
    if None in values:
        return None
    if isinstance(values[0], str):
        return values[0]
    found = median(values)
    return round(found) if all(isinstance(value, int) for value in values) else found


def with_ratios(rows: Sequence[Row], measure: str) -> list[Row]:
    """Return the rows with how many times the value of the first row is that of each, as `ratio`."""
    first = rows[0][measure] if rows else None
    return [{**row, "ratio": None if not first or not row.get(measure) else first / row[measure]} for row in rows]


def cell(value: Any) -> str:
    """Return a value as the text of a cell of a table."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= _WHOLE_FROM else f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
