"""A lock is on the file that the path names when the lock is held, not on one that was replaced or deleted meanwhile."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from eddyline.adapters.files.file_lock import locked


def replaced(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b"new")
    other.replace(path)


@pytest.mark.parametrize("change", [Path.unlink, replaced], ids=["deleted", "replaced"])
def test_a_file_that_changes_while_its_lock_is_awaited_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    lock, waits = fcntl.flock, list[int]()

    def wait(fd: int, operation: int) -> None:
        if not waits:
            change(path)
        waits.append(fd)
        lock(fd, operation)

    monkeypatch.setattr(fcntl, "flock", wait)
    with locked(path) as fd:
        assert os.path.samestat(os.fstat(fd), path.stat())
    assert len(waits) == 2


def test_the_lock_excludes_others_and_is_released(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with locked(path), path.open("rb") as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with path.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
