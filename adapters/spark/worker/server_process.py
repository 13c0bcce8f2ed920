"""The server processes of a daemon: how they start, what they do for the workers, and how they end."""

import os
import select
import signal
import socket
import sys
import tempfile
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from eddyline.adapters.spark.failures import Failure, WorkerError
from eddyline.adapters.spark.worker.servers import END, FAILURE, PART, QUESTION, SERVERS, Handle, address_of

_POLL_MS: Final = 1_000
_ENDING: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def start_servers(handle: Handle, count: int, parent: str) -> None:
    """Start a process that starts servers when they are needed first; the workers that are forked afterwards find them.

    Call it in the daemon before its first worker, and in its process group, so that they end with the daemon.

    Args:
        handle: Handles the requests.
        count: The number of servers.
        parent: Where a folder for their sockets is made; its path has at most 60 characters, since those of sockets have 107.
    """
    folder = Path(tempfile.mkdtemp(prefix="eddyline-servers-", dir=parent))
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
    close_in_forks(held)
    os.read(ready, 1)
    os.close(ready)
    SERVERS.folder, SERVERS.count = folder, count


def close_in_forks(descriptor: int) -> None:
    """Let processes that this one forks close a file, once: what they fork may have another file under the same number."""
    remaining = [descriptor]

    def close() -> None:
        while remaining:
            os.close(remaining.pop())

    os.register_at_fork(after_in_child=close)


def _supervise(handle: Handle, folder: Path, count: int, alive: int, started: int) -> None:
    """Fork a server whenever a worker connects to one that does not run, until the daemon has ended."""
    _leave_pipes()
    listening = {index: _listening(address_of(folder, index)) for index in range(count)}
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


class _Caller:
    """A worker that is connected to this server process."""

    def __init__(self, connection: Connection, requests: "SimpleQueue[tuple[_Caller, bytes]]") -> None:
        self._connection, self._requests = connection, requests
        self._replies: SimpleQueue[bytes] = SimpleQueue()
        self._waiting = self._handled = self._gone = False

    def listen(self) -> None:
        """Take requests and replies until the worker has closed the connection.

        If its request is being handled then, Spark has ended the worker, and this process ends as well.
        """
        with suppress(EOFError, OSError):
            while True:
                received = self._connection.recv_bytes()
                if self._waiting:
                    self._replies.put(received)
                else:
                    self._waiting = True
                    self._requests.put((self, received))
        if self._handled:
            os._exit(1)
        self._gone = True

    def handle(self, request: bytes, handle: Handle) -> None:
        """Handle a request, and send the answer."""
        if self._gone:
            return
        self._handled = True
        end = END
        try:
            for part in handle(request, self._ask):
                self._connection.send_bytes(PART + part)
        except WorkerError as error:
            end = FAILURE + error.failure.to_json().encode()
        except Exception as error:  # noqa: BLE001 - the worker raises it
            end = FAILURE + Failure.of(error).to_json().encode()
        self._waiting = self._handled = False
        with suppress(OSError):
            self._connection.send_bytes(end)

    def _ask(self, question: bytes) -> bytes:
        self._connection.send_bytes(QUESTION + question)
        return self._replies.get()


def _serve(handle: Handle, listening: socket.socket, alive: int) -> None:
    """Handle the requests of all workers until the daemon has ended."""
    for number in _ENDING:
        signal.signal(number, signal.SIG_DFL)
    requests: SimpleQueue[tuple[_Caller, bytes]] = SimpleQueue()
    threading.Thread(target=_exit_with_daemon, args=(alive,), daemon=True).start()
    threading.Thread(target=_accept, args=(listening, requests), daemon=True).start()
    while True:
        caller, request = requests.get()
        caller.handle(request, handle)


def _accept(listening: socket.socket, requests: "SimpleQueue[tuple[_Caller, bytes]]") -> None:
    while True:
        accepted, _ = listening.accept()
        caller = _Caller(Connection(accepted.detach()), requests)
        threading.Thread(target=caller.listen, daemon=True).start()


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


def _listening(address: Path) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(address))
    listening.listen(128)
    return listening


def _remove(folder: Path) -> None:
    for path in folder.glob("*.sock"):
        path.unlink(missing_ok=True)
    folder.rmdir()
