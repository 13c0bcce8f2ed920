"""Writes results as JSON and as charts in SVG.

Equal results give equal files, so that charts in the repository change only when figures do.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from benchmarks.suite.report import Row, cell

_OWN: Final = ("#7fb3c0", "#0f6e84")
_PEERS: Final = ("#d5dce0", "#8c9aa3")
_LINES: Final = ("#0f6e84", "#c2703d")
_BAR: Final = 0.4
_STYLE: Final[Any] = {
    "svg.hashsalt": "eddyline",
    "svg.fonttype": "none",
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
}


def save_lines(
    folder: Path,
    name: str,
    series: Mapping[str, Sequence[tuple[float, float]]],
    labels: tuple[str, str],
    title: str,
    *,
    log_scale: bool = False,
) -> None:
    """Write points as JSON and as a line chart.

    Args:
        folder: Where the files are written.
        name: Their name.
        series: The points of each line, by its label.
        labels: Those of the axes.
        title: That of the chart.
        log_scale: Whether the first axis is logarithmic; then its ticks are at the points.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(series) + "\n")
    with _figure(folder / f"{name}.svg", title, height=4) as axes:
        for number, (line, points) in enumerate(series.items()):
            axes.plot(*zip(*points, strict=True), label=line, color=_LINES[number % len(_LINES)], marker="o")
        if log_scale:
            axes.set_xscale("log")
            ticks = sorted({x for points in series.values() for x, _ in points})
            axes.set_xticks(ticks, [f"{x:,}" for x in ticks])
            axes.minorticks_off()
        axes.margins(y=0.15)
        axes.set_ylim(bottom=0)
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        axes.legend(frameon=False)


def save(folder: Path, name: str, rows: Sequence[Row], measures: Mapping[str, str], unit: str, title: str) -> None:
    """Write rows as lines of JSON, and values of programs as a bar chart, those of Eddyline in a color of their own.

    Args:
        folder: Where the files are written.
        name: Their name.
        rows: The measured values of each program.
        measures: One or two columns of the rows by the labels of their bars.
        unit: The label of the axis.
        title: That of the chart.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with _figure(folder / f"{name}.svg", title, height=0.32 * len(rows) * len(measures) + 1.4) as axes:
        for number, (label, measure) in enumerate(measures.items(), start=2 - len(measures)):
            shown = [(at, row) for at, row in enumerate(rows) if row.get(measure)]
            colors = [(_OWN if str(row["program"]).startswith("eddyline") else _PEERS)[number] for _, row in shown]
            places = [at + (number - 0.5) * _BAR for at, _ in shown]
            bars = axes.barh(places, [row[measure] for _, row in shown], _BAR, color=colors)
            axes.bar_label(bars, labels=[f"{cell(row[measure])} {label}" for _, row in shown], padding=4)
        axes.set_yticks(range(len(rows)), [str(row["program"]) for row in rows])
        axes.invert_yaxis()
        axes.set_xlabel(unit)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.margins(x=0.25)


@contextmanager
def _figure(file: Path, title: str, *, height: float) -> Iterator[Any]:
    """Yield the axes of a chart, which is written at the end of the block."""
    import matplotlib as mpl  # noqa: PLC0415 - a slow import that only the plots need

    mpl.use("svg")
    from matplotlib import pyplot as plt  # noqa: PLC0415 - likewise

    with mpl.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(8, height), layout="constrained")
        yield axes
        axes.set_title(title, fontsize="medium")
        axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(file, metadata={"Date": None, "Creator": None})
        plt.close(figure)
