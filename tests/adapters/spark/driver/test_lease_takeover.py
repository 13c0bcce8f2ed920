"""A driver on another machine takes over from one that is suspended or dead, and the suspended one commits nothing more."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path

import pytest

from eddyline.adapters.services import guard
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.kafka.conftest import eventually
from tests.adapters.spark.driver.leased_driver import LEASE_S
from tests.adapters.spark.running import Workspace

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[4]
PARTITIONS = 2
KEYS = ("a", "b", "c")
TIMEOUT_S = 120.0


class Driver:
    """A driver with its Java and its workers, which are suspended and killed together, like a machine."""

    def __init__(self, folder: Path, machine: str) -> None:
        self._log = folder / f"{machine}.log"
        words = [sys.executable, "-m", "tests.adapters.spark.driver.leased_driver", str(folder), machine]
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", guard.__file__, str(os.getpid()), *words],
                cwd=ROOT,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )

    def waited_s(self) -> float:
        """Return for how many seconds it has waited for the lease, once it has it."""
        assert self.process.stdout is not None
        printed = self.process.stdout.readline()
        assert printed, self.output()
        return float(printed)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to all its processes."""
        for path in Path("/proc").iterdir():
            if path.name.isdigit() and _session(path) == self.process.pid:
                os.kill(int(path.name), number)

    def end(self) -> None:
        """Kill all its processes."""
        self.signal(signal.SIGKILL)
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def output(self) -> str:
        """Return what it has written to standard error."""
        return self._log.read_text()


def _session(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[3])
    except (FileNotFoundError, ProcessLookupError):
        return 0


class Sums:
    """The topics of the flow: as many numbers for each key, and their sums."""

    def __init__(self, folder: Path) -> None:
        self._workspace = Workspace(folder)
        self._count = 0

    def write(self, count: int) -> None:
        """Write more numbers for each key."""
        numbers = range(self._count, self._count + count)
        records = [SinkRecord("numbers", key.encode(), b"%d" % number, number) for number in numbers for key in KEYS]
        self._workspace.append("numbers", PARTITIONS, records)
        self._count += count

    @property
    def expected(self) -> dict[str, list[int]]:
        """The sums of each key, one after each of its numbers."""
        return {key: list(accumulate(range(self._count))) for key in KEYS}

    def found(self) -> dict[str, list[int]]:
        """Return the sums of each key in the order in which they were written."""
        found: dict[str, list[int]] = {key: [] for key in KEYS}
        for record in self._workspace.records("sums"):
            found[(record.key or b"").decode()].append(json.loads(record.value or b""))
        return found

    def wait(self) -> None:
        """Wait until there is a sum for each number."""
        eventually(lambda: sum(map(len, self.found().values())) >= self._count * len(KEYS), TIMEOUT_S)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[str], Driver]]:
    """Starts a driver on a machine of this name."""
    started: list[Driver] = []

    def driver(machine: str) -> Driver:
        started.append(Driver(tmp_path, machine))
        return started[-1]

    yield driver
    for each in started:
        each.end()


def test_a_driver_on_another_machine_takes_over_when_the_lease_has_run_out(
    start: Callable[[str], Driver], tmp_path: Path
) -> None:
    sums = Sums(tmp_path)
    sums.write(20)
    first = start("first")
    assert first.waited_s() < LEASE_S, "nobody had the lease"
    sums.wait()

    (tmp_path / "hold-first").touch()
    sums.write(20)
    eventually((tmp_path / "held-first").exists, TIMEOUT_S)
    first.signal(signal.SIGSTOP)  # within a batch
    (tmp_path / "hold-first").unlink()
    second = start("second")
    assert second.waited_s() >= LEASE_S
    sums.wait()
    sums.write(20)
    sums.wait()

    first.signal(signal.SIGCONT)
    assert first.process.wait(TIMEOUT_S) == 1
    assert (
        f"in use by another run, on {socket.gethostname()}, process {second.process.pid}; stop that run first" in first.output()
    )
    sums.write(20)
    sums.wait()
    assert sums.found() == sums.expected, "the suspended driver has written nothing more"

    second.end()
    sums.write(20)
    assert start("third").waited_s() >= LEASE_S
    sums.wait()
    assert sums.found() == sums.expected, "the state is that of the second driver"
