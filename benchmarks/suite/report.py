"""The results of the suite as tables and plots."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

_WHOLE_FROM: Final = 100
"""From here on, numbers are shown without decimals."""

_COLORS: Final = ("#0f6e84", "#c2703d")

Row: TypeAlias = Mapping[str, Any]


def table(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """Return rows as a Markdown table; the second to the last column have numbers."""
    lines = [f"| {' | '.join(columns)} |", "|---|" + "---:|" * (len(columns) - 1)]
    lines += [f"| {' | '.join(_cell(row.get(column)) for column in columns)} |" for row in rows]
    return "\n".join(lines) + "\n"


def with_ratios(rows: Sequence[Row], measure: str) -> list[Row]:
    """Return the rows with how many times the value of the first row is that of each, as `ratio`."""
    first = rows[0][measure] if rows else None
    return [{**row, "ratio": None if not first or not row.get(measure) else first / row[measure]} for row in rows]


def save_lines(
    folder: Path,
    name: str,
    series: Mapping[str, Sequence[tuple[float, float]]],
    labels: tuple[str, str],
    *,
    log_scale: bool = False,
) -> None:
    """Write points by name as JSON and as a line chart.

    Args:
        folder: Where the files are written.
        name: Their name, and the title of the chart.
        series: The points of each line.
        labels: Those of the axes.
        log_scale: Whether the first axis is logarithmic.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(series) + "\n")
    plt = _pyplot()
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    for number, (line, points) in enumerate(series.items()):
        axes.plot(*zip(*points, strict=True), label=line, color=_COLORS[number % len(_COLORS)], marker="o")
    if log_scale:
        axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.set_title(name)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(folder / f"{name}.svg")
    plt.close(figure)


def save(folder: Path, name: str, rows: Sequence[Row], measure: str, unit: str) -> None:
    """Write rows as lines of JSON, and one of their values as a bar chart."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    plt = _pyplot()
    shown = [row for row in rows if row.get(measure)]
    figure, axes = plt.subplots(figsize=(8, 0.5 * len(shown) + 1.2), layout="constrained")
    names = [str(row["program"]) for row in shown]
    colors = [_COLORS[0] if name.startswith("eddyline") else "#b8c4cc" for name in names]
    bars = axes.barh(names, [row[measure] for row in shown], color=colors)
    axes.bar_label(bars, labels=[_cell(row[measure]) for row in shown], padding=4)
    axes.invert_yaxis()
    axes.set_xlabel(unit)
    axes.set_title(name)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.15)
    figure.savefig(folder / f"{name}.svg")
    plt.close(figure)


def _pyplot() -> Any:
    import matplotlib as mpl  # noqa: PLC0415 - a slow import that only the plots need

    mpl.use("svg")
    from matplotlib import pyplot as plt  # noqa: PLC0415 - likewise

    return plt


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= _WHOLE_FROM else f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
