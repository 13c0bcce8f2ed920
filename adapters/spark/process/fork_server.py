"""A process that forks the Python processes that Java starts for a query, with all that they need imported."""

import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
import threading
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Final

from eddyline.adapters.spark.process.startup.eddyline_fork_client import ACCEPTED, PROGRAMS, folder_of
from eddyline.adapters.spark.worker.server_process import close_in_forks

_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def start_fork_server() -> None:
    """Start the server of the Java process that has started this one; it ends with this process.

    Call it before this process has threads. Without a folder of its own for the socket it does nothing.
    """
    for words in PROGRAMS:
        importlib.import_module(words[-1])
    address = folder_of(os.getppid()) / f"{os.getpid()}.sock"
    listening = socket.socket(socket.AF_UNIX)
    try:
        address.parent.mkdir(0o700, exist_ok=True)
        address.unlink(missing_ok=True)
        listening.bind(str(address))
    except OSError:
        listening.close()
        return
    listening.listen(128)
    alive, held = os.pipe()
    if os.fork() == 0:
        try:
            os.close(held)
            _serve(listening, alive)
            address.unlink(missing_ok=True)
            address.parent.rmdir()
        except OSError:  # another server of this Java process uses the folder
            os._exit(0)
        except BaseException:  # noqa: BLE001 - a forked process must not go on with what the daemon does
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(0)
    listening.close()
    os.close(alive)
    close_in_forks(held)


def _serve(listening: socket.socket, alive: int) -> None:
    """Fork for each connection until the process that holds the other end of the pipe `alive` has ended."""
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # what the daemon writes there is for Java
    for number in (*_SIGNALS, signal.SIGCHLD):
        signal.signal(number, signal.SIG_IGN)
    while alive not in select.select([listening.fileno(), alive], [], [])[0]:
        connection, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            os.close(alive)
            _run(connection)
        connection.close()


def _run(connection: socket.socket) -> None:
    """Run the requested program with the environment and the streams of the process that is connected; do not return."""
    try:
        os.setpgid(0, 0)
        for number in (*_SIGNALS, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        length, streams, _, _ = socket.recv_fds(connection, 4, 3)
        with connection.makefile("rb") as content:
            program, environment = json.loads(content.read(int.from_bytes(length, "big")))
        if environment.get("PYTHONPATH") != os.environ.get("PYTHONPATH"):
            os._exit(0)
        connection.sendall(ACCEPTED)
        for place, descriptor in enumerate(streams):
            os.dup2(descriptor, place)
            os.close(descriptor)
        os.environ.clear()
        os.environ.update(environment)
        threading.Thread(target=_exit_with, args=(connection,), daemon=True).start()
        code = _exit_code(program)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        with suppress(OSError):
            connection.sendall(bytes([code & 0xFF]))
    finally:
        os._exit(0)


def _exit_code(program: list[str]) -> int:
    sys.argv, module = program, program[0]
    sys.modules.pop(module, None)  # it is imported already, and runs as the program now
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001 - printed, as Python does
        traceback.print_exc()
        return 1
    return 0


def _exit_with(connection: socket.socket) -> None:
    """End when the process that is connected has ended: Java has killed it. A daemon ends its workers first."""
    with suppress(OSError):
        connection.recv(1)
    os.kill(os.getpid(), signal.SIGTERM)
