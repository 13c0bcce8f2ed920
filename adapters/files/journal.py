"""Which batches are in a partition file, so that each is in it once, whole, whenever its writer is killed.

The journal is a file of JSON lines beside the partition file. Before a batch is appended to the partition file, a line says so:

    {"state":"pending","writer":"app","slot":0,"batch":7,"start":1200,"length":512,"crc":305419896}

and afterwards another one: `{"state":"written",…}`. While the last line is pending, readers see the partition file up to
`start`. The next writer settles what a killed one left pending: when the whole batch is there, it is written; else the
partition file is cut back to `start` and the batch counts for nothing (`{"state":"rolled-back",…}`).
Writers hold the lock of the partition file.
"""

import json
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias
from uuid import uuid4

from eddyline.adapters.files.durable import sync_folder, write_all

_TAIL = 4096
_LONG = 32 * 1024
_CHUNK = 1 << 20

State: TypeAlias = Literal["pending", "written", "rolled-back"]


class BatchId(NamedTuple):
    """Which batch: its writer, the slot and the number."""

    writer: str
    slot: int
    batch: int


class Entry(NamedTuple):
    """A line of the journal; a pending one tells its place in the partition file (bytes) and the CRC-32 of its bytes."""

    state: State
    batch: BatchId
    start: int = 0
    length: int = 0
    crc: int = 0


def visible_end(journal: Path, handle: int) -> int:
    """How many bytes of the open partition file readers may see.

    A writer notes what it is about to do to the file before, and that it is done after; so a length taken while the journal
    stayed the same is one that no writer was changing, or one with a pending batch that begins where the journal says.
    """
    before, _ = _last_entry(journal)
    while True:
        size = os.fstat(handle).st_size
        after, last = _last_entry(journal)
        if after == before:
            return min(size, last.start) if last is not None and last.state == "pending" else size
        before = after


def batches_noted(journal: Path) -> set[tuple[str, int]]:
    """The writers and slots of which the journal of a partition holds notes; none where there is no journal."""
    try:
        text = journal.read_bytes()
    except FileNotFoundError:
        return set()
    return {_parse(line).batch[:2] for line in text[: text.rfind(b"\n") + 1].splitlines()}


def _last_entry(journal: Path) -> tuple[tuple[int, int], Entry | None]:
    """What tells whether the journal changed (its inode and length), and its last whole line."""
    try:
        notes = os.open(journal, os.O_RDONLY)
    except FileNotFoundError:
        return (0, 0), None
    try:
        status = os.fstat(notes)
        start = max(0, status.st_size - _TAIL)
        tail = os.pread(notes, status.st_size - start, start)
    finally:
        os.close(notes)
    lines = tail.split(b"\n")[:-1]
    return (status.st_ino, status.st_size), _parse(lines[-1]) if lines else None


class Journal:
    """The journal of one partition file, opened by a writer that holds the file's lock.

    `partition` is the partition file, open for reading and appending. What a killed writer left is settled at once.
    """

    def __init__(self, path: Path, partition: int) -> None:
        self._path = path
        self._partition = partition
        new = not path.exists()
        if new:
            path.parent.mkdir(exist_ok=True)
        self._handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        if new:
            sync_folder(path.parent)
            sync_folder(path.parent.parent)
        self._written: dict[tuple[str, int], int] = {}
        self._load()

    def close(self) -> None:
        """Lets go of the file."""
        os.close(self._handle)

    def has(self, batch: BatchId) -> bool:
        """Whether this batch, or a later one of the writer's slot, is in."""
        last = self._written.get(batch[:2])
        return last is not None and last >= batch.batch

    def forget(self, writers: Callable[[str], bool]) -> None:
        """Lets go of all that is noted of the writers that are meant: each batch of theirs would be a new one."""
        kept = {which: batch for which, batch in self._written.items() if not writers(which[0])}
        if any(writers(writer) for writer, _ in batches_noted(self._path)):
            self._written = kept
            self._shorten()

    def append(self, batch: BatchId, data: bytes) -> None:
        """Appends the batch's bytes to the partition file, durably, all of them or none."""
        pending = Entry("pending", batch, os.fstat(self._partition).st_size, len(data), zlib.crc32(data))
        self._note(pending)
        os.fdatasync(self._handle)
        write_all(self._partition, data)
        os.fdatasync(self._partition)
        self._settle(pending, "written")

    def _load(self) -> None:
        """Takes over what the journal says, settles what is pending, and shortens a long journal."""
        length = os.fstat(self._handle).st_size
        text = os.pread(self._handle, length, 0)
        whole = text.rfind(b"\n") + 1
        if whole < length:
            os.ftruncate(self._handle, whole)
        last: Entry | None = None
        for line in text[:whole].splitlines():
            last = _parse(line)
            if last.state == "written":
                self._written[last.batch[:2]] = last.batch.batch
        if last is not None and last.state == "pending":
            self._recover(last)
        if whole > _LONG:
            self._shorten()

    def _recover(self, pending: Entry) -> None:
        if _crc(self._partition, pending.start, pending.length) == pending.crc:
            os.fdatasync(self._partition)
            self._settle(pending, "written")
            return
        if os.fstat(self._partition).st_size > pending.start:
            os.ftruncate(self._partition, pending.start)
            os.fdatasync(self._partition)
        self._settle(pending, "rolled-back")

    def _settle(self, pending: Entry, state: State) -> None:
        self._note(Entry(state, pending.batch))
        if state == "written":
            self._written[pending.batch[:2]] = pending.batch.batch

    def _note(self, entry: Entry) -> None:
        write_all(self._handle, _line(entry))

    def _shorten(self) -> None:
        """Leaves one line a writer's slot, in a new file that takes the old one's place."""
        draft = self._path.with_name(f".{self._path.name}.{uuid4().hex}")
        draft.write_bytes(b"".join(_line(Entry("written", BatchId(*which, batch))) for which, batch in self._written.items()))
        handle = os.open(draft, os.O_RDWR | os.O_APPEND)
        os.fdatasync(handle)
        draft.replace(self._path)
        os.close(self._handle)
        self._handle = handle


def _line(entry: Entry) -> bytes:
    place = {"start": entry.start, "length": entry.length, "crc": entry.crc} if entry.state == "pending" else {}
    return json.dumps({"state": entry.state, **entry.batch._asdict(), **place}, separators=(",", ":")).encode() + b"\n"


def _parse(line: bytes) -> Entry:
    found = json.loads(line)
    batch = BatchId(found["writer"], found["slot"], found["batch"])
    return Entry(found["state"], batch, found.get("start", 0), found.get("length", 0), found.get("crc", 0))


def _crc(handle: int, start: int, length: int) -> int | None:
    """The CRC-32 of a stretch of the file, None when the file ends within it."""
    crc, end = 0, start + length
    while start < end:
        chunk = os.pread(handle, min(_CHUNK, end - start), start)
        if not chunk:
            return None
        crc = zlib.crc32(chunk, crc)
        start += len(chunk)
    return crc
