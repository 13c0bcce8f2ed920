"""Starting, watching and ending one process of a service."""

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
    """A port of the loopback address that nothing listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_free(port: int) -> bool:
    """Whether nothing listens on this port of the loopback address."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


_STARTER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="starts-services")
"""What is guarded ends with the thread that started it, so this thread lives as long as the process."""


class ServiceProcess:
    """A process in a group of its own, so that a Ctrl-C in the terminal does not reach it before its owner has let go of it.

    With `outlives` false it ends with this process, however this ends: normally, by an exception, or by a kill.
    With `outlives` true it goes on until someone stops it.
    """

    def __init__(
        self, name: str, command: Sequence[str | Path], *, log: Path, environment: Mapping[str, str] | None = None, outlives: bool
    ) -> None:
        self._name = name
        self._log = log
        log.parent.mkdir(parents=True, exist_ok=True)
        words = [str(word) for word in command]
        if not outlives:
            words = [sys.executable, "-I", "-S", guard.__file__, str(os.getpid()), *words]
        with log.open("wb") as sink:

            def start() -> subprocess.Popen[bytes]:
                return subprocess.Popen(  # noqa: S603 - the command is made here, of paths that were found
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=sink,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, **(environment or {})},
                    start_new_session=True,
                )

            self._process = _STARTER.submit(start).result()
        if not outlives:
            atexit.register(self.kill)

    @property
    def pid(self) -> int:
        """The number of the process, which is that of its group too."""
        return self._process.pid

    def wait_until(self, ready: Callable[[], bool], timeout_s: float) -> None:
        """Returns once `ready()` is true.

        Raises ServiceStartError when the process ends before that, or when time is up (it is killed then).
        """
        deadline = time.monotonic() + timeout_s
        while not ready():
            code = self._process.poll()
            if code is not None:
                raise ServiceStartError(f"the {self._name} ended with code {code} while starting; {self._log_end()}")
            if time.monotonic() > deadline:
                self.kill()
                raise ServiceStartError(
                    f"the {self._name} was not ready after {timeout_s:.0f} s and was stopped; {self._log_end()}"
                )
            time.sleep(_POLL_S)

    def stop(self, timeout_s: float = 20.0) -> None:
        """Asks the process to end and waits for it; kills it when time is up."""
        if self._process.poll() is None:
            _signal_group(self.pid, signal.SIGTERM)
            try:
                self._process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                self.kill()
        atexit.unregister(self.kill)

    def kill(self) -> None:
        """Ends the process at once."""
        if self._process.poll() is None:
            _signal_group(self.pid, signal.SIGKILL)
            self._process.wait()

    def _log_end(self) -> str:
        lines = "\n".join(self._log.read_text(errors="replace").splitlines()[-_LOG_LINES:])
        return f"the end of {self._log}:\n{lines}"


def stop_process(pid: int, timeout_s: float = 20.0) -> None:
    """Ends a process group that an earlier run of the program started: by request, then by force when time is up."""
    _signal_group(pid, signal.SIGTERM)
    deadline = time.monotonic() + timeout_s
    while birth_of(pid) is not None:
        if time.monotonic() > deadline:
            _signal_group(pid, signal.SIGKILL)
            deadline = float("inf")
        time.sleep(_POLL_S)


def birth_of(pid: int) -> str | None:
    """When the process began, as text to compare with (a process number alone may be used again); None when it does not run."""
    stat = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        state, born = fields[0], fields[19]
        return None if state == "Z" else born
    command = [shutil.which("ps") or "/bin/ps", "-p", str(pid), "-o", "lstart="]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - a number and fixed words
    return answer.stdout.strip() or None


def _signal_group(pid: int, number: signal.Signals) -> None:
    try:
        os.killpg(pid, number)
    except ProcessLookupError:
        return
