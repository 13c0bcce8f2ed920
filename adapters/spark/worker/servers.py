"""Server processes of a daemon: each answers the requests of the daemon's workers on a socket, and lives as long as the daemon.

Spark gives a partition now to one worker and now to another. What should stay in one process from batch to batch, such as the
producer of a slot, is therefore kept in a server process, to which the workers pass on what belongs there.
"""

import os
import select
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from eddyline.adapters.spark.failures import Failure, WorkerError

_DONE, _FAILED = b"\0", b"\1"
_POLL_MS: Final = 1_000
_ENDING: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class ServerUnavailableError(Exception):
    """There is no server process, or it has ended; the worker has to do the work itself."""


class Servers:
    """The server processes as the workers see them; their addresses are files in `folder`, None if there are no servers."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.count = 0
        self._connections: dict[int, Connection] = {}
        os.register_at_fork(after_in_child=self._connections.clear)

    def request(self, number: int, payload: bytes) -> bytes:
        """Return the answer of a server to a request; `number` modulo the number of servers chooses the server.

        Raises:
            ServerUnavailableError: There is no such server, or it has ended before it answered.
            WorkerError: The request has failed.
        """
        if self.folder is None:
            raise ServerUnavailableError("the workers have no server processes")
        index = number % self.count
        try:
            connection = self._connections.get(index)
            if connection is None:
                connection = self._connections[index] = _connected(_address(self.folder, index))
            connection.send_bytes(payload)
            status = connection.recv_bytes()
            answer = connection.recv_bytes()
        except (OSError, EOFError) as error:
            self._connections.pop(index, None)
            raise ServerUnavailableError(f"server process {index} does not answer: {error}") from error
        if status == _FAILED:
            raise WorkerError(Failure.from_json(answer))
        return answer


SERVERS: Final = Servers()
"""The server processes of this worker's daemon."""


def start_servers(handle: Callable[[bytes], bytes], count: int) -> None:
    """Start a process that starts servers when they are needed first; the workers that are forked afterwards find them.

    Call it in the daemon before its first worker, and in its process group, so that they end with the daemon.

    Args:
        handle: Returns the answer to a request; it is called in several threads at the same time.
        count: The number of servers.
    """
    folder = Path(tempfile.mkdtemp(prefix="eddyline-servers-"))
    alive, held = os.pipe()
    ready, started = os.pipe()
    if os.fork() == 0:
        os.close(held)
        os.close(ready)
        try:
            _supervise(handle, folder, count, alive, started)
        except BaseException:  # noqa: BLE001 - a forked process must not go on with what the daemon does
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(0)
    os.close(alive)
    os.close(started)
    os.register_at_fork(after_in_child=lambda: os.close(held))
    os.read(ready, 1)
    os.close(ready)
    SERVERS.folder, SERVERS.count = folder, count


def _supervise(handle: Callable[[bytes], bytes], folder: Path, count: int, alive: int, started: int) -> None:
    """Fork a server whenever a worker connects to one that does not run, until the daemon has ended."""
    _leave_pipes()
    listening = {index: _listening(_address(folder, index)) for index in range(count)}
    os.close(started)
    running: dict[int, int] = {}
    while True:
        waiting = [index for index in listening if index not in running.values()]
        poller = select.poll()
        for descriptor in (alive, *(listening[index].fileno() for index in waiting)):
            poller.register(descriptor, select.POLLIN)
        ready = {descriptor for descriptor, _ in poller.poll(_POLL_MS if running else None)}
        if alive in ready:
            _remove(folder)
            return
        for index in waiting:
            if listening[index].fileno() in ready:
                child = os.fork()
                if child == 0:
                    _serve(handle, listening[index], alive)
                running[child] = index
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG)[0]) != 0:
                running.pop(ended, None)


def _serve(handle: Callable[[bytes], bytes], listening: socket.socket, alive: int) -> None:
    """Answer the requests of all workers until the daemon has ended."""
    for number in _ENDING:
        signal.signal(number, signal.SIG_DFL)
    threading.Thread(target=_exit_with_daemon, args=(alive,), daemon=True).start()
    while True:
        accepted, _ = listening.accept()
        threading.Thread(target=_answer, args=(handle, Connection(accepted.detach())), daemon=True).start()


def _answer(handle: Callable[[bytes], bytes], connection: Connection) -> None:
    for request in _requests(connection):
        try:
            status, answer = _DONE, handle(request)
        except WorkerError as error:
            status, answer = _FAILED, error.failure.to_json().encode()
        except Exception as error:  # noqa: BLE001 - the worker raises it
            status, answer = _FAILED, Failure.of(error).to_json().encode()
        with suppress(OSError):
            connection.send_bytes(status)
            connection.send_bytes(answer)


def _requests(connection: Connection) -> Iterator[bytes]:
    with connection, suppress(EOFError, OSError):
        while True:
            yield connection.recv_bytes()


def _exit_with_daemon(alive: int) -> None:
    os.read(alive, 1)
    os._exit(0)


def _leave_pipes() -> None:
    """Close the pipe through which Spark talks to the daemon, and outlive the signals that end the group with the daemon."""
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)


def _address(folder: Path, index: int) -> Path:
    return folder / f"{index}.sock"


def _listening(address: Path) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(address))
    listening.listen(128)
    return listening


def _connected(address: Path) -> Connection:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(address))
    except OSError:
        connection.close()
        raise
    return Connection(connection.detach())


def _remove(folder: Path) -> None:
    for path in folder.glob("*.sock"):
        path.unlink(missing_ok=True)
    folder.rmdir()
