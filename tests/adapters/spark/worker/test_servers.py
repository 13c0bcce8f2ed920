"""Server processes of a daemon, tried with a daemon in a process of its own."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from eddyline.adapters.spark.failures import WorkerError
from eddyline.adapters.spark.worker.servers import ServerEndedError, Servers, ServerUnavailableError

_DAEMON = """
import os, sys, time
from eddyline.adapters.spark.failures import Failure, WorkerError
from eddyline.adapters.spark.process.startup.eddyline_fork_client import folder_for_sockets
from eddyline.adapters.spark.worker.server_process import start_servers
from eddyline.adapters.spark.worker.servers import SERVERS

def handle(request, ask):
    if request == b"exit":
        os._exit(1)
    if request == b"ask":
        yield b"first"
        yield ask(b"what?") + ask(b"and?")
        return
    if request == b"sleep":
        yield b"%d" % os.getpid()
        time.sleep(60)
    if request == b"fail":
        raise ValueError("of the user")
    if request == b"worker error":
        raise WorkerError(Failure("CodecError", "unreadable", "", True, ("a note",)))
    yield b"%s in %d" % (request, os.getpid())

os.setpgid(0, 0)
start_servers(handle, 2, folder_for_sockets())
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
        return _process(self.servers, number)


def _process(servers: Servers, number: int) -> int:
    return int(_answer(servers, number, b"x")[0].rpartition(b" ")[2])


def _answer(servers: Servers, number: int, request: bytes) -> list[bytes]:
    return list(map(bytes, servers.request(number, request)))


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
    deadline = time.monotonic() + 120
    while _is_running(process):
        assert time.monotonic() < deadline, f"process {process} is still running"
        time.sleep(0.02)


def _is_running(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


def test_servers_answer_wherever_temporary_files_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    daemon: Daemon = request.getfixturevalue("daemon")
    assert daemon.process_of(0) != daemon.process_of(1)


def test_a_number_is_always_served_by_the_same_process(daemon: Daemon) -> None:
    other = Servers()
    other.folder, other.count = daemon.servers.folder, 2
    first, second = daemon.process_of(0), daemon.process_of(1)
    assert first != second
    assert [daemon.process_of(number) for number in (2, 3, 4)] == [first, second, first]
    assert _process(other, 0) == first


def test_a_request_that_fails_raises_its_failure_in_the_worker(daemon: Daemon) -> None:
    with pytest.raises(WorkerError, match="ValueError: of the user"):
        _answer(daemon.servers, 0, b"fail")
    with pytest.raises(WorkerError, match="CodecError: unreadable") as caught:
        _answer(daemon.servers, 0, b"worker error")
    assert (caught.value.failure.retryable, caught.value.failure.notes) == (True, ("a note",))
    assert _answer(daemon.servers, 0, b"x")[0].startswith(b"x in ")


def test_a_server_asks_its_worker_while_it_answers(daemon: Daemon) -> None:
    found = daemon.servers.request(0, b"ask", lambda question: question.upper())
    assert list(map(bytes, found)) == [b"first", b"WHAT?AND?"]


def test_a_server_that_has_ended_is_started_again(daemon: Daemon) -> None:
    before = daemon.process_of(1)
    with pytest.raises(ServerEndedError, match="server process 1 of the workers has ended in the middle of a batch"):
        _answer(daemon.servers, 1, b"exit")
    assert daemon.process_of(1) != before


def test_a_worker_finds_the_server_that_replaces_one_that_has_ended_between_two_requests(daemon: Daemon) -> None:
    before = daemon.process_of(1)
    os.kill(before, signal.SIGKILL)
    _wait_until_ended(before)
    assert daemon.process_of(1) != before


def test_a_server_ends_with_the_worker_for_which_it_is_at_work(daemon: Daemon) -> None:
    other = Servers()
    other.folder, other.count = daemon.servers.folder, 2
    answers = other.request(0, b"sleep")
    process = int(bytes(next(answers)))
    answers.close()  # type: ignore[attr-defined] # a generator
    _wait_until_ended(process)
    assert daemon.process_of(0) != process


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
    deadline = time.monotonic() + 120
    while folder.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    with pytest.raises(ServerUnavailableError, match="does not answer"):
        _answer(daemon.servers, 0, b"x")


def test_workers_without_servers_get_an_error() -> None:
    with pytest.raises(ServerUnavailableError, match="the workers have no server processes"):
        _answer(Servers(), 0, b"x")


_FORKS = """
import os
from eddyline.adapters.spark.worker.server_process import close_in_forks

def in_fork(action):
    child = os.fork()
    if child == 0:
        action()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0

def closed_and_used_again():
    assert os.open(os.devnull, os.O_RDONLY) == given
    in_fork(lambda: os.fstat(given))

given = os.open(os.devnull, os.O_RDONLY)
close_in_forks(given)
in_fork(closed_and_used_again)
os.fstat(given)
"""


def test_a_file_that_forks_close_is_not_closed_again_by_what_they_fork() -> None:
    done = subprocess.run([sys.executable, "-c", _FORKS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
