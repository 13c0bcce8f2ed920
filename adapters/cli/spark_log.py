"""The output of Spark's processes: it goes to a file, not to the standard error of the command."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
