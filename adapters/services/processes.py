"""Starts, monitors and stops the processes of the services."""

import atexit
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from eddyline.adapters.services import guard
from eddyline.adapters.services.errors import ServiceStartError

_POLL_S = 0.05
_LOG_LINES = 15


def free_port() -> int:
    """Return a port of the loopback address that is not in use at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_free(port: int) -> bool:
    """Return whether a port of the loopback address is not in use."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


_STARTER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="starts-services")
"""The kernel kills a guarded process when the thread that started it ends, so this thread lives as long as the process."""


class ServiceProcess:
    """A process in its own process group, so that Ctrl-C in the terminal reaches only the process that started it.

    Args:
        name: The name of the service, for error messages.
        command: The program and its arguments.
        log: The file for the output of the process; it is overwritten.
        environment: Environment variables to set.
        detached: Whether the process keeps running after this process ends. If not, it ends with this process, even if that
            is killed.
    """

    def __init__(
        self, name: str, command: Sequence[str | Path], *, log: Path, environment: Mapping[str, str] | None = None, detached: bool
    ) -> None:
        self._name = name
        self._log = log
        log.parent.mkdir(0o700, parents=True, exist_ok=True)
        log.touch(0o600)
        words = [str(word) for word in command]
        if not detached:
            words = [sys.executable, "-I", "-S", guard.__file__, str(os.getpid()), *words]
        with log.open("wb") as sink:

            def start() -> subprocess.Popen[bytes]:
                return subprocess.Popen(  # noqa: S603 - the callers build the command from constants and found paths
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=sink,
                    stderr=subprocess.STDOUT,
                    env={**_inherited(), **(environment or {})},
                    start_new_session=True,
                )

            self._process = _STARTER.submit(start).result()
        if not detached:
            atexit.register(self.kill)

    @property
    def pid(self) -> int:
        """The process id, which is also the id of the process group."""
        return self._process.pid

    def wait_until(self, ready: Callable[[], bool], timeout_s: float) -> None:
        """Wait until `ready()` is true; if it does not become true, kill the process.

        Raises:
            ServiceStartError: the process ended, or `timeout_s` seconds have passed. Any other error, such as
                KeyboardInterrupt, is raised too.
        """
        try:
            self._wait_until(ready, timeout_s)
        except BaseException:
            self.kill()
            raise

    def _wait_until(self, ready: Callable[[], bool], timeout_s: float) -> None:
        deadline = time.monotonic() + timeout_s
        while not ready():
            code = self._process.poll()
            if code is not None:
                raise ServiceStartError(f"the {self._name} ended with exit code {code} while starting; {self._log_end()}")
            if time.monotonic() > deadline:
                raise ServiceStartError(
                    f"the {self._name} was not ready after {timeout_s:.0f} s and was stopped; {self._log_end()}"
                )
            time.sleep(_POLL_S)

    def stop(self, timeout_s: float = 20.0) -> None:
        """Request the process to end, and kill it if it has not ended after `timeout_s` seconds."""
        if self._process.poll() is None:
            _signal_group(self.pid, signal.SIGTERM)
            try:
                self._process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                self.kill()
        atexit.unregister(self.kill)

    def kill(self) -> None:
        """Kill the process."""
        if self._process.poll() is None:
            _signal_group(self.pid, signal.SIGKILL)
            self._process.wait()

    def _log_end(self) -> str:
        lines = "\n".join(self._log.read_text(errors="replace").splitlines()[-_LOG_LINES:])
        return f"the end of {self._log}:\n{lines}"


def _inherited() -> dict[str, str]:
    """Return the environment without the settings of Eddyline, whose passwords a service does not need and would keep."""
    return {name: value for name, value in os.environ.items() if not name.startswith("EDDYLINE_")}


def stop_process(pid: int, timeout_s: float = 20.0) -> None:
    """Request a process group to end, and kill it if it has not ended after `timeout_s` seconds."""
    _signal_group(pid, signal.SIGTERM)
    deadline = time.monotonic() + timeout_s
    while start_time_of(pid) is not None:
        if time.monotonic() > deadline:
            _signal_group(pid, signal.SIGKILL)
            deadline = float("inf")
        time.sleep(_POLL_S)


def start_time_of(pid: int) -> str | None:
    """Return when a process started, None if it is not running.

    The text identifies the process together with its id, since process ids are reused; it has no fixed format.
    """
    stat = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        state, start_time = fields[0], fields[19]
        return None if state == "Z" else start_time
    command = [shutil.which("ps") or "/bin/ps", "-p", str(pid), "-o", "lstart="]
    run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - a number and constants
    return run.stdout.strip() or None


def _signal_group(pid: int, number: signal.Signals) -> None:
    try:
        os.killpg(pid, number)
    except ProcessLookupError:
        return
