"""What the suite does with results that do not add up."""

from typing import cast

import pytest

from benchmarks.suite.programs import Program
from benchmarks.suite.running import Suite, WrongResultsError
from benchmarks.suite.workloads import Workload

OURS = Program("ours", lambda _workload: [])
PEER = Program("theirs", lambda _workload: [], peer=True)


class _Fails(Suite):
    """One program, whose results are wrong in its second run."""

    def __init__(self, program: Program) -> None:
        self._fails, self._runs = program, 0

    def throughput(self, workload: Workload, program: Program) -> dict[str, object]:
        if program is self._fails:
            self._runs += 1
            if self._runs == 2:
                raise WrongResultsError(f"the results of {program.name} are wrong")
        return {"workload": workload, "program": program.name, "run": self._runs}


def test_a_run_of_a_peer_with_wrong_results_is_named_and_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    rows = _Fails(PEER).turns(cast("Workload", None), [OURS, PEER], runs=3)
    assert [(row["program"], row["run"]) for row in rows] == [("ours", 0), ("theirs", 1), ("ours", 1), ("ours", 2), ("theirs", 3)]
    assert capsys.readouterr().out == "left out: the results of theirs are wrong\n"


def test_wrong_results_of_our_own_end_the_suite() -> None:
    with pytest.raises(SystemExit, match="error: the results of ours are wrong"):
        list(_Fails(OURS).turns(cast("Workload", None), [OURS, PEER], runs=3))
