"""Writing so that what was written outlives a killed process and a power cut."""

import os
from pathlib import Path


def write_all(handle: int, data: bytes) -> None:
    """Writes all of the data, however often the system takes only a part of it."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def sync_folder(folder: Path) -> None:
    """Makes sure that the names in the folder outlive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
