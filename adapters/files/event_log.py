"""The event log on files: the offset of a record is the number of its line in the partition file, from 0."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from eddyline.adapters.files.journal import visible_end
from eddyline.adapters.files.line_index import LineIndex
from eddyline.adapters.files.line_parser import parse_lines
from eddyline.adapters.files.topic_folders import TopicFolders
from eddyline.application.ports.event_log import EventLog, LogIdentity, LogRecord, OffsetOutOfRangeError, UnknownTopicError

_CHUNK_BYTES = 1 << 20


class _Range(NamedTuple):
    """The lines from `start` to `end`, in the bytes from `first_byte` to `end_byte` of the file with this inode."""

    start: int
    end: int
    first_byte: int
    end_byte: int
    inode: int


class FileEventLog(EventLog):
    """The topics in the folder `root`. Sinks, and any program that appends whole lines, may write to the files meanwhile.

    A last line without a newline is not visible yet, nor is a batch that a sink has not finished. A line that cannot be
    parsed is returned as a LogRecord with `error` set. A blank line is a gap in the offsets. Beginning offsets are always 0.
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
        return self._end(topic, partition)

    def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        return 0, self.end_offset(topic, partition)

    def topic_bounds(self, topics: Iterable[str]) -> dict[str, list[tuple[int, int]]]:
        return {topic: [(0, self._end(topic, number)) for number in range(self.partitions(topic))] for topic in topics}

    def identity(self, topics: Iterable[str]) -> LogIdentity:
        """Return the ids in the topic folders; a topic gets its id now if it has none."""
        return LogIdentity("files", "", {topic: self._folders.topic_id(topic) for topic in topics})

    def read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        self._check_partition(topic, partition)
        with self._opened(topic, partition) as fd:
            end_offset, limit = (0, 0) if fd is None else self._visible(topic, partition, fd)
            if not 0 <= start <= end_offset or end > end_offset:
                raise OffsetOutOfRangeError(
                    f"topic '{topic}', partition {partition}: offsets {start} to {end} were requested, "
                    f"but the log has 0 to {end_offset}; if the file was emptied or replaced, offsets start at 0 again"
                )
            if fd is None or start >= end:
                return iter(())
            index = self._index(topic, partition)
            first_byte, end_byte = index.byte_offset(fd, start, limit), index.byte_offset(fd, end, limit)
            found = _Range(start, end, first_byte, end_byte, os.fstat(fd).st_ino)
            if first_byte and os.pread(fd, 1, first_byte - 1) != b"\n":
                raise self._rewritten(topic, partition, found)
        return self._batches(topic, partition, found)

    def close(self) -> None:
        self._indexes.clear()

    def _batches(self, topic: str, partition: int, lines: _Range) -> Iterator[Sequence[LogRecord]]:
        """Read the records of a range; its last line must end where the index says that it does."""
        offset, position = lines.start, lines.first_byte
        parts: list[bytes] = []
        with self._opened(topic, partition) as fd:
            if fd is None or os.fstat(fd).st_ino != lines.inode:
                raise self._rewritten(topic, partition, lines)
            while position < lines.end_byte:
                chunk = os.pread(fd, min(_CHUNK_BYTES, lines.end_byte - position), position)
                if not chunk:
                    raise OffsetOutOfRangeError(
                        f"topic '{topic}', partition {partition}: the file was truncated to {position} bytes while it was read"
                    )
                position += len(chunk)
                complete, newline, tail = chunk.rpartition(b"\n")
                if not newline:
                    parts.append(chunk)
                    continue
                parts.append(complete)
                records = parse_lines(topic, partition, offset, b"".join(parts))
                offset += chunk.count(b"\n")
                parts = [tail]
                if offset > lines.end:
                    break
                if records:
                    yield records
        if offset != lines.end or any(parts):
            raise self._rewritten(topic, partition, lines)

    def _rewritten(self, topic: str, partition: int, lines: _Range) -> OffsetOutOfRangeError:
        """Discard the index and return the error for a file that was rewritten, so that offsets mean other lines."""
        self._index(topic, partition).discard()
        return OffsetOutOfRangeError(
            f"topic '{topic}', partition {partition}: the file '{self._folders.partition_file(topic, partition)}' was rewritten"
            f" while offsets {lines.start} to {lines.end} were read; run again if the lines before have kept their numbers,"
            " otherwise reset the flow (eddyline reset)"
        )

    def _end(self, topic: str, partition: int) -> int:
        with self._opened(topic, partition) as fd:
            return 0 if fd is None else self._visible(topic, partition, fd)[0]

    def _visible(self, topic: str, partition: int, fd: int) -> tuple[int, int]:
        """Return how many lines and how many bytes of the partition file are visible."""
        limit = visible_end(self._folders.journal_file(topic, partition), fd)
        return self._index(topic, partition).count_lines(fd, limit), limit

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
        """Open the partition file for reading and yield its descriptor, None if there is no file yet."""
        try:
            fd = os.open(self._folders.partition_file(topic, partition), os.O_RDONLY)
        except FileNotFoundError:
            yield None
            return
        try:
            yield fd
        finally:
            os.close(fd)
