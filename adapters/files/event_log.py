"""The event log on files: an offset is the number of a line in the partition file, from 0 on."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from eddyline.adapters.files.folders import TopicFolders
from eddyline.adapters.files.journal import visible_end
from eddyline.adapters.files.line_index import LineIndex
from eddyline.adapters.files.line_parser import parse_lines
from eddyline.application.ports.event_log import EventLog, LogRecord, OffsetOutOfRangeError, UnknownTopicError

_CHUNK = 1 << 20


class FileEventLog(EventLog):
    """Reads the topics under a folder, `root`; files may grow meanwhile, by sinks and by anything that appends whole lines.

    A last line without its newline is not there yet, nor is a batch that a sink has not finished. A line that is no record
    comes as a LogRecord with `error` set; a blank line is a gap in the offsets. Beginning offsets are always 0.
    """

    def __init__(self, root: Path) -> None:
        self._folders = TopicFolders(Path(root))
        self._indexes: dict[tuple[str, int], LineIndex] = {}

    def topics(self) -> Sequence[str]:
        return self._folders.topics()

    def partitions(self, topic: str) -> int:
        return self._folders.partitions(topic)

    def beginning_offset(self, topic: str, partition: int) -> int:
        self._check_partition(topic, partition)
        return 0

    def end_offset(self, topic: str, partition: int) -> int:
        self._check_partition(topic, partition)
        with self._opened(topic, partition) as handle:
            return 0 if handle is None else self._lines(topic, partition, handle)[0]

    def read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        self._check_partition(topic, partition)
        with self._opened(topic, partition) as handle:
            last, limit = (0, 0) if handle is None else self._lines(topic, partition, handle)
            if not 0 <= start <= last or end > last:
                raise OffsetOutOfRangeError(
                    f"topic '{topic}', partition {partition}: offsets {start} to {end} were asked for, "
                    f"but the log has 0 to {last}; a file that was emptied or replaced begins at 0 again"
                )
            if handle is None or start >= end:
                return iter(())
            index = self._index(topic, partition)
            first_byte, last_byte = index.position(handle, start, limit), index.position(handle, end, limit)
        return self._batches(topic, partition, start, first_byte, last_byte)

    def close(self) -> None:
        self._indexes.clear()

    def _batches(self, topic: str, partition: int, offset: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        """The records in the bytes from `start` to `end`, which begin and end with a line."""
        rest = b""
        with self._opened(topic, partition) as handle:
            while handle is not None and start < end:
                chunk = os.pread(handle, min(_CHUNK, end - start), start)
                if not chunk:
                    raise OffsetOutOfRangeError(
                        f"topic '{topic}', partition {partition}: the file was cut off while it was read, at byte {start}"
                    )
                start += len(chunk)
                whole, newline, tail = chunk.rpartition(b"\n")
                if not newline:
                    rest += chunk
                    continue
                records = parse_lines(topic, partition, offset, rest + whole)
                offset += chunk.count(b"\n")
                rest = tail
                if records:
                    yield records

    def _lines(self, topic: str, partition: int, handle: int) -> tuple[int, int]:
        """How many whole lines may be seen, and how many bytes."""
        limit = visible_end(self._folders.journal_file(topic, partition), handle)
        return self._index(topic, partition).lines(handle, limit), limit

    def _index(self, topic: str, partition: int) -> LineIndex:
        index = self._indexes.get((topic, partition))
        if index is None:
            index = self._indexes[topic, partition] = LineIndex(self._folders.index_file(topic, partition))
        return index

    def _check_partition(self, topic: str, partition: int) -> None:
        partitions = self._folders.partitions(topic)
        if not 0 <= partition < partitions:
            raise UnknownTopicError(f"topic '{topic}' has no partition {partition}; it has 0 to {partitions - 1}")

    @contextmanager
    def _opened(self, topic: str, partition: int) -> Iterator[int | None]:
        """The partition file open for reading, None where there is none yet."""
        try:
            handle = os.open(self._folders.partition_file(topic, partition), os.O_RDONLY)
        except FileNotFoundError:
            yield None
            return
        try:
            yield handle
        finally:
            os.close(handle)
