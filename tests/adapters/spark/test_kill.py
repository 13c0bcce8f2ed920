"""However a driver ends, the next one goes on, and what comes out is what an undisturbed run gives."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from application.flows.registry import find_flow
from tests.adapters.spark.running import Place, in_memory, trades, updates, updates_in_memory

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[3]


@contextmanager
def driver(folder: Path, mode: str) -> Iterator[subprocess.Popen[str]]:
    """A driver in a process group of its own; ended when the test leaves it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.adapters.spark.driver", str(folder), mode],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def lines_of(process: subprocess.Popen[str]) -> Iterator[str]:
    assert process.stdout is not None
    return (line.strip() for line in process.stdout)


def test_kills_and_signals_at_any_moment_neither_lose_nor_double_anything(tmp_path: Path) -> None:
    place, given = Place(tmp_path), trades(10_000)
    place.add("trades", 2, given)
    topology = find_flow("stock-stats").topology(grace_ms=1_000)
    for batches, how in ((1, signal.SIGKILL), (2, signal.SIGKILL), (3, signal.SIGKILL)):
        with driver(tmp_path, "now") as process:
            lines = lines_of(process)
            seen = [next(lines) for _ in range(batches)]
            assert all(line.startswith("batch") for line in seen)
            os.kill(process.pid, how)
    for how in (signal.SIGTERM, signal.SIGINT):
        with driver(tmp_path, "on") as process:
            lines = lines_of(process)
            assert next(lines).startswith("batch")
            os.killpg(process.pid, how) if how is signal.SIGINT else os.kill(process.pid, how)
            assert list(lines)[-1].startswith("ended")
            assert process.wait() == 0
    with driver(tmp_path, "now") as process:
        assert list(lines_of(process))[-1].startswith("ended")
        assert process.wait() == 0
    memory = in_memory(topology, "trades", given, 2)
    expected = updates_in_memory(topology, memory, "stock-stats")
    assert updates(place.records("stock-stats")) == expected
    assert len(place.records("stock-stats")) == sum(map(len, expected.values()))
