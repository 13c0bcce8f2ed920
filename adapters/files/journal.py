"""The write-ahead journal of a partition file: makes each batch part of the file once and completely, or not at all.

The journal is a file of JSON lines. Before a batch is appended to the partition file, an entry announces it, with its byte
range and checksum:

    {"state":"pending","writer":"app","slot":0,"batch":7,"start":1200,"length":512,"crc":305419896}

After the append a second entry confirms it: `{"state":"written",…}`. While the last entry is pending, readers see the partition
file only up to `start`. The next writer recovers a pending entry that a killed writer has left: if the whole batch is in the
file, it is confirmed; otherwise the partition file is truncated to `start` (`{"state":"rolled-back",…}`).
Writers hold the lock of the partition file.
"""

import json
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias, get_args
from uuid import uuid4

from eddyline.adapters.files.durable import sync_folder, write_all, write_file

_TAIL_BYTES = 4096
"""Enough for the longest entry."""
_COMPACT_BYTES = 8 * 1024
"""A journal is read each time that its partition is written, so a short one is worth the write of a new one now and then."""
_CHUNK_BYTES = 1 << 20

State: TypeAlias = Literal["pending", "written", "rolled-back"]

_STATES: Final = frozenset(get_args(State))
_EXTENT: Final = ("start", "length", "crc")
_START: Final = b'{"state":"'
_SHOWN_BYTES: Final = 60


class DamagedJournalError(RuntimeError):
    """A journal with bytes that are not an entry; the message names the file, the line, the byte and what to do."""


class BatchId(NamedTuple):
    """The writer, the slot and the number of a batch."""

    writer: str
    slot: int
    batch: int


class Entry(NamedTuple):
    """An entry of the journal; a pending one has the byte range of the batch in the partition file and its CRC-32."""

    state: State
    batch: BatchId
    start: int = 0
    length: int = 0
    crc: int = 0


def visible_end(journal: Path, partition_fd: int) -> int:
    """Return how many bytes of the open partition file readers may see.

    Writers add an entry to the journal before and after each change of the partition file. So if the journal is the same
    before and after the size is determined, either no writer was changing the file, or the last entry is pending and says
    where the visible part ends.
    """
    before = _state_of(journal)
    while True:
        size = os.fstat(partition_fd).st_size
        after, last = _last_entry(journal)
        if after == before:
            return min(size, last.start) if last is not None and last.state == "pending" else size
        before = after


def _state_of(journal: Path) -> tuple[int, int]:
    """Return the inode and length of the journal, which change with every entry; zeros if the file does not exist."""
    try:
        status = journal.stat()
    except FileNotFoundError:
        return 0, 0
    return status.st_ino, status.st_size


def slots_in(journal: Path) -> set[tuple[str, int]]:
    """Return the writers and slots that have entries in a journal; none if the file does not exist."""
    try:
        text = journal.read_bytes()
    except FileNotFoundError:
        return set()
    return {entry.batch[:2] for entry in _entries(journal, text)}


def _last_entry(journal: Path) -> tuple[tuple[int, int], Entry | None]:
    """Return the inode and length of the journal, which change with every entry, and its last complete entry.

    Only the end of the journal is read, unless it is damaged: then all of it, to find the line that is.
    """
    try:
        fd = os.open(journal, os.O_RDONLY)
    except FileNotFoundError:
        return (0, 0), None
    try:
        status = os.fstat(fd)
        start = max(0, status.st_size - _TAIL_BYTES)
        *lines, rest = os.pread(fd, status.st_size - start, start).split(b"\n")
        last = _entry(lines[-1]) if lines and _is_unfinished(rest) else None
        if last is None:
            entries = _entries(journal, os.pread(fd, status.st_size, 0))
            last = entries[-1] if entries else None
    finally:
        os.close(fd)
    return (status.st_ino, status.st_size), last


class Journal:
    """The journal of one partition file, opened by the writer that holds the lock of the partition file.

    Opening it recovers what a killed writer has left. `partition_fd` is the partition file, open for reading and appending.

    Raises:
        DamagedJournalError: a line of the journal is not an entry.
    """

    def __init__(self, path: Path, partition_fd: int) -> None:
        self._path = path
        self._partition_fd = partition_fd
        new = not path.exists()
        if new:
            path.parent.mkdir(0o700, exist_ok=True)
        self._fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        self._last_batches: dict[tuple[str, int], int] = {}
        try:
            if new:
                sync_folder(path.parent)
                sync_folder(path.parent.parent)
            self._load()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file."""
        os.close(self._fd)

    def contains(self, batch: BatchId) -> bool:
        """Return whether this batch, or a later one of the same writer and slot, was written."""
        last = self._last_batches.get(batch[:2])
        return last is not None and last >= batch.batch

    def remove_writers(self, matches: Callable[[str], bool]) -> None:
        """Remove the entries of all writers that match, so that their batch numbers start again."""
        kept = {slot: batch for slot, batch in self._last_batches.items() if not matches(slot[0])}
        if any(matches(writer) for writer, _ in slots_in(self._path)):
            self._last_batches = kept
            self._compact()

    def append(self, batch: BatchId, data: bytes) -> None:
        """Append the data of a batch to the partition file durably, all of it or nothing."""
        pending = Entry("pending", batch, os.fstat(self._partition_fd).st_size, len(data), zlib.crc32(data))
        self._write(pending)
        os.fdatasync(self._fd)
        write_all(self._partition_fd, data)
        os.fdatasync(self._partition_fd)
        self._settle(pending, "written")

    def _load(self) -> None:
        """Read the entries, recover a pending one, and compact a long journal."""
        length = os.fstat(self._fd).st_size
        text = os.pread(self._fd, length, 0)
        entries = _entries(self._path, text)
        complete = text.rfind(b"\n") + 1
        if complete < length:
            os.ftruncate(self._fd, complete)
        last: Entry | None = None
        for last in entries:
            if last.state == "written":
                self._last_batches[last.batch[:2]] = last.batch.batch
        if last is not None and last.state == "pending":
            self._recover(last)
        if complete > _COMPACT_BYTES:
            self._compact()

    def _recover(self, pending: Entry) -> None:
        if _crc(self._partition_fd, pending.start, pending.length) == pending.crc:
            os.fdatasync(self._partition_fd)
            self._settle(pending, "written")
            return
        if os.fstat(self._partition_fd).st_size > pending.start:
            os.ftruncate(self._partition_fd, pending.start)
            os.fdatasync(self._partition_fd)
        self._settle(pending, "rolled-back")

    def _settle(self, pending: Entry, state: State) -> None:
        self._write(Entry(state, pending.batch))
        if state == "written":
            self._last_batches[pending.batch[:2]] = pending.batch.batch

    def _write(self, entry: Entry) -> None:
        write_all(self._fd, _line(entry))

    def _compact(self) -> None:
        """Replace the journal by a new file with one entry for each writer and slot."""
        draft = self._path.with_name(f".{self._path.name}.{uuid4().hex}")
        entries = (Entry("written", BatchId(*slot, batch)) for slot, batch in self._last_batches.items())
        write_file(draft, b"".join(map(_line, entries)))
        fd = os.open(draft, os.O_RDWR | os.O_APPEND)
        draft.replace(self._path)
        sync_folder(self._path.parent)
        os.close(self._fd)
        self._fd = fd


def _line(entry: Entry) -> bytes:
    extent = {"start": entry.start, "length": entry.length, "crc": entry.crc} if entry.state == "pending" else {}
    return json.dumps({"state": entry.state, **entry.batch._asdict(), **extent}, separators=(",", ":")).encode() + b"\n"


def _entries(journal: Path, text: bytes) -> list[Entry]:
    """Return the entries in a journal, without a last one that a killed writer has left unfinished.

    Raises:
        DamagedJournalError: a line is not an entry, or what follows the last line is not the beginning of one.
    """
    entries: list[Entry] = []
    *lines, rest = text.split(b"\n")
    start = 0
    for line in lines:
        entry = _entry(line)
        if entry is None:
            raise _damaged(journal, len(entries) + 1, start, line)
        entries.append(entry)
        start += len(line) + 1
    if not _is_unfinished(rest):
        raise _damaged(journal, len(entries) + 1, start, rest)
    return entries


def _entry(line: bytes) -> Entry | None:
    """Return the entry in a line, None if it is not one."""
    try:
        members = json.loads(line)
        batch = BatchId(members["writer"], members["slot"], members["batch"])
        state = members["state"]
        extent = [members[name] for name in _EXTENT] if state == "pending" else []
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    numbers = (batch.slot, batch.batch, *extent)
    if state not in _STATES or type(batch.writer) is not str or any(type(number) is not int or number < 0 for number in numbers):
        return None
    return Entry(state, batch, *extent)


def _is_unfinished(rest: bytes) -> bool:
    """Return whether the bytes after the last newline may be an entry that was being written when writer or machine stopped."""
    return len(rest) < _TAIL_BYTES and (rest.startswith(_START) or _START.startswith(rest) or not rest.strip(b"\0"))


def _damaged(journal: Path, number: int, start: int, line: bytes) -> DamagedJournalError:
    return DamagedJournalError(
        f"line {number} of the journal '{journal}', at byte {start}, is not an entry: {line[:_SHOWN_BYTES]!r}; restore the file"
        f" from a backup, or stop all writers and delete the line (sed -i '{number}d' '{journal}'): if a flow then repeats the"
        " batch of this line, its records are in the topic twice; or reset the flow (eddyline reset)"
    )


def _crc(fd: int, start: int, length: int) -> int | None:
    """Return the CRC-32 of a byte range, None if the file ends within it."""
    crc, end = 0, start + length
    while start < end:
        chunk = os.pread(fd, min(_CHUNK_BYTES, end - start), start)
        if not chunk:
            return None
        crc = zlib.crc32(chunk, crc)
        start += len(chunk)
    return crc
