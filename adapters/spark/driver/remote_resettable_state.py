"""The resettable state of an application whose checkpoint is in a file system of Hadoop."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final
from uuid import uuid4

from eddyline.adapters.spark.driver.checkpoint_files import IDENTITY_FILE, LEASE_FOLDER
from eddyline.adapters.spark.driver.checkpoint_lock import CheckpointError, lock
from eddyline.adapters.spark.driver.hadoop_path import Hadoop, HadoopPath
from eddyline.application.ports.resettable_state import (
    Application,
    ApplicationRunningError,
    Artifact,
    ResettableState,
    UnmarkedArtifactError,
    counted,
)
from eddyline.application.runtime.application_ids import check_application_id

_CHECKPOINT: Final = "checkpoint"
_REMOVED: Final = "partly removed checkpoint"


class RemoteCheckpointState(ResettableState):
    """The checkpoint `<application id>` in the directory with this URI.

    Args:
        uri: The directory.
        start_java: Returns the gateway to Java, which is started when it is needed.
        settings: Settings of Spark.
    """

    def __init__(self, uri: str, start_java: Callable[[], Any], settings: Mapping[str, str]) -> None:
        self._folder = HadoopPath(Hadoop(start_java, settings), uri)

    @contextmanager
    def locked(self, application: Application) -> Iterator[None]:
        """Take the lease that a run has."""
        checkpoint = self._checkpoint(application)
        if checkpoint is None:
            yield
            return
        try:
            held = lock(None, checkpoint, 0)
        except CheckpointError as in_use:
            raise ApplicationRunningError(f"application '{application.id}' is running: {in_use}") from None
        try:
            yield
        finally:
            held.release()

    def find(self, application: Application) -> Sequence[Artifact]:
        checkpoint = self._checkpoint(application)
        found = [] if checkpoint is None else [(_CHECKPOINT, checkpoint)]
        removed = re.compile(rf"\.{re.escape(application.id)}\.removed-[0-9a-f]+")
        found += [(_REMOVED, path) for path in self._folder.glob("*") if removed.fullmatch(path.name)]
        return [Artifact(kind, str(path), _size(path)) for kind, path in found]

    def remove(self, application: Application, artifact: Artifact) -> None:
        """Remove an artifact; a checkpoint is renamed first, so that no run can continue from a part of it."""
        path = self._folder / artifact.location.rpartition("/")[2]
        if artifact.kind == _CHECKPOINT:
            if self._checkpoint(application) is None:
                return
            path = path.rename(self._folder / f".{application.id}.removed-{uuid4().hex}")
        path.remove()

    def _checkpoint(self, application: Application) -> HadoopPath | None:
        """Return the checkpoint of the application, None if it has none. Raises UnmarkedArtifactError."""
        folder = self._folder / check_application_id(application.id)
        content = {path.name for path in folder.glob("*")}
        if not content:
            return None
        owner = _owner(folder)
        if owner == application.id or content == {LEASE_FOLDER}:
            return folder
        reason = f"it has no valid file {IDENTITY_FILE}" if owner is None else f"it belongs to application '{owner}'"
        raise UnmarkedArtifactError(
            f"'{folder}' is not known to be the checkpoint of application '{application.id}': {reason}; set the right"
            " application.id or checkpoint.dir, or delete the directory yourself if nothing needs it"
        )


def _owner(folder: HadoopPath) -> str | None:
    try:
        owner = json.loads((folder / IDENTITY_FILE).read_text())["application_id"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    return owner if isinstance(owner, str) else None


def _size(path: HadoopPath) -> str:
    size, files = path.size()
    return f"{counted(size, 'byte')} in {counted(files, 'file')}"
