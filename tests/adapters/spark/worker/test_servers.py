"""Server processes of a daemon, tried with a daemon in a process of its own."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from eddyline.adapters.spark.failures import WorkerError
from eddyline.adapters.spark.worker.servers import Servers, ServerUnavailableError

_DAEMON = """
import os, sys
from eddyline.adapters.spark.failures import Failure, WorkerError
from eddyline.adapters.spark.worker.servers import SERVERS, ServerUnavailableError, start_servers

def handle(request):
    if request == b"exit":
        os._exit(1)
    if request == b"fail":
        raise ValueError("of the user")
    if request == b"worker error":
        raise WorkerError(Failure("CodecError", "unreadable", "", True, ("a note",)))
    return b"%s in %d" % (request, os.getpid())

os.setpgid(0, 0)
start_servers(handle, 2)
print(SERVERS.folder, flush=True)
sys.stdin.read()
"""


class Daemon:
    """A daemon with two server processes that answer with the request and their process id."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _DAEMON], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ
        )
        self.servers = Servers()
        self.servers.folder = Path(_line(self.process.stdout))
        self.servers.count = 2

    def process_of(self, number: int) -> int:
        """Return the process id of a server."""
        return int(self.servers.request(number, b"x").rpartition(b" ")[2])


def _line(stream: IO[str] | None) -> str:
    assert stream is not None
    return stream.readline().strip()


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    daemon = Daemon()
    yield daemon
    daemon.process.kill()
    daemon.process.communicate()


def _wait_until_ended(process: int) -> None:
    deadline = time.monotonic() + 10
    while _is_running(process):
        assert time.monotonic() < deadline, f"process {process} is still running"
        time.sleep(0.02)


def _is_running(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_number_is_always_served_by_the_same_process(daemon: Daemon) -> None:
    other = Servers()
    other.folder, other.count = daemon.servers.folder, 2
    first, second = daemon.process_of(0), daemon.process_of(1)
    assert first != second
    assert [daemon.process_of(number) for number in (2, 3, 4)] == [first, second, first]
    assert int(other.request(0, b"x").rpartition(b" ")[2]) == first


def test_a_request_that_fails_raises_its_failure_in_the_worker(daemon: Daemon) -> None:
    with pytest.raises(WorkerError, match="ValueError: of the user"):
        daemon.servers.request(0, b"fail")
    with pytest.raises(WorkerError, match="CodecError: unreadable") as caught:
        daemon.servers.request(0, b"worker error")
    assert (caught.value.failure.retryable, caught.value.failure.notes) == (True, ("a note",))
    assert daemon.servers.request(0, b"x").startswith(b"x in ")


def test_a_server_that_has_ended_is_started_again(daemon: Daemon) -> None:
    before = daemon.process_of(1)
    with pytest.raises(ServerUnavailableError, match="server process 1 does not answer"):
        daemon.servers.request(1, b"exit")
    assert daemon.process_of(1) != before


@pytest.mark.parametrize("signal_or_end", ["end of input", "kill"])
def test_the_servers_and_their_folder_end_with_the_daemon(daemon: Daemon, signal_or_end: str) -> None:
    processes = [daemon.process_of(0), daemon.process_of(1)]
    folder = daemon.servers.folder
    assert folder is not None
    assert folder.stat().st_mode & 0o777 == 0o700
    if signal_or_end == "kill":
        daemon.process.kill()
    daemon.process.communicate()
    for process in processes:
        _wait_until_ended(process)
    deadline = time.monotonic() + 10
    while folder.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    with pytest.raises(ServerUnavailableError, match="does not answer"):
        daemon.servers.request(0, b"x")


def test_workers_without_servers_get_an_error() -> None:
    with pytest.raises(ServerUnavailableError, match="the workers have no server processes"):
        Servers().request(0, b"x")
