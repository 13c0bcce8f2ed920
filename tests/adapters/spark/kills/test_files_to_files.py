"""However a driver ends, the next one continues, and the results are those of a run without interruptions."""

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
from tests.adapters.spark.running import Workspace, in_memory, trades, updates, updates_in_memory

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[4]


@contextmanager
def driver(folder: Path, mode: str) -> Iterator[subprocess.Popen[str]]:
    """Start a driver in a process group of its own; kill it at the end of the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.adapters.spark.kills.file_driver", str(folder), mode],
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


def until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until a condition holds while the driver runs."""
    while not condition():
        assert process.poll() is None, "the driver has exited"
        time.sleep(0.05)


def batches_planned(folder: Path) -> int:
    return len([path for path in (folder / "checkpoint" / "spark" / "offsets").glob("[0-9]*") if path.name.isdigit()])


def batches_committed(folder: Path) -> int:
    return len([path for path in (folder / "checkpoint" / "spark" / "commits").glob("[0-9]*") if path.name.isdigit()])


def records_written(workspace: Workspace) -> int:
    log, topic = workspace.log, "stock-stats"
    return sum(log.end_offset(topic, number) for number in range(log.partitions(topic))) if topic in log.topics() else 0


def batches_reported(process: subprocess.Popen[str]) -> int:
    """Return the number of batches that a driver printed before it exited."""
    assert process.stdout is not None
    return int(process.stdout.read().split("ended ")[1])


def test_kills_and_signals_at_any_moment_lose_and_duplicate_nothing(tmp_path: Path) -> None:
    workspace, records = Workspace(tmp_path), trades(3_000)
    workspace.append("trades", 2, records)
    topology = find_flow("stock-stats").topology(grace_ms=1_000)
    expected = updates_in_memory(topology, in_memory(topology, "trades", records, 2), "stock-stats")
    total = sum(map(len, expected.values()))

    with driver(tmp_path, "available-now") as process:
        until(lambda: batches_planned(tmp_path) > 1, process)
        os.kill(process.pid, signal.SIGKILL)
    with driver(tmp_path, "available-now") as process:
        written = records_written(workspace)
        until(lambda: records_written(workspace) > written, process)
        os.kill(process.pid, signal.SIGKILL)
    with driver(tmp_path, "continuous") as process:
        committed = batches_committed(tmp_path)
        until(lambda: batches_committed(tmp_path) > committed, process)
        os.kill(process.pid, signal.SIGKILL)
    assert records_written(workspace) < total
    with driver(tmp_path, "continuous") as process:
        committed = batches_committed(tmp_path)
        until(lambda: batches_committed(tmp_path) > committed, process)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait() == 0
        assert batches_committed(tmp_path) - committed == batches_reported(process)
    with driver(tmp_path, "continuous") as process:
        until(lambda: records_written(workspace) == total, process)
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait() == 0
    assert updates(workspace.records("stock-stats")) == expected
