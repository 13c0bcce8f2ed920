"""The plots of the benchmarks can be kept in the repository."""

import re
from pathlib import Path

import pytest

from benchmarks import plots
from benchmarks.everything import ROOT
from benchmarks.suite.charts import save, save_lines

pytest.importorskip("matplotlib")

_ROWS = [
    {"program": "eddyline latest", "whole": 365_831, "warm": 550_256},
    {"program": "flink", "whole": 168_279, "warm": None},
]


def _draw(folder: Path) -> dict[str, bytes]:
    save(folder, "bars", _ROWS, {"whole run": "whole", "warm": "warm"}, "records/s", "Trades")
    save_lines(folder, "lines", {"spark": [(100, 7.0), (1_000, 8.0)]}, ("keys", "µs"), "Growth", log_scale=True)
    return {file.name: file.read_bytes() for file in folder.glob("*.svg")}


def test_equal_results_give_equal_files_without_a_date(tmp_path: Path) -> None:
    first, second = _draw(tmp_path / "first"), _draw(tmp_path / "second")
    assert first == second
    assert not re.search(rb"<dc:date>|20\d\d-\d\d-\d\d", b"".join(first.values()))


def test_charts_name_what_they_show(tmp_path: Path) -> None:
    drawn = {name: data.decode() for name, data in _draw(tmp_path).items()}
    for text in ("Trades", "records/s", "eddyline latest", "365,831 whole run", "550,256 warm", "168,279 whole run"):
        assert f">{text}</text>" in drawn["bars.svg"]
    for text in ("Growth", "keys", "µs", "spark", "100", "1,000"):
        assert f">{text}</text>" in drawn["lines.svg"]


def test_plots_that_were_not_drawn_again_stay_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drawn, kept = tmp_path / "drawn", tmp_path / "kept"
    drawn.mkdir()
    kept.mkdir()
    (drawn / "latency.svg").write_text("new")
    (kept / "latency.svg").write_text("old")
    (kept / "stock-stats.svg").write_text("old")
    plots.keep(["latency", "stock-stats"], drawn, kept)
    assert {file.name: file.read_text() for file in kept.iterdir()} == {"latency.svg": "new", "stock-stats.svg": "old"}
    assert "stock-stats: not drawn" in capsys.readouterr().out


def test_the_results_show_every_plot_that_is_kept() -> None:
    shown = re.findall(r"!\[[^\]]+\]\(plots/([^)]+)\.svg\)", (ROOT / "benchmarks" / "RESULTS.md").read_text())
    assert sorted(shown) == sorted(file.stem for file in plots.FOLDER.glob("*.svg")) == sorted(plots.PLOTS)
