"""However a driver ends, the next one goes on, and what comes out is what an undisturbed run gives."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from eddyline.application.samples.catalogue import find_flow
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


def until(holds: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Waits for something to become true while the driver runs."""
    while not holds():
        assert process.poll() is None, "the driver ended by itself"
        time.sleep(0.02)


def batches_planned(folder: Path) -> int:
    return len([path for path in (folder / "checkpoint" / "spark" / "offsets").glob("[0-9]*") if path.name.isdigit()])


def batches_done(folder: Path) -> int:
    return len([path for path in (folder / "checkpoint" / "spark" / "commits").glob("[0-9]*") if path.name.isdigit()])


def batches_begun(process: subprocess.Popen[str]) -> int:
    """How many batches a driver has begun, as it says at its orderly end."""
    assert process.stdout is not None
    return int(process.stdout.read().split("ended ")[1])


def test_kills_and_signals_at_any_moment_neither_lose_nor_double_anything(tmp_path: Path) -> None:
    place, given = Place(tmp_path), trades(3_000)
    place.add("trades", 2, given)
    topology = find_flow("stock-stats").topology(grace_ms=1_000)
    expected = updates_in_memory(topology, in_memory(topology, "trades", given, 2), "stock-stats")
    total = sum(map(len, expected.values()))

    with driver(tmp_path, "now") as process:
        until(lambda: batches_planned(tmp_path) > 1, process)
        os.kill(process.pid, signal.SIGKILL)
    with driver(tmp_path, "now") as process:
        written = len(place.records("stock-stats"))
        until(lambda: len(place.records("stock-stats")) > written, process)
        os.kill(process.pid, signal.SIGKILL)
    with driver(tmp_path, "on") as process:
        done = batches_done(tmp_path)
        until(lambda: batches_done(tmp_path) > done, process)
        os.kill(process.pid, signal.SIGKILL)
    assert len(place.records("stock-stats")) < total
    with driver(tmp_path, "on") as process:
        done = batches_done(tmp_path)
        until(lambda: batches_done(tmp_path) > done, process)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait() == 0
        assert batches_done(tmp_path) - done == batches_begun(process)
    with driver(tmp_path, "on") as process:
        until(lambda: len(place.records("stock-stats")) == total, process)
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait() == 0
    assert updates(place.records("stock-stats")) == expected
