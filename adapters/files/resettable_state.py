"""What an application leaves among the topics on files: what sinks remember of its batches, and records that are to go."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final
from uuid import uuid4

from eddyline.adapters.files.durable import sync_folder
from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import locked
from eddyline.adapters.files.folders import TopicFolders
from eddyline.adapters.files.journal import Journal, batches_noted
from eddyline.application.operations.reset import is_writer_of
from eddyline.application.ports.resettable_state import Application, Artifact, ResettableState

_TOPIC: Final = "records of a topic"
_NOTES: Final = "notes of batches"


class FileResettableState(ResettableState):
    """Looks through the topics under a folder, `root`. Whether an application writes there now cannot be seen."""

    def __init__(self, root: Path) -> None:
        self._folders = TopicFolders(Path(root))
        self._log = FileEventLog(Path(root))

    def locked(self, application: Application) -> AbstractContextManager[None]:
        del application
        return nullcontext()

    def find(self, application: Application) -> Sequence[Artifact]:
        found = []
        for topic in self._existing(application):
            partitions = range(self._log.partitions(topic))
            if any(self._folders.partition_file(topic, number).stat().st_size for number in partitions):
                records = sum(self._log.end_offset(topic, number) for number in partitions)
                found.append(
                    Artifact(_TOPIC, str(self._folders.root / topic), f"{records:,} records in {len(partitions)} partitions")
                )
        slots, journals = list(self._slots(application)), list(self._journals(application))
        if slots or journals:
            size = f"of {len(slots)} slots, in the journals of {len(journals)} partitions"
            found.append(Artifact(_NOTES, str(self._folders.root), size))
        return found

    def remove(self, application: Application, artifact: Artifact) -> None:
        if artifact.kind == _TOPIC:
            topic = Path(artifact.location).name
            for number in range(self._folders.partitions(topic)):
                self._empty(application, topic, number)
            return
        for topic, number in self._journals(application):
            with locked(self._folders.partition_file(topic, number)) as handle:
                self._forget(application, topic, number, handle)
        for path in self._slots(application):
            path.unlink(missing_ok=True)

    def _existing(self, application: Application) -> Sequence[str]:
        return [topic for topic in application.topics if topic in self._folders.topics()]

    def _slots(self, application: Application) -> Iterator[Path]:
        return (path for path, writer in self._folders.slot_files().items() if is_writer_of(application.id, writer))

    def _journals(self, application: Application) -> Iterator[tuple[str, int]]:
        """The partitions whose journals know the application."""
        for topic in self._folders.topics():
            for number in range(self._folders.partitions(topic)):
                noted = batches_noted(self._folders.journal_file(topic, number))
                if any(is_writer_of(application.id, writer) for writer, _ in noted):
                    yield topic, number

    def _empty(self, application: Application, topic: str, partition: int) -> None:
        """Puts an empty file in the partition's place, by which readers see that their offsets and indexes are of another."""
        path = self._folders.partition_file(topic, partition)
        with locked(path) as handle:
            self._forget(application, topic, partition, handle)
            draft = path.with_name(f".{path.name}.{uuid4().hex}")
            draft.touch()
            draft.replace(path)
            sync_folder(path.parent)

    def _forget(self, application: Application, topic: str, partition: int, handle: int) -> None:
        journal = self._folders.journal_file(topic, partition)
        if not journal.exists():
            return
        opened = Journal(journal, handle)
        try:
            opened.forget(lambda writer: is_writer_of(application.id, writer))
        finally:
            opened.close()
