"""The output of Spark's processes: it goes to a file, not to the standard error of the command."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, Self

_POLL_S: Final = 0.2


class SparkLog:
    """The log file of Spark in this process, which all flows share that it runs; used as a context manager.

    `file` is None until it is opened.
    """

    def __init__(self) -> None:
        self._lock, self._stack = threading.Lock(), ExitStack()
        self.file: Path | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._stack.close()

    def open(self, file: Path, receive: Callable[[str], None]) -> None:
        """Append Spark's output to a file, unless another caller has named one before; `receive` is called with each line."""
        with self._lock:
            if self.file is None:
                self.file = self._stack.enter_context(spark_output_to(file))
                self._stack.enter_context(followed(file, receive))


@contextmanager
def spark_output_to(file: Path) -> Iterator[Path]:
    """Append the standard error of processes that are started in the `with` block to a file.

    This process keeps its own standard error.
    """
    file.parent.mkdir(0o700, parents=True, exist_ok=True)
    file.touch(0o600)
    sys.stderr.flush()
    own_descriptor, own_stderr = os.dup(2), sys.stderr
    with (
        file.open("ab") as log,
        os.fdopen(own_descriptor, "w", buffering=1, encoding="utf-8", errors="backslashreplace") as console,
    ):
        os.dup2(log.fileno(), 2)
        sys.stderr = console
        try:
            yield file
        finally:
            console.flush()
            sys.stderr = own_stderr
            os.dup2(own_descriptor, 2)


@contextmanager
def followed(file: Path, receive: Callable[[str], None]) -> Iterator[None]:
    """Call a function, in a thread, with each line that is appended to a file in the `with` block."""
    stopping = threading.Event()
    with file.open("rb") as lines:
        lines.seek(0, os.SEEK_END)

        def follow() -> None:
            rest = b""
            while True:
                ending = stopping.wait(_POLL_S)
                *complete, rest = (rest + lines.read()).split(b"\n")
                for line in complete:
                    receive(line.decode("utf-8", "replace"))
                if ending:
                    return

        thread = threading.Thread(target=follow, name="spark-log", daemon=True)
        thread.start()
        try:
            yield
        finally:
            stopping.set()
            thread.join()
