"""The event sink on files: a batch is in each partition file once and whole, whenever a process is killed and repeats it."""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from eddyline.adapters.files.folders import TopicFolders
from eddyline.adapters.files.journal import BatchId, Journal
from eddyline.adapters.files.line import format_line
from eddyline.application.ports.event_sink import EventSink, SinkRecord
from eddyline.application.runtime.partitioner import spread

_LONGEST_WRITER = 200
_DIGITS = 20


class FileEventSink(EventSink):
    """Appends batches to the partition files under a folder, `root`.

    Several processes may write at once: a partition file is locked while a batch goes in. Lines that others append between
    batches stay. When a writer is killed while it appends, readers see nothing of that batch, nor what others append behind
    it, until the next write to the partition settles it: a batch that is not whole is cut off, with all that is behind it.
    """

    def __init__(self, root: Path) -> None:
        self._folders = TopicFolders(Path(root))

    def create_topic(self, topic: str, partitions: int) -> None:
        self._folders.create(topic, partitions)

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        """As the port says; raises UnknownTopicError, and ValueError for a partition, slot or writer id that cannot be.

        Partition files are written one after the other, in the order in which records name them first: what the last record says
        of the others is true. Whether the batch is in is known for each partition file with its records. The number of the slot's
        last batch is noted beside them, after them: a power cut can take the note, never the records.
        """
        if slot < 0 or batch < 0 or not 1 <= len(quote(writer, safe="")) <= _LONGEST_WRITER:
            raise ValueError(
                f"writer '{writer}', slot {slot}, batch {batch}: the writer needs a short name, slot and batch 0 or more"
            )
        this = BatchId(writer, slot, batch)
        with self._slot(this) as note:
            if _noted(note) >= batch:
                return False
            placed = spread(records, self._folders.partitions, turn=slot + batch)
            lines = {place: "\n".join(map(format_line, rows)).encode() + b"\n" for place, rows in placed.items()}
            wrote = [self._append(topic, partition, this, data) for (topic, partition), data in lines.items()]
            os.pwrite(note, b"%0*d\n" % (_DIGITS, batch), 0)
        return any(wrote) or not records

    def _append(self, topic: str, partition: int, batch: BatchId, data: bytes) -> bool:
        """Appends the batch's lines to the partition; False when they are there already."""
        with locked(self._folders.partition_file(topic, partition), os.O_APPEND) as handle:
            journal = Journal(self._folders.journal_file(topic, partition), handle)
            try:
                if journal.has(batch):
                    return False
                size = os.fstat(handle).st_size
                unfinished = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
                journal.append(batch, b"\n" + data if unfinished else data)
            finally:
                journal.close()
        return True

    @contextmanager
    def _slot(self, batch: BatchId) -> Iterator[int]:
        """The note of the slot's last batch; nothing else writes this slot meanwhile."""
        path = self._folders.slot_file(batch.writer, batch.slot)
        path.parent.mkdir(parents=True, exist_ok=True)
        with locked(path) as handle:
            yield handle


@contextmanager
def locked(path: Path, flags: int = 0) -> Iterator[int]:
    """The file, made where it is missing, open and locked against other writers in this and other processes."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | flags, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            if _is_at(path, handle):
                yield handle
                return
        finally:
            os.close(handle)


def _is_at(path: Path, handle: int) -> bool:
    """Whether the open file still has its name: while one waits for the lock, another may put a new file in its place."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


def _noted(note: int) -> int:
    """The batch number in a slot's note, -1 where there is none."""
    text = os.pread(note, _DIGITS, 0)
    return int(text) if text.isdigit() else -1
