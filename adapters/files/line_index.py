"""The index of a partition file: finds the byte at which a line begins without reading the file from its start.

The index contains one number for each block of 256 KiB: how many lines end before the end of that block. It depends on the
contents of the partition file alone, so several processes may write it at the same time, and a lost index is rebuilt. Its first
number is the inode of the partition file, so that the index of a replaced file is not used.
"""

import os
from array import array
from bisect import bisect_left
from itertools import pairwise
from pathlib import Path
from uuid import uuid4

_BLOCK = 256 * 1024
_NUMBER_BYTES = 8


class LineIndex:
    """The index of one partition file, in memory and, if the folder is writable, in an index file."""

    def __init__(self, index_file: Path) -> None:
        self._path = index_file
        self._inode = -1
        self._line_ends = array("Q")
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

    def _extend(self, fd: int, limit: int) -> None:
        """Index the complete blocks below `limit` that are not indexed yet."""
        status = os.fstat(fd)
        if status.st_ino != self._inode or len(self._line_ends) * _BLOCK > status.st_size:
            self._load(status)
        if (len(self._line_ends) + 1) * _BLOCK > limit:
            return
        total = self._line_ends[-1] if self._line_ends else 0
        while (len(self._line_ends) + 1) * _BLOCK <= limit:
            total += os.pread(fd, _BLOCK, len(self._line_ends) * _BLOCK).count(b"\n")
            self._line_ends.append(total)
        self._save()

    def _load(self, status: os.stat_result) -> None:
        """Read the index file; start an empty index if it is missing, invalid or that of another file."""
        self._inode = status.st_ino
        self._line_ends = array("Q")
        self._saved = 0
        try:
            stored = self._path.read_bytes()
        except OSError:
            return
        numbers = array("Q", stored[: len(stored) // _NUMBER_BYTES * _NUMBER_BYTES])
        line_ends = numbers[1:]
        increasing = all(left <= right for left, right in pairwise(line_ends))
        if numbers and numbers[0] == self._inode and len(line_ends) * _BLOCK <= status.st_size and increasing:
            self._line_ends = line_ends
            self._saved = len(line_ends)

    def _save(self) -> None:
        """Write the new numbers to the index file; if it cannot be written, they stay in memory."""
        numbers = self._line_ends[self._saved :]
        try:
            self._path.parent.mkdir(0o700, exist_ok=True)
            if self._saved == 0:
                draft = self._path.with_name(f".{self._path.name}.{uuid4().hex}")
                draft.write_bytes(array("Q", [self._inode]).tobytes() + numbers.tobytes())
                draft.replace(self._path)
            else:
                fd = os.open(self._path, os.O_WRONLY)
                try:
                    os.pwrite(fd, numbers.tobytes(), (1 + self._saved) * _NUMBER_BYTES)
                finally:
                    os.close(fd)
        except OSError:
            self._saved = 0
        else:
            self._saved = len(self._line_ends)
