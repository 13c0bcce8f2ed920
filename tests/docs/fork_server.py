"""A process that has imported what commands need, and runs each command in a fork of itself.

A short command spends most of its time on imports. A script with the command's name, `fork_client`, sends its arguments,
environment, working directory and standard streams; the fork takes them over, joins the script's process group, and runs the
entry point in the usual way up to the end of the interpreter. The script passes SIGINT and SIGTERM on, and exits as the command
does.
"""

import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ENTRY_POINTS = {
    "eddyline": "eddyline.adapters.cli.main:main",
    "pytest": "_pytest.config:_console_main",
    "run-blocks": "tests.docs.block_interpreter:main",
}
_NOT_IMPORTED = ("eddyline.__main__", "eddyline.adapters.spark.process.")
"""The program itself, and what Spark starts as a process of its own."""


def main() -> None:
    """Serve at the socket with the descriptor given as argument, until standard input ends; in a fork, run the command."""
    for name in _modules():
        importlib.import_module(name)
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as listener:
        _serve(listener)
    module, function = ENTRY_POINTS[Path(sys.argv[0]).name].split(":")
    sys.exit(getattr(importlib.import_module(module), function)())


def _modules() -> Iterator[str]:
    import eddyline  # noqa: PLC0415 - only the server imports it

    yield "pytest"
    for module in pkgutil.walk_packages(eddyline.__path__, "eddyline."):
        if not module.name.startswith(_NOT_IMPORTED):
            yield module.name


def _serve(listener: socket.socket) -> None:
    """Answer requests; return in each fork that is to run a command."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while listener in select.select([listener, sys.stdin], [], [])[0]:
        connection, _ = listener.accept()
        with connection:
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                _fork_command(connection)
                return
    sys.exit()


def _fork_command(connection: socket.socket) -> None:
    """Fork the command and tell the script its process and its exit code; return in the command."""
    _, streams, _, _ = socket.recv_fds(connection, 1, 3)
    with connection.makefile("rw") as lines:
        request = json.loads(lines.readline())
        os.setpgid(0, request["group"])
        process = os.fork()
        if process == 0:
            _become(request, streams)
            return
        for stream in streams:
            os.close(stream)
        print(process, file=lines, flush=True)
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), file=lines, flush=True)
    os._exit(0)


def _become(request: dict[str, Any], streams: list[int]) -> None:
    """Take over what belongs to the process of the script."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    for ignored in request["ignored"]:
        signal.signal(ignored, signal.SIG_IGN)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = request["words"]
    sys.path[0] = str(Path(sys.argv[0]).parent)


if __name__ == "__main__":
    main()
