"""The resettable state in topics on files: the last batch numbers of an application, and records of topics."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final
from uuid import uuid4

from eddyline.adapters.files.durable import sync_folder
from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.file_lock import locked
from eddyline.adapters.files.journal import Journal, slots_in
from eddyline.adapters.files.topic_folders import TopicFolders
from eddyline.application.operations.reset import is_writer_of, keeps_state
from eddyline.application.ports.resettable_state import Application, Artifact, ResettableState, counted

_RECORDS: Final = "records of a topic"
_BATCH_NUMBERS: Final = "last batch numbers"
_INTERNAL: Final = "internal topic"


class FileResettableState(ResettableState):
    """The state of applications in the folder `root`. It has no lock: files do not show whether an application is running."""

    def __init__(self, root: Path) -> None:
        self._folders = TopicFolders(Path(root))
        self._log = FileEventLog(Path(root))

    def locked(self, application: Application) -> AbstractContextManager[None]:
        del application
        return nullcontext()

    def find(self, application: Application) -> Sequence[Artifact]:
        found = []
        for topic in self._existing_topics(application):
            partitions = range(self._log.partitions(topic))
            if any(_size(self._folders.partition_file(topic, number)) for number in partitions):
                records = sum(self._log.end_offset(topic, number) for number in partitions)
                found.append(
                    Artifact(
                        _RECORDS,
                        str(self._folders.root / topic),
                        f"{counted(records, 'record')} in {counted(len(partitions), 'partition')}",
                    )
                )
        for topic in (name for name in application.internal_topics if name in self._folders.topics()):
            size = counted(self._folders.partitions(topic), "partition")
            found.append(Artifact(_INTERNAL, str(self._folders.root / topic), size))
        slots, journals = list(self._slot_files(application)), list(self._journals(application))
        if slots or journals:
            size = f"{counted(len(slots), 'slot')}, in the journals of {counted(len(journals), 'partition')}"
            found.append(Artifact(_BATCH_NUMBERS, str(self._folders.root), size))
        return found

    def has_results(self, application_id: str) -> bool:
        writers = {writer for _, writer in self._folders.slot_files().items()}
        for topic in self._folders.topics():
            for number in range(self._folders.partitions(topic)):
                writers |= {writer for writer, _ in slots_in(self._folders.journal_file(topic, number))}
        return any(keeps_state(application_id, writer) for writer in writers)

    def remove(self, application: Application, artifact: Artifact) -> None:
        if artifact.kind == _INTERNAL:
            self._folders.delete(Path(artifact.location).name)
            return
        if artifact.kind == _RECORDS:
            topic = Path(artifact.location).name
            self._folders.renew_topic_id(topic)
            for number in range(self._folders.partitions(topic)):
                self._remove_records(application, topic, number)
            return
        for topic, number in self._journals(application):
            with locked(self._folders.partition_file(topic, number)) as fd:
                self._remove_batch_numbers(application, topic, number, fd)
        for path in self._slot_files(application):
            path.unlink(missing_ok=True)

    def _existing_topics(self, application: Application) -> Sequence[str]:
        return [topic for topic in application.topics if topic in self._folders.topics()]

    def _slot_files(self, application: Application) -> Iterator[Path]:
        return (path for path, writer in self._folders.slot_files().items() if is_writer_of(application.id, writer))

    def _journals(self, application: Application) -> Iterator[tuple[str, int]]:
        """Return the topics and partitions whose journals have entries of the application."""
        for topic in self._folders.topics():
            for number in range(self._folders.partitions(topic)):
                slots = slots_in(self._folders.journal_file(topic, number))
                if any(is_writer_of(application.id, writer) for writer, _ in slots):
                    yield topic, number

    def _remove_records(self, application: Application, topic: str, partition: int) -> None:
        """Replace the partition file by an empty one, so that readers notice by its inode that their indexes are invalid.

        The index file is deleted, because the file system may reuse the inode for a later partition file.
        """
        path = self._folders.partition_file(topic, partition)
        with locked(path) as fd:
            self._remove_batch_numbers(application, topic, partition, fd)
            draft = path.with_name(f".{path.name}.{uuid4().hex}")
            draft.touch(0o600)
            draft.replace(path)
            self._folders.index_file(topic, partition).unlink(missing_ok=True)
            sync_folder(path.parent)

    def _remove_batch_numbers(self, application: Application, topic: str, partition: int, partition_fd: int) -> None:
        path = self._folders.journal_file(topic, partition)
        if not path.exists():
            return
        journal = Journal(path, partition_fd)
        try:
            journal.remove_writers(lambda writer: is_writer_of(application.id, writer))
        finally:
            journal.close()


def _size(path: Path) -> int:
    """Return the size of a file in bytes, 0 if it does not exist."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
