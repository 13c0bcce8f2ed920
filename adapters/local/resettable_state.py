"""What the local engine keeps beside the log: a folder with a lock and the journal of commits."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from eddyline.adapters.local.alone import LockMembership
from eddyline.application.ports.resettable_state import (
    Application,
    ApplicationRunningError,
    Artifact,
    ResettableState,
    counted,
)
from eddyline.application.runtime.plan.application_ids import check_application_id

_FOLDER: Final = "journal of the local engine"


class LocalResettableState(ResettableState):
    """The folders of applications in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = Path(folder)

    @contextmanager
    def locked(self, application: Application) -> Iterator[None]:
        path = self._path(application)
        if not path.is_dir():
            yield
            return
        lock = LockMembership(1, path)
        if not lock.held():
            raise ApplicationRunningError(
                f"application '{application.id}' is running: its folder '{path}' is in use; stop that run first"
            )
        try:
            yield
        finally:
            lock.close()

    def find(self, application: Application) -> Sequence[Artifact]:
        path = self._path(application)
        files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else []
        return [Artifact(_FOLDER, str(path), counted(len(files), "file"))] if path.is_dir() else []

    def remove(self, application: Application, artifact: Artifact) -> None:
        del artifact
        shutil.rmtree(self._path(application), ignore_errors=True)

    def _path(self, application: Application) -> Path:
        return self._folder / check_application_id(application.id)
