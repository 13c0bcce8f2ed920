from pathlib import Path

from tests.adapters.cli.conftest import Eddyline

SMALL = ["--engine", "memory", "--days", "2", "--trades-per-day", "100"]


def test_the_demonstration_shows_the_latest_windows_and_where_the_data_is(eddyline: Eddyline, tmp_path: Path) -> None:
    outcome = eddyline("demo", *SMALL)
    assert outcome.code == 0, outcome.err
    rows = [line.split() for line in outcome.out.splitlines()[2:]]
    assert [row[0] for row in rows] == [ticker for ticker in ("AAPL", "FB", "GOOG", "IBM", "MSFT") for _ in range(3)]
    assert rows[-1][1:6] == ["2012-05-21", "20:00:00", "2012-05-21", "20:00:05", "1"]
    assert "1,000 trades of 5 companies on 2 days" in outcome.err
    assert "data/demo/topics/stock-stats" in outcome.err
    assert (tmp_path / "data/demo/topics/stock-stats/partition-0.jsonl").stat().st_size > 0


def test_the_demonstration_starts_from_scratch(eddyline: Eddyline) -> None:
    first = eddyline("demo", *SMALL)
    assert eddyline("demo", *SMALL).out == first.out


def test_a_directory_that_is_not_empty_is_refused(eddyline: Eddyline, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    outcome = eddyline("demo", *SMALL, "--data-dir", tmp_path)
    assert (outcome.code, outcome.err) == (
        2,
        f"error: directory '{tmp_path}' is not empty; give an empty or a new one with --data-dir\n",
    )
