"""Keeps what Spark's own processes print out of the command's standard error: it goes to a file."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def spark_output_to(file: Path) -> Iterator[Path]:
    """Processes started meanwhile write their standard error to the file; this process goes on writing where it did."""
    file.parent.mkdir(parents=True, exist_ok=True)
    sys.stderr.flush()
    own, usual = os.dup(2), sys.stderr
    with file.open("ab") as log, os.fdopen(own, "w", buffering=1, encoding="utf-8", errors="backslashreplace") as console:
        os.dup2(log.fileno(), 2)
        sys.stderr = console
        try:
            yield file
        finally:
            console.flush()
            sys.stderr = usual
            os.dup2(own, 2)
