"""The resettable state of an application whose checkpoint is in a file system of Hadoop."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from eddyline.adapters.spark.driver.checkpoint_files import LEASE_FOLDER
from eddyline.adapters.spark.driver.checkpoint_folders import CHECKPOINT, left_in, owner_of, removed_name, unmarked
from eddyline.adapters.spark.driver.checkpoint_lock import CheckpointError, lock
from eddyline.adapters.spark.driver.hadoop_path import Hadoop, HadoopPath
from eddyline.application.ports.resettable_state import (
    Application,
    ApplicationRunningError,
    Artifact,
    ResettableState,
    counted,
)
from eddyline.application.runtime.plan.application_ids import check_application_id


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
        found = [] if checkpoint is None else [(CHECKPOINT, checkpoint)]
        found += left_in(application, self._folder.glob("*"))
        return [Artifact(kind, str(path), _size(path)) for kind, path in found]

    def remove(self, application: Application, artifact: Artifact) -> None:
        """Remove an artifact; a checkpoint is renamed first, so that no run can continue from a part of it."""
        path = self._folder / artifact.location.rpartition("/")[2]
        if artifact.kind == CHECKPOINT:
            if self._checkpoint(application) is None:
                return
            path = path.rename(self._folder / removed_name(application))
        path.remove()

    def _checkpoint(self, application: Application) -> HadoopPath | None:
        """Return the checkpoint of the application, None if it has none. Raises UnmarkedArtifactError."""
        folder = self._folder / check_application_id(application.id)
        content = {path.name for path in folder.glob("*")}
        if not content:
            return None
        owner = owner_of(folder)
        if owner == application.id or content == {LEASE_FOLDER}:
            return folder
        raise unmarked(folder, application, owner, "checkpoint.dir, or delete the directory")


def _size(path: HadoopPath) -> str:
    size, files = path.size()
    return f"{counted(size, 'byte')} in {counted(files, 'file')}"
