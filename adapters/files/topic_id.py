"""The id of a topic on files: it changes when the offsets of the topic start again.

The file `.eddyline/id` in the topic folder has a random id, and the length and CRC-32 of the first line of each partition file.
If a partition file begins with something else later, it was rewritten or emptied, and the topic gets another id.
"""

import json
import os
import zlib
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias
from uuid import uuid4

from eddyline.adapters.files.durable import sync_folder
from eddyline.adapters.files.file_lock import locked
from eddyline.adapters.files.journal import visible_end

_MAX_BYTES: Final = 4096

_Head: TypeAlias = tuple[int, int]
"""The length and the CRC-32 of the first line of a partition file, or of its beginning if the line is long."""


class PartitionFiles(NamedTuple):
    """The files of one partition; they may not exist."""

    number: int
    records: Path
    journal: Path


def topic_id(path: Path, partitions: list[PartitionFiles]) -> str:
    """Return the id of a topic; empty if it has none and the folder is read-only.

    Args:
        path: The file with the id.
        partitions: The partitions of the topic.
    """
    try:
        path.parent.mkdir(exist_ok=True)
        with locked(path) as fd:
            stored = os.pread(fd, os.fstat(fd).st_size, 0)
            found = _current(stored, partitions)
            if found != stored:
                os.pwrite(fd, found, 0)
                os.ftruncate(fd, len(found))
                os.fsync(fd)
                sync_folder(path.parent)
    except OSError:
        try:
            found = _current(path.read_bytes(), partitions)
        except OSError:
            return ""
    return str(json.loads(found)["id"])


def _current(stored: bytes, partitions: list[PartitionFiles]) -> bytes:
    """Return the contents of the file as they should be now; a file that is empty or damaged gets another id."""
    try:
        members = json.loads(stored)
        found, heads = (
            str(members["id"]),
            {int(number): (int(size), int(crc)) for number, (size, crc) in members["heads"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        found, heads = uuid4().hex, {}
    if any(files.number in heads and _crc(files.records, heads[files.number][0]) != heads[files.number] for files in partitions):
        found, heads = uuid4().hex, {}
    for files in partitions:
        if files.number not in heads and (head := _head(files)) is not None:
            heads[files.number] = head
    return f"{json.dumps({'id': found, 'heads': heads})}\n".encode()


def _head(files: PartitionFiles) -> _Head | None:
    """Return the beginning of a partition file, None if its first line is not visible yet."""
    try:
        with files.records.open("rb") as records:
            visible = visible_end(files.journal, records.fileno())
            line = records.readline(min(_MAX_BYTES, visible))
    except FileNotFoundError:
        return None
    complete = line.endswith(b"\n") or len(line) == _MAX_BYTES
    return (len(line), zlib.crc32(line)) if complete else None


def _crc(path: Path, length: int) -> _Head:
    try:
        with path.open("rb") as records:
            text = records.read(length)
    except FileNotFoundError:
        text = b""
    return len(text), zlib.crc32(text)
