"""The resettable state of an application on Spark: its checkpoint, with offsets and state, and Spark's log file.

It can be listed, locked and removed without Spark being installed.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from uuid import uuid4

from eddyline.adapters.spark.driver.checkpoint_files import LOCK_FILE
from eddyline.application.ports.resettable_state import Application, ApplicationRunningError, Artifact, ResettableState

_CHECKPOINT: Final = "checkpoint"
_REMOVED: Final = "partly removed checkpoint"
_LOG: Final = "Spark log"
_UNITS: Final = ("bytes", "kB", "MB", "GB")
_THOUSAND: Final = 1000


class CheckpointResettableState(ResettableState):
    """The checkpoint `<application id>` and the log file `<application id>-spark.log` in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = Path(folder)

    @contextmanager
    def locked(self, application: Application) -> Iterator[None]:
        """Take the lock that a run holds; file locks of Java and of Python exclude each other."""
        checkpoint = self._folder / application.id
        if not checkpoint.is_dir():
            yield
            return
        handle = os.open(checkpoint / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            try:
                fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except (BlockingIOError, PermissionError):
                raise ApplicationRunningError(
                    f"application '{application.id}' is running: its checkpoint '{checkpoint}' is in use; stop that run first"
                ) from None
            yield
        finally:
            os.close(handle)

    def find(self, application: Application) -> Sequence[Artifact]:
        found = [(_CHECKPOINT, self._folder / application.id)]
        found += [(_REMOVED, path) for path in sorted(self._folder.glob(f".{application.id}.removed-*"))]
        found += [(_LOG, self._folder / f"{application.id}-spark.log")]
        return [Artifact(kind, str(path), _size(path)) for kind, path in found if path.exists()]

    def remove(self, application: Application, artifact: Artifact) -> None:
        """Remove an artifact; a checkpoint is renamed first, so that no run can continue from a part of it."""
        path = Path(artifact.location)
        if artifact.kind == _CHECKPOINT:
            path = path.rename(path.with_name(f".{application.id}.removed-{uuid4().hex}"))
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _size(path: Path) -> str:
    files = [file.stat().st_size for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path.stat().st_size]
    amount, unit = float(sum(files)), 0
    while amount >= _THOUSAND and unit + 1 < len(_UNITS):
        amount, unit = amount / _THOUSAND, unit + 1
    shown = f"{amount:.0f} {_UNITS[unit]}" if unit == 0 else f"{amount:.1f} {_UNITS[unit]}"
    return f"{shown} in {len(files)} files" if path.is_dir() else shown
