"""The index of a partition file: finds the byte at which a line begins without reading the file from its start.

The index has an entry for each block of 256 KiB: how many lines end before the end of that block, and the CRC-32 of the last
4 KiB of the block. It depends on the contents of the partition file alone, so several processes may write it at the same time,
and a lost index is rebuilt.

A file may also be replaced, truncated or rewritten in place. So whenever its inode, size or modification time has changed, the
first 4 KiB of the file and the end of the last block are compared with their checksums; if they differ, the index is rebuilt.
"""

import os
import zlib
from array import array
from bisect import bisect_left
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple
from uuid import uuid4

_BLOCK = 256 * 1024
_PROBE: Final = 4096
_NUMBER_BYTES: Final = 8
_FORMAT: Final = 0x32_58_44_49
"""The first number of an index file, followed by the inode of the partition file and the CRC-32 of its first 4 KiB."""
_HEADER: Final = 3


class _Version(NamedTuple):
    """What changes when a file is replaced or written."""

    inode: int
    size: int
    modified_ns: int


class LineIndex:
    """The index of one partition file, in memory and, if the folder is writable, in an index file."""

    def __init__(self, index_file: Path) -> None:
        self._path = index_file
        self._version: _Version | None = None
        self._head = 0
        self._line_ends = array("Q")
        self._checksums = array("Q")
        self._saved = 0

    def count_lines(self, fd: int, limit: int) -> int:
        """Return how many lines end in the first `limit` bytes of the open partition file."""
        self._extend(fd, limit)
        block = min(len(self._line_ends), limit // _BLOCK)
        before = self._line_ends[block - 1] if block else 0
        return before + os.pread(fd, limit - block * _BLOCK, block * _BLOCK).count(b"\n")

    def byte_offset(self, fd: int, line: int, limit: int) -> int:
        """Return the byte at which a line begins, numbered from 0; the line before it must end in the first `limit` bytes."""
        if line == 0:
            return 0
        self._extend(fd, limit)
        block = bisect_left(self._line_ends, line, 0, min(len(self._line_ends), limit // _BLOCK))
        remaining = line - (self._line_ends[block - 1] if block else 0)
        text = os.pread(fd, _BLOCK, block * _BLOCK)
        return block * _BLOCK + len(text) - len(text.split(b"\n", remaining)[-1])

    def discard(self) -> None:
        """Forget the index and delete its file, so that the next call rebuilds it."""
        self._version = None
        self._clear()
        try:
            self._path.unlink(missing_ok=True)
        except OSError:
            return

    def _extend(self, fd: int, limit: int) -> None:
        """Index the complete blocks below `limit` that are not indexed yet."""
        status = os.fstat(fd)
        version = _Version(status.st_ino, status.st_size, status.st_mtime_ns)
        if version != self._version:
            known = self._version is not None and self._version.inode == version.inode
            if not (known and self._matches(fd, version)):
                self._load(fd, version)
            self._version = version
        if (len(self._line_ends) + 1) * _BLOCK > limit:
            return
        total = self._line_ends[-1] if self._line_ends else 0
        while (len(self._line_ends) + 1) * _BLOCK <= limit:
            text = os.pread(fd, _BLOCK, len(self._line_ends) * _BLOCK)
            if not self._line_ends:
                self._head = zlib.crc32(text[:_PROBE])
            total += text.count(b"\n")
            self._line_ends.append(total)
            self._checksums.append(zlib.crc32(text[-_PROBE:]))
        self._save(version)

    def _matches(self, fd: int, version: _Version) -> bool:
        """Return whether the file still has the contents that were indexed, judging by its size and two samples."""
        indexed = len(self._line_ends) * _BLOCK
        if indexed == 0:
            return True
        if indexed > version.size:
            return False
        sample = min(_PROBE, _BLOCK)
        head, tail = os.pread(fd, sample, 0), os.pread(fd, sample, indexed - sample)
        return zlib.crc32(head) == self._head and zlib.crc32(tail) == self._checksums[-1]

    def _clear(self) -> None:
        self._line_ends, self._checksums = array("Q"), array("Q")
        self._saved = 0

    def _load(self, fd: int, version: _Version) -> None:
        """Read the index file; start an empty index if it is missing, invalid or that of other contents."""
        self._clear()
        try:
            stored = self._path.read_bytes()
        except OSError:
            return
        numbers = array("Q", stored[: len(stored) // _NUMBER_BYTES * _NUMBER_BYTES])
        if len(numbers) < _HEADER or numbers[0] != _FORMAT or numbers[1] != version.inode:
            return
        complete = (len(numbers) - _HEADER) // 2 * 2
        entries = numbers[_HEADER : _HEADER + complete]
        self._head, self._line_ends, self._checksums = numbers[2], entries[::2], entries[1::2]
        increasing = all(left <= right for left, right in pairwise(self._line_ends))
        if increasing and self._matches(fd, version):
            self._saved = len(self._line_ends)
        else:
            self._clear()

    def _save(self, version: _Version) -> None:
        """Write the new entries to the index file; if it cannot be written, they stay in memory."""
        new = zip(self._line_ends[self._saved :], self._checksums[self._saved :], strict=True)
        entries = array("Q", [number for entry in new for number in entry])
        try:
            self._path.parent.mkdir(0o700, exist_ok=True)
            if self._saved == 0:
                draft = self._path.with_name(f".{self._path.name}.{uuid4().hex}")
                draft.write_bytes(array("Q", [_FORMAT, version.inode, self._head]).tobytes() + entries.tobytes())
                draft.replace(self._path)
            else:
                fd = os.open(self._path, os.O_WRONLY)
                try:
                    os.pwrite(fd, entries.tobytes(), (_HEADER + 2 * self._saved) * _NUMBER_BYTES)
                finally:
                    os.close(fd)
        except OSError:
            self._saved = 0
        else:
            self._saved = len(self._line_ends)
