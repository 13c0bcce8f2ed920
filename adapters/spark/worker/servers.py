"""Server processes of a daemon: each works for the daemon's workers, which reach it by a socket, and lives as long as the daemon.

Spark gives a partition now to one worker and now to another. What should stay in one process from batch to batch, such as the
state of a task or the producer of a slot, is therefore kept in a server process, to which the workers pass on what belongs
there. A server does one request at a time, in its main thread, as a worker does.
"""

import os
import socket
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from eddyline.adapters.spark.failures import Failure, WorkerError

Ask: TypeAlias = Callable[[bytes], bytes]
"""Asks the worker whose request is handled, and returns its reply."""

Handle: TypeAlias = Callable[[bytes, Ask], Iterator[bytes]]
"""Yields the parts of the answer to a request."""

PART, QUESTION, END, FAILURE = (bytes([kind]) for kind in range(4))
_ATTEMPTS: Final = 3
"""A server that is ending may still accept a connection."""


class ServerUnavailableError(Exception):
    """There is no server process; the worker has to do the work itself."""


class ServerEndedError(RuntimeError):
    """A server process has ended before it answered."""


class _Message(NamedTuple):
    kind: bytes
    body: memoryview
    connection: Connection


class Servers:
    """The server processes as the workers see them; their addresses are files in `folder`, None if there are no servers."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.count = 0
        self._connections: dict[int, Connection] = {}
        os.register_at_fork(after_in_child=self._connections.clear)

    def request(self, number: int, payload: bytes, reply: Ask | None = None) -> Iterator[memoryview]:
        """Yield the parts of a server's answer to a request.

        Args:
            number: Chooses the server, modulo the number of servers.
            payload: The request.
            reply: Replies to questions that the server asks meanwhile.

        Raises:
            ServerUnavailableError: There is no such server.
            ServerEndedError: The server has ended before it answered.
            WorkerError: The request has failed.
        """
        if self.folder is None:
            raise ServerUnavailableError("the workers have no server processes")
        index = number % self.count
        for attempts_left in reversed(range(_ATTEMPTS)):
            begun = False
            try:
                for message in self._messages(index, self._connection(self.folder, index), payload):
                    begun = True
                    if message.kind == PART:
                        yield message.body
                    elif reply is not None:
                        message.connection.send_bytes(reply(bytes(message.body)))
            except (OSError, EOFError) as error:
                if begun or not attempts_left:
                    raise ServerEndedError(
                        f"server process {index} of the workers has ended in the middle of a batch; if it was killed for lack of "
                        "memory, lower max.batch.records or give the machine more"
                    ) from error
            else:
                return

    def _messages(self, index: int, connection: Connection, payload: bytes) -> Iterator[_Message]:
        """Send a request; yield the messages that the server sends until it has answered."""
        finished = False
        try:
            connection.send_bytes(payload)
            while not finished:
                received = memoryview(connection.recv_bytes())
                kind = bytes(received[:1])
                finished = kind in {END, FAILURE}
                if kind == FAILURE:
                    raise WorkerError(Failure.from_json(bytes(received[1:])))
                if not finished:
                    yield _Message(kind, received[1:], connection)
        finally:
            if finished:
                self._connections[index] = connection
            else:
                connection.close()  # ends the server if it is at work for this worker

    def _connection(self, folder: Path, index: int) -> Connection:
        """Return the open connection to a server, or a new one if there is none or its server has ended meanwhile."""
        found = self._connections.pop(index, None)
        if found is not None and found.poll():  # nothing is sent between requests, so this is the end
            found.close()
            found = None
        return found or _connected(address_of(folder, index))


SERVERS: Final = Servers()
"""The server processes of this worker's daemon."""


def address_of(folder: Path, index: int) -> Path:
    """Return the address of a server's socket."""
    return folder / f"{index}.sock"


def _connected(address: Path) -> Connection:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(address))
    except OSError as error:
        connection.close()
        raise ServerUnavailableError(f"server process {address.stem} does not answer: {error}") from error
    return Connection(connection.detach())
