"""Lets a fork of a process that has imported pyspark and Eddyline do the work of a Python process that Java has started.

Java starts one for the source of each query and one for each of its stages, and daemons that create a source and plan how it is
read. They would import for half a second what the daemon of the workers has imported already. This module is imported before
anything else, so it needs only the standard library.
"""

import json
import os
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PROGRAMS = (
    ("pyspark.sql.streaming.python_streaming_source_runner",),
    ("pyspark.sql.streaming.transform_with_state_driver_worker",),
    ("pyspark.daemon", "pyspark.sql.worker.lookup_data_sources"),
    ("pyspark.daemon", "pyspark.sql.worker.create_data_source"),
    ("pyspark.daemon", "pyspark.sql.worker.plan_data_source_read"),
)
"""The programs of these processes: a module, and its argument if it has one."""

ACCEPTED = b"+"
"""The first answer of a fork; the second one is its exit code, a byte."""


_LONGEST = 60
"""The path of a socket has at most 107 characters, of which the folder for sockets gets this many."""


def folder_for_sockets() -> str:
    """Return the folder for temporary files; /tmp if its path is too long, as those of containers of YARN are."""
    usual = tempfile.gettempdir()
    return usual if len(usual) <= _LONGEST else "/tmp"  # noqa: S108 - only folders of this user are made in it


def folder_of(java: int) -> Path:
    """Return the folder with the sockets of the fork servers of a Java process."""
    return Path(folder_for_sockets(), f"eddyline-forks-{os.getuid()}-{java}")


def run_in_fork() -> None:
    """Exit when a fork has run the program of this process; return if it is another program, or there is no fork server."""
    program = tuple(sys.orig_argv[2:])
    if sys.orig_argv[1:2] != ["-m"] or program not in PROGRAMS:
        return
    for address in _addresses(folder_of(os.getppid())):
        with socket.socket(socket.AF_UNIX) as connection:
            if _is_accepted(connection, address, program):
                code = b""
                with suppress(OSError):
                    code = connection.recv(1)
                os._exit(code[0] if code else 1)


def _is_accepted(connection: socket.socket, address: Path, program: tuple[str, ...]) -> bool:
    """Send the program, the environment and the streams of this process to a fork; return whether it runs the program."""
    request = json.dumps([program, dict(os.environ)]).encode()
    try:
        connection.connect(str(address))
        socket.send_fds(connection, [len(request).to_bytes(4, "big")], [0, 1, 2])
        connection.sendall(request)
        return connection.recv(1) == ACCEPTED
    except OSError:
        return False


def _addresses(folder: Path) -> Iterator[Path]:
    """Yield the sockets in a folder that nobody else can have made."""
    with suppress(OSError):
        if folder.stat().st_uid == os.getuid():
            yield from folder.glob("*.sock")
