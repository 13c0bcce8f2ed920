"""Processes of the local engine in a simulated cluster; see `tests/simulation/local/__init__.py`."""

import os

import pytest

from tests.simulation.__main__ import main, report, run_schedules, schedule_of
from tests.simulation.local.broken import BROKEN

_SCHEDULES = int(os.environ.get("SIMULATED_SCHEDULES", "100")) // 6
"""How many schedules the suite runs; `make simulate` runs 2,000."""
_BEGIN = {
    "generations-ignored": 440,
    "lost-tasks-committed": 100,
    "unsettled": 225,
    "offsets-unsettled": 90,
    "restored-too-early": 60,
    "positions-forgotten": 80,
}
"""Where the search for a protocol begins that takes long to find from 0."""


@pytest.mark.extensive
def test_results_of_processes_that_fail_are_those_of_an_undisturbed_run() -> None:
    failed = run_schedules(range(_SCHEDULES), engine="local")
    assert not failed, "\n\n".join(report(outcome, engine="local") for outcome in failed)


@pytest.mark.extensive
@pytest.mark.parametrize("name", list(BROKEN))
def test_a_broken_protocol_of_the_local_engine_is_found(name: str) -> None:
    begin = _BEGIN.get(name, 0)
    found = (seed for seed in range(begin, begin + 200) if run_schedules(range(seed, seed + 1), name, "local"))
    assert next(found, None) is not None


def test_without_faults_no_process_fails() -> None:
    outcome = schedule_of("local", 1, max_faults=0, traced=True).run()
    assert (outcome.violation, outcome.faults) == (None, 0)
    assert not [line for line in outcome.trace if "failed" in line or "died" in line]


def test_a_seed_of_the_local_engine_replays_exactly(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (schedule_of("local", 7, traced=True).run() for _ in range(2))
    assert (first.trace, first.digest) == (second.trace, second.digest)
    assert first.faults > 0
    assert main(["--engine", "local", "--seed", "7"]) == 0
    assert capsys.readouterr().out.splitlines()[:-1] == first.trace
