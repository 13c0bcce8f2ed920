"""Programs that run in forks, tried with a daemon and programs that this process starts as Java does."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from eddyline.adapters.spark.process.startup import eddyline_fork_client
from eddyline.adapters.spark.process.startup.eddyline_fork_client import folder_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="daemons of Spark fork on Linux")

_PROGRAM = """
import os, sys, time
if __name__ == "__main__":
    print(os.environ["GREETING"], os.getppid(), os.getpid(), flush=True)
    print("a problem", file=sys.stderr)
    if os.environ["GREETING"] == "sleep":
        time.sleep(60)
    sys.exit(7)
"""
_DAEMON = """
import sys
from eddyline.adapters.spark.process import fork_server
fork_server.PROGRAMS = (("program",), ("pyspark.daemon", "pyspark.sql.worker.plan_data_source_read"))
fork_server.start_fork_server()
print("ready", flush=True)
sys.stdin.read()
"""
_STARTED_BY_JAVA = """
import os, sys
from eddyline.adapters.spark.process.startup import eddyline_fork_client as client
client.PROGRAMS, sys.orig_argv = (("program",),), ["python", "-m", "program"]
client.run_in_fork()
print("runs itself")
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "program.py").write_text(_PROGRAM)
    return os.pathsep.join([str(Path(eddyline_fork_client.__file__).parent), str(tmp_path), *sys.path])


@pytest.fixture
def daemon(path: str) -> Iterator[subprocess.Popen[str]]:
    """A process with a fork server for what this process starts."""
    process = subprocess.Popen(
        [sys.executable, "-c", _DAEMON],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    yield process
    process.kill()
    process.communicate()


def started(path: str, greeting: str = "hello") -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": path, "GREETING": greeting}
    words = [sys.executable, "-c", _STARTED_BY_JAVA]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def started_daemon(path: str) -> "subprocess.Popen[bytes]":
    """Start a daemon of Spark as Java does, up to the port that it prints."""
    words = [sys.executable, "-m", "pyspark.daemon", "pyspark.sql.worker.plan_data_source_read"]
    environment = {**os.environ, "PYTHONPATH": path}
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    assert process.stdout is not None
    assert int.from_bytes(process.stdout.read(4), "big") > 0
    return process


def forks_of(server: subprocess.Popen[str]) -> list[int]:
    """Return the forks of the fork server that this daemon has started."""
    return [fork for child in children_of(server.pid) for fork in children_of(child)]


def children_of(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def modules_of(process: int) -> str:
    return Path(f"/proc/{process}/maps").read_text()


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_fork_has_the_environment_the_output_and_the_exit_code_of_the_process(daemon: subprocess.Popen[str], path: str) -> None:
    for greeting in ("hello", "again"):
        process = started(path, greeting)
        out, err = process.communicate(timeout=120)
        greeted, parent, own = out.split()
        assert (greeted, err, process.returncode) == (greeting, "a problem\n", 7)
        assert int(own) != process.pid
        assert int(parent) not in {os.getpid(), process.pid, daemon.pid}


def test_without_a_fork_server_a_process_runs_its_program_itself(path: str) -> None:
    assert started(path).communicate(timeout=120)[0] == "runs itself\n"


@pytest.mark.usefixtures("daemon")
def test_a_process_with_another_module_path_runs_its_program_itself(path: str) -> None:
    assert started(f"{path}{os.pathsep}/elsewhere").communicate(timeout=120)[0] == "runs itself\n"


@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_fork_ends_with_the_process(path: str, number: signal.Signals) -> None:
    process = started(path, "sleep")
    assert process.stdout is not None
    fork = int(process.stdout.readline().split()[2])
    assert is_running(fork)
    process.send_signal(number)
    until(lambda: not is_running(fork))
    process.communicate()


def test_the_server_and_its_folder_end_with_the_daemon(daemon: subprocess.Popen[str], path: str) -> None:
    folder = folder_of(os.getpid())
    assert [file.name for file in folder.iterdir()] == [f"{daemon.pid}.sock"]
    daemon.kill()
    until(lambda: not folder.exists())
    assert started(path).communicate(timeout=120)[0] == "runs itself\n"


@pytest.mark.parametrize("end", [lambda process: process.stdin.close(), lambda process: process.kill()], ids=["stdin", "kill"])
def test_a_daemon_of_spark_runs_in_a_fork_until_java_closes_its_input_or_kills_it(
    daemon: subprocess.Popen[str], path: str, end: Callable[["subprocess.Popen[bytes]"], None]
) -> None:
    process = started_daemon(path)
    (fork,) = forks_of(daemon)
    assert "pyarrow" not in modules_of(process.pid)
    assert "pyarrow" in modules_of(fork)
    end(process)
    until(lambda: not is_running(fork))
    assert process.wait(120) in {1, -signal.SIGKILL}
    assert process.stderr is not None
    assert process.stderr.read() == b""


def test_a_daemon_of_spark_without_a_fork_server_runs_itself(path: str) -> None:
    process = started_daemon(path)
    assert "pyarrow" not in modules_of(process.pid)
    process.communicate(timeout=120)
    assert process.returncode == 1
