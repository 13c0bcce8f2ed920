"""Where a line begins, found without reading the file from its start, though every batch may come in a new process.

The index holds one number a block of 256 KiB: how many lines end before the end of that block. It depends on the bytes of the
partition file alone, so several processes may write it at once, and a lost index is made again. Its first number is the
inode of the file, so that a file put in the place of another gets an index of its own.
"""

import os
from array import array
from bisect import bisect_left
from itertools import pairwise
from pathlib import Path
from uuid import uuid4

_BLOCK = 256 * 1024
_NUMBER = 8


class LineIndex:
    """The index of one partition file, in memory and, where the folder lets itself be written, in a file beside it."""

    def __init__(self, index_file: Path) -> None:
        self._path = index_file
        self._inode = -1
        self._ends = array("Q")
        self._kept = 0

    def lines(self, handle: int, limit: int) -> int:
        """How many lines end in the first `limit` bytes of the open file."""
        self._extend(handle, limit)
        block = min(len(self._ends), limit // _BLOCK)
        before = self._ends[block - 1] if block else 0
        return before + os.pread(handle, limit - block * _BLOCK, block * _BLOCK).count(b"\n")

    def position(self, handle: int, line: int, limit: int) -> int:
        """The byte where the line begins, counted from 0; it or its predecessor must end in the first `limit` bytes."""
        if line == 0:
            return 0
        self._extend(handle, limit)
        block = bisect_left(self._ends, line, 0, min(len(self._ends), limit // _BLOCK))
        missing = line - (self._ends[block - 1] if block else 0)
        text = os.pread(handle, _BLOCK, block * _BLOCK)
        return block * _BLOCK + len(text) - len(text.split(b"\n", missing)[-1])

    def _extend(self, handle: int, limit: int) -> None:
        """Counts the blocks that are whole below `limit` and not counted yet."""
        status = os.fstat(handle)
        if status.st_ino != self._inode or len(self._ends) * _BLOCK > status.st_size:
            self._load(status)
        if (len(self._ends) + 1) * _BLOCK > limit:
            return
        total = self._ends[-1] if self._ends else 0
        while (len(self._ends) + 1) * _BLOCK <= limit:
            total += os.pread(handle, _BLOCK, len(self._ends) * _BLOCK).count(b"\n")
            self._ends.append(total)
        self._keep()

    def _load(self, status: os.stat_result) -> None:
        """Takes over what the index file says, if it can be read and belongs to this file."""
        self._inode = status.st_ino
        self._ends = array("Q")
        self._kept = 0
        try:
            stored = self._path.read_bytes()
        except OSError:
            return
        numbers = array("Q", stored[: len(stored) // _NUMBER * _NUMBER])
        counted = numbers[1:]
        rising = all(left <= right for left, right in pairwise(counted))
        if numbers and numbers[0] == self._inode and len(counted) * _BLOCK <= status.st_size and rising:
            self._ends = counted
            self._kept = len(counted)

    def _keep(self) -> None:
        """Puts the new numbers into the file; where that may not be written, they stay in memory."""
        fresh = self._kept == 0
        numbers = self._ends[self._kept :]
        try:
            self._path.parent.mkdir(exist_ok=True)
            if fresh:
                draft = self._path.with_name(f".{self._path.name}.{uuid4().hex}")
                draft.write_bytes(array("Q", [self._inode]).tobytes() + numbers.tobytes())
                draft.replace(self._path)
            else:
                handle = os.open(self._path, os.O_WRONLY)
                try:
                    os.pwrite(handle, numbers.tobytes(), (1 + self._kept) * _NUMBER)
                finally:
                    os.close(handle)
        except OSError:
            self._kept = 0
        else:
            self._kept = len(self._ends)
