import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from eddyline.adapters.services.errors import ServiceStartError
from eddyline.adapters.services.processes import ServiceProcess, free_port, is_free, start_time_of, stop_process

_SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]

_STARTER = """
import signal, sys, time
from pathlib import Path
from eddyline.adapters.services.processes import ServiceProcess
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell without job control ignores it in the background
process = ServiceProcess("sleeper", sys.argv[2:], log=Path(sys.argv[1]), detached=False)
print(process.pid, flush=True)
time.sleep(600)
"""


def _wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + 120
    while start_time_of(pid) is not None:
        assert time.monotonic() < deadline, f"process {pid} is still running"
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_process_ends_when_the_process_that_started_it_ends(tmp_path: Path, number: signal.Signals) -> None:
    starter = subprocess.Popen(
        [sys.executable, "-c", _STARTER, str(tmp_path / "log"), *_SLEEP], stdout=subprocess.PIPE, text=True
    )
    assert starter.stdout is not None
    pid = int(starter.stdout.readline())
    assert start_time_of(pid) is not None
    starter.send_signal(number)
    starter.communicate()
    _wait_until_gone(pid)


def test_a_detached_process_runs_until_it_is_stopped(tmp_path: Path) -> None:
    script = _STARTER.replace("detached=False", "detached=True").replace("time.sleep(600)", "")
    run = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "log"), *_SLEEP], capture_output=True, text=True, check=True
    )
    pid = int(run.stdout)
    assert start_time_of(pid) is not None
    stop_process(pid)
    _wait_until_gone(pid)


@pytest.mark.parametrize("detached", [True, False])
def test_a_service_inherits_no_setting_of_eddyline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, detached: bool) -> None:
    monkeypatch.setenv("EDDYLINE_SASL_PASSWORD", "hunter2")
    monkeypatch.setenv("OF_THE_USER", "kept")
    shown = tmp_path / "shown"
    program = f"import os, pathlib; pathlib.Path({str(shown)!r}).write_text(chr(10).join(os.environ.values()))"
    process = ServiceProcess("printer", [sys.executable, "-c", program], log=tmp_path / "log", detached=detached)
    _wait_until_gone(process.pid)
    assert "kept" in shown.read_text().splitlines()
    assert "hunter2" not in shown.read_text()


def test_a_process_that_ends_while_starting_is_reported_with_the_end_of_its_log(tmp_path: Path) -> None:
    process = ServiceProcess(
        "sleeper", [sys.executable, "-c", "import sys; sys.exit('no space left')"], log=tmp_path / "log", detached=False
    )
    with pytest.raises(ServiceStartError, match=r"the sleeper ended with exit code 1 while starting[\s\S]*no space left"):
        process.wait_until(lambda: False, 30)


def test_a_process_that_is_not_ready_before_the_timeout_is_killed(tmp_path: Path) -> None:
    process = ServiceProcess("sleeper", _SLEEP, log=tmp_path / "log", detached=False)
    with pytest.raises(ServiceStartError, match="the sleeper was not ready after 0 s and was stopped"):
        process.wait_until(lambda: False, 0.1)
    _wait_until_gone(process.pid)


def test_an_interrupted_start_leaves_no_detached_process(tmp_path: Path) -> None:
    def interrupt() -> bool:
        raise KeyboardInterrupt

    process = ServiceProcess("sleeper", _SLEEP, log=tmp_path / "log", detached=True)
    with pytest.raises(KeyboardInterrupt):
        process.wait_until(interrupt, 30)
    _wait_until_gone(process.pid)


def test_a_process_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    ignore_sigterm = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); time.sleep(600)"
    )
    process = ServiceProcess("sleeper", [sys.executable, "-c", ignore_sigterm], log=tmp_path / "log", detached=False)
    process.wait_until(lambda: "ready" in (tmp_path / "log").read_text(), 10)
    process.stop(timeout_s=0.2)
    _wait_until_gone(process.pid)


def test_a_process_is_identified_by_its_start_time() -> None:
    assert start_time_of(os.getpid()) == start_time_of(os.getpid()) is not None
    assert start_time_of(2**22 + 1) is None


def test_a_port_in_use_is_not_free() -> None:
    port = free_port()
    assert is_free(port)
    with socket.create_server(("127.0.0.1", port)):
        assert not is_free(port)
