"""All benchmarks run one after the other, whatever becomes of one of them."""

from pathlib import Path

import pytest

from benchmarks import everything
from benchmarks.everything import Step
from benchmarks.suite.goals import print_goals

_MEASURES = """
import sys
from benchmarks.goals import print_goal

print("arguments:", *sys.argv[1:])
print_goal("beside another system", 3.3, 2.5)
print_goal("time beside another system", 0.7, 0.5, at_most=True)
"""


@pytest.fixture(autouse=True)
def _steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fails.py").write_text("print('half done')\nraise SystemExit(3)")
    (tmp_path / "measures.py").write_text(_MEASURES)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(everything, "OUTPUT", tmp_path)
    steps = Step("broken", "fails", peers=True), Step("good", "measures", ("--size", "1"), peers=True), Step("alone", "measures")
    monkeypatch.setattr(everything, "STEPS", steps)


def test_the_steps_after_one_that_fails_still_run_and_it_is_named(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert everything.main([]) == 1
    summary = (tmp_path / "summary.md").read_text()
    assert capfd.readouterr().out.endswith(summary)
    assert [line.split(" | ")[0] for line in summary.splitlines()[2:6]] == ["| broken", "| good", "| alone", "| all"]
    assert "failed (3)" in summary
    assert summary.endswith("error: failed: broken\n")


def test_goals_are_repeated_at_the_end(tmp_path: Path) -> None:
    assert everything.main(["--only", "good"]) == 0
    assert (tmp_path / "summary.md").read_text().splitlines()[-2:] == [
        "- good: beside another system: 3.30, at least 2.5: reached",
        "- good: time beside another system: 0.70, at most 0.5: not reached",
    ]


def test_peers_are_measured_where_a_step_can_and_its_output_is_kept(tmp_path: Path) -> None:
    everything.main(["--only", "good", "--only", "alone", "--peers"])
    first = {name: (tmp_path / "steps" / f"{name}.log").read_text().splitlines()[0] for name in ("good", "alone")}
    assert first == {"good": "arguments: --size 1 --peers", "alone": "arguments:"}


def test_a_goal_beside_a_peer_without_a_warm_rate_takes_that_of_its_whole_run(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"program": "eddyline latest", "whole records/s": 200, "warm records/s": 300},
        {"program": "flink", "whole records/s": 100, "warm records/s": None},
    ]
    print_goals("stock-stats", rows)
    assert capsys.readouterr().out.splitlines() == [
        "goal: stock-stats, warm records/s: eddyline latest beside flink, whole records/s: 3.00, at least 2.5: reached",
        "goal: stock-stats, whole records/s: eddyline latest beside flink: 2.00, at least 1.5: reached",
    ]
