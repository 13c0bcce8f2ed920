"""The resettable state of an application on Spark: its checkpoint, with offsets, state and Spark's log file.

It can be listed, locked and removed without Spark being installed. A folder is removed only if the identity file, which a run
writes before it uses a new checkpoint, names the application.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from eddyline.adapters.spark.driver.checkpoint_files import LOCK_FILE, LOG_FILE
from eddyline.adapters.spark.driver.checkpoint_folders import CHECKPOINT, left_in, owner_of, removed_name, unmarked
from eddyline.application.ports.resettable_state import (
    Application,
    ApplicationRunningError,
    Artifact,
    ResettableState,
)
from eddyline.application.runtime.plan.application_ids import check_application_id

_UNITS: Final = ("bytes", "kB", "MB", "GB")
_THOUSAND: Final = 1000


class CheckpointResettableState(ResettableState):
    """The checkpoint `<application id>` in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = Path(folder)

    @contextmanager
    def locked(self, application: Application) -> Iterator[None]:
        """Take the lock that a run holds; file locks of Java and of Python exclude each other."""
        checkpoint = self._checkpoint(application)
        if checkpoint is None:
            yield
            return
        handle = os.open(checkpoint / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o600)
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
        checkpoint = self._checkpoint(application)
        found = [] if checkpoint is None else [(CHECKPOINT, checkpoint)]
        paths = sorted(self._folder.iterdir()) if self._folder.is_dir() else []
        found += left_in(application, paths)
        return [Artifact(kind, str(path), _size(path)) for kind, path in found]

    def remove(self, application: Application, artifact: Artifact) -> None:
        """Remove an artifact; a checkpoint is renamed first, so that no run can continue from a part of it."""
        path = Path(artifact.location)
        if artifact.kind == CHECKPOINT:
            if self._checkpoint(application) is None:
                return
            path = path.rename(path.with_name(removed_name(application)))
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def _checkpoint(self, application: Application) -> Path | None:
        """Return the checkpoint of the application, None if it has none.

        Raises:
            UnmarkedArtifactError: the folder in the place of the checkpoint does not belong to the application.
        """
        folder = self._folder / check_application_id(application.id)
        if not folder.is_dir():
            return None
        owner = owner_of(folder)
        if owner == application.id or (owner is None and _is_unused(folder)):
            return folder
        raise unmarked(folder, application, owner, "state.dir, or delete the folder")


def _is_unused(folder: Path) -> bool:
    """Return whether the folder has nothing but what a run creates before it marks a new checkpoint."""
    return not {path.name for path in folder.iterdir()} - {LOCK_FILE, LOG_FILE}


def _size(path: Path) -> str:
    files = [file.stat().st_size for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path.stat().st_size]
    amount, unit = float(sum(files)), 0
    while amount >= _THOUSAND and unit + 1 < len(_UNITS):
        amount, unit = amount / _THOUSAND, unit + 1
    shown = f"{amount:.0f} {_UNITS[unit]}" if unit == 0 else f"{amount:.1f} {_UNITS[unit]}"
    return f"{shown} in {len(files)} files" if path.is_dir() else shown
