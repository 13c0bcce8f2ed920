"""A checkpoint is locked by the Java process of a run; here the locks of Java are in memory."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from eddyline.adapters.spark.driver import checkpoint_lock
from eddyline.adapters.spark.driver.checkpoint import check_usable, identify
from eddyline.adapters.spark.driver.checkpoint_files import LOCK_FILE
from eddyline.adapters.spark.driver.checkpoint_lock import CheckpointError, lock
from eddyline.application.ports.event_log import LogIdentity
from eddyline.application.runtime.progress.log_identity import LogMismatchError
from tests.adapters.spark.topologies import copied

FILES = LogIdentity("files", "", {"lines": "1"})
INIT = 1
"""The id of a process that always runs, and is another one."""


class Jvm:
    """A Java process whose next attempts to lock a file are `refused` so many times."""

    def __init__(self, refused: int = 0) -> None:
        self.opened: list[tuple[str, str]] = []
        self.closed = 0
        self.refused = refused
        self.java = SimpleNamespace(io=SimpleNamespace(RandomAccessFile=self._open))

    def getChannel(self) -> "Jvm":  # noqa: N802 - Java's names
        return self

    def tryLock(self) -> object | None:  # noqa: N802
        self.refused -= 1
        return None if self.refused >= 0 else object()

    def close(self) -> None:
        self.closed += 1

    def _open(self, path: str, mode: str) -> "Jvm":
        self.opened.append((path, mode))
        return self


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint_lock, "_POLL_S", 0.0)
    monkeypatch.setattr(checkpoint_lock, "_LOCKED", set())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "checkpoints" / "app"


def test_a_lock_is_taken_on_the_lock_file_and_names_its_owner(folder: Path) -> None:
    jvm = Jvm()
    lock(jvm, folder, 0)
    assert jvm.opened == [(str(folder / LOCK_FILE), "rw")]
    assert (folder / LOCK_FILE).read_text() == str(os.getpid())
    assert folder.stat().st_mode & 0o777 == 0o700
    assert jvm.closed == 0


def test_a_checkpoint_is_locked_once_in_a_process_until_it_is_released(folder: Path) -> None:
    jvm = Jvm()
    held = lock(jvm, folder, 0)
    for attempt in (lambda: lock(Jvm(), folder, 0), lambda: check_usable(folder, "app", copied("lines"), FILES, 0)):
        with pytest.raises(CheckpointError) as error:
            attempt()
        assert str(error.value) == f"checkpoint '{folder}' is in use by another run; stop that run first"
    held.release()
    assert jvm.closed == 1
    check_usable(folder, "app", copied("lines"), FILES, 0)
    lock(Jvm(), folder, 0).release()


def test_a_relative_folder_is_the_same_checkpoint(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder.parent)
    held = lock(Jvm(), folder, 0)
    with pytest.raises(CheckpointError, match="in use"):
        lock(Jvm(), Path("app"), 0)
    with pytest.raises(CheckpointError, match="in use"):
        check_usable(Path("app"), "app", copied("lines"), FILES, 0)
    held.release()


def test_the_java_process_of_a_run_that_has_ended_is_waited_for(folder: Path) -> None:
    jvm = Jvm(refused=3)
    lock(jvm, folder, 60)
    assert (jvm.refused, jvm.closed) == (-1, 0)


def test_a_lock_that_is_not_released_in_time_is_an_error(folder: Path) -> None:
    jvm = Jvm(refused=1_000_000)
    with pytest.raises(CheckpointError, match="is in use by another run; stop that run first"):
        lock(jvm, folder, -1)
    assert jvm.closed == 1
    lock(Jvm(), folder, 0)


def test_a_lock_whose_owner_runs_is_not_waited_for(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / LOCK_FILE).write_text(str(INIT))
    jvm = Jvm(refused=1_000_000)
    with pytest.raises(CheckpointError, match=f"is in use by another run, process {INIT}; stop that run first"):
        lock(jvm, folder, 600)
    assert jvm.refused == 1_000_000 - 1


def test_an_unlocked_checkpoint_is_checked_too(folder: Path) -> None:
    identify(folder, "app", copied("lines"), 2, FILES)
    check_usable(folder, "app", copied("lines"), FILES, 0)
    with pytest.raises(CheckpointError, match="the sub-topology that reads 'others' is new"):
        check_usable(folder, "app", copied("others"), FILES, 0)
    other: Any = LogIdentity("files", "", {"lines": "2"})
    with pytest.raises(LogMismatchError, match="the positions of application 'app' belong to"):
        check_usable(folder, "app", copied("lines"), other, 0)
