"""Writes that survive a crash of the process or the machine."""

import os
from pathlib import Path


def write_all(fd: int, data: bytes) -> None:
    """Write all of the data to an open file, in several calls if the system accepts only a part at a time."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def write_file(path: Path, data: bytes) -> None:
    """Write a new file and sync its contents; its name is durable after `sync_folder`."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        write_all(fd, data)
        os.fsync(fd)
    finally:
        os.close(fd)


def sync_folder(folder: Path) -> None:
    """Sync the names of the files in a folder."""
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
