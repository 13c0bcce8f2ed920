"""Schedules of the simulated cluster have the results of an undisturbed run, and a seed replays exactly."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.rocksdb.state_store import RocksDBStateStores
from eddyline.adapters.rocksdb.task_stores import RocksDBTaskStateStores
from tests.simulation.__main__ import fewest_faults, main, report, run_schedules
from tests.simulation.broken import BROKEN
from tests.simulation.schedule import Schedule

_ROOT = Path(__file__).resolve().parents[2]
_CHUNKS, _FAST = 10, 2
"""Of the chunks of schedules, the first ones are run by `make test`."""
_SCHEDULES = int(os.environ.get("SIMULATED_SCHEDULES", "100"))
"""How many schedules the suite runs; `make simulate` runs 10,000."""
_ON_DISK = 20
"""How many of them it runs with stores on the local disk, whose files take time."""
_BEGIN = {"changelog-outside-transaction": 10, "redriven-at-least-once": 35, "uncommitted-reads": 20}
"""Where the search for a protocol begins that takes long to find from 0."""


@pytest.mark.extensive
@pytest.mark.parametrize(
    "chunk", [*range(_FAST), *(pytest.param(chunk, marks=pytest.mark.slow) for chunk in range(_FAST, _CHUNKS))]
)
def test_results_are_those_of_an_undisturbed_run(chunk: int) -> None:
    size = _SCHEDULES // _CHUNKS
    failed = run_schedules(range(chunk * size, (chunk + 1) * size))
    assert not failed, "\n\n".join(map(report, failed))


@pytest.mark.extensive
@pytest.mark.parametrize("seeds", [range(5), pytest.param(range(5, _ON_DISK), marks=pytest.mark.slow)], ids=str)
def test_results_are_those_of_an_undisturbed_run_with_stores_on_the_local_disk(quick_disk: Path, seeds: range) -> None:
    for seed in seeds:
        stores = ClosedStores(JsonCodecs(), quick_disk / str(seed), cache_max_bytes=1)
        outcome = Schedule(seed, stores=stores).run()
        stores.close()
        assert outcome.violation is None, seed


class ClosedStores(RocksDBStateStores):
    """State stores whose files are closed at the end, since the processes of a schedule are not."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._opened: list[RocksDBTaskStateStores] = []

    def of_task(self, name: str) -> RocksDBTaskStateStores:
        self._opened.append(super().of_task(name))
        return self._opened[-1]

    def close(self) -> None:
        for stores in self._opened:
            stores.close()


def test_without_faults_nothing_fails_and_nothing_is_repeated() -> None:
    outcome = Schedule(3, max_faults=0, traced=True).run()
    assert outcome.violation is None
    assert outcome.faults == 0
    assert not [line for line in outcome.trace if "failed" in line or "died" in line]


@pytest.mark.extensive
@pytest.mark.parametrize("name", list(BROKEN))
def test_a_broken_protocol_is_found_within_1000_schedules(name: str) -> None:
    begin = _BEGIN.get(name, 0)
    for first in range(begin, begin + 1_000, 5):
        found = run_schedules(range(first, first + 5), name)
        if found:
            return
    pytest.fail(f"1,000 schedules have not found the protocol {name!r}")


@pytest.mark.extensive
@pytest.mark.slow
def test_a_seed_replays_exactly_in_another_process_with_another_order_of_hashes() -> None:
    program = (
        "from tests.simulation.schedule import Schedule; import zlib\n"
        "for seed in range(3):\n"
        "    found = Schedule(seed, traced=True).run()\n"
        "    print(seed, found.digest, found.faults, zlib.crc32('\\n'.join(found.trace).encode()))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=_ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for hash_seed in ("0", "1")
    }
    assert len(outputs) == 1
    assert len(outputs.pop().splitlines()) == 3


@pytest.mark.extensive
def test_a_failing_seed_is_reported_with_the_command_that_replays_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--schedules", "10", "--break", "without-fencing"]) == 1
    *_, replay, summary = capsys.readouterr().out.splitlines()
    assert summary.startswith("10 schedules")
    options = replay.partition("python -m tests.simulation ")[2].split()
    assert main(options) == 1
    assert "Violation" in capsys.readouterr().out


def test_a_failing_schedule_is_shortened_to_the_faults_that_it_needs() -> None:
    (found, *_) = run_schedules(range(25, 30), "without-fencing")
    faults = fewest_faults(found, "without-fencing")
    assert faults < found.faults
    assert Schedule(found.seed, max_faults=faults, breaks=BROKEN["without-fencing"]).run().violation is not None
