"""The event sink on files: each batch is in each partition file once and completely, even if processes are killed."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from eddyline.adapters.files.file_lock import locked
from eddyline.adapters.files.journal import BatchId, Journal
from eddyline.adapters.files.line import format_line
from eddyline.adapters.files.topic_folders import TopicFolders
from eddyline.application.ports.event_sink import EventSink, SinkRecord
from eddyline.application.runtime.plan.partitioner import spread

_MAX_WRITER_LENGTH = 200
_BATCH_DIGITS = 20


class FileEventSink(EventSink):
    """Appends batches to the partition files in the folder `root`.

    Several processes may write at the same time: a partition file is locked while a batch is appended. Lines that other
    programs append between batches are kept. If a writer is killed while it appends, readers see neither that batch nor
    anything appended after it until the next write to the partition recovers the file: an incomplete batch is truncated,
    together with everything after it.
    """

    def __init__(self, root: Path) -> None:
        self._folders = TopicFolders(Path(root))

    def create_topic(self, topic: str, partitions: int, *, compacted: bool = False) -> None:
        del compacted  # files keep all records
        self._folders.create(topic, partitions)

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        """Write one slot of a batch durably, as specified by the port.

        The partition files are written one after the other, in the order in which the records first refer to them. So when
        the last record of a batch is visible, all others are. The journal of each partition contains the batch numbers of its
        records. The last batch number of the slot is also stored in a file, without a sync: a crash of the machine can
        lose that number, but no record.

        Raises:
            UnknownTopicError: a topic does not exist; nothing was written.
            ValueError: a partition does not exist, or `writer`, `slot` or `batch` is invalid; nothing was written.
        """
        if slot < 0 or batch < 0 or not 1 <= len(quote(writer, safe="")) <= _MAX_WRITER_LENGTH:
            raise ValueError(
                f"invalid batch: writer '{writer}', slot {slot}, batch {batch}; slot and batch must not be negative, and the"
                f" URL-encoded writer must have 1 to {_MAX_WRITER_LENGTH} characters"
            )
        batch_id = BatchId(writer, slot, batch)
        with self._slot(batch_id) as slot_fd:
            if _last_batch(slot_fd) >= batch:
                return False
            by_partition = spread(records, self._folders.partitions, turn=slot + batch)
            data = {at: "\n".join(map(format_line, rows)).encode() + b"\n" for at, rows in by_partition.items()}
            written = [self._append(topic, partition, batch_id, lines) for (topic, partition), lines in data.items()]
            os.pwrite(slot_fd, b"%0*d\n" % (_BATCH_DIGITS, batch), 0)
        return any(written) or not records

    def newest_batch(self, writer: str) -> int | None:
        numbers = [_number(path.read_bytes()) for path, owner in self._folders.slot_files().items() if owner == writer]
        return max((number for number in numbers if number >= 0), default=None)

    def _append(self, topic: str, partition: int, batch: BatchId, data: bytes) -> bool:
        """Append the lines of a batch to a partition; False if they had been appended before."""
        with locked(self._folders.partition_file(topic, partition), os.O_APPEND) as fd:
            journal = Journal(self._folders.journal_file(topic, partition), fd)
            try:
                if journal.contains(batch):
                    return False
                size = os.fstat(fd).st_size
                incomplete_line = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
                journal.append(batch, b"\n" + data if incomplete_line else data)
            finally:
                journal.close()
        return True

    @contextmanager
    def _slot(self, batch: BatchId) -> Iterator[int]:
        """Lock the slot and yield the descriptor of the file with its last batch number."""
        path = self._folders.slot_file(batch.writer, batch.slot)
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        with locked(path) as fd:
            yield fd


def _last_batch(slot_fd: int) -> int:
    """Return the batch number in a slot file, -1 if there is none."""
    return _number(os.pread(slot_fd, _BATCH_DIGITS, 0))


def _number(content: bytes) -> int:
    text = content[:_BATCH_DIGITS]
    return int(text) if text.isdigit() else -1
