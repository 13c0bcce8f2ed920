"""Exclusive locks on files, between threads and processes."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path, flags: int = 0) -> Iterator[int]:
    """Open a file with an exclusive lock and yield its descriptor; it is created if it does not exist, for its owner only."""
    while True:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | flags, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            if _is_current(path, fd):
                yield fd
                return
        finally:
            os.close(fd)


def _is_current(path: Path, fd: int) -> bool:
    """Return whether the path still names the open file: it may have been replaced while this process waited for the lock."""
    try:
        return os.path.samestat(path.stat(), os.fstat(fd))
    except FileNotFoundError:
        return False
