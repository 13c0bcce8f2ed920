"""How records travel between stages: many packed into one binary column, so that Spark's price a row is paid seldom.

A frame begins with who sent it and which of its frames it is. Records lie in it by column: topics, times, lengths, then all
bytes. Nothing in it outlives the batch.
"""

import json
import struct
from array import array
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from itertools import accumulate, pairwise
from typing import NamedTuple

from application.ports.event_log import Headers

_PREFIX = struct.Struct("<BqIII")
_HEAD = struct.Struct("<IBI")
_FRAME_RECORDS = 8_192
_FRAME_BYTES = 1 << 20
_WITH_HEADERS, _WITH_PARTITION, _WITH_PLACE = 1, 2, 4


class Kind(IntEnum):
    """What a frame holds."""

    RANGES = 1
    """The offsets that a task is to read, as JSON."""
    RECORDS = 2
    """Records of repartition topics."""
    OUTPUT = 3
    """Records for the event sink."""
    CHANGES = 4
    """Entries of stores that changed; the topic is the store, the partition the task's."""
    REPORT = 5
    """What a task counted, as JSON."""


class Sender(NamedTuple):
    """Who sent a frame, and the how manieth of its frames it is: sorted by this, frames are in the order they were made."""

    stage: int
    task: int
    number: int


class Place(NamedTuple):
    """A record's place in the sequence over all topics: after which arrival, and the how manieth of a task's records."""

    arrival: int
    number: int


class Packed(NamedTuple):
    """A record as it travels; `timestamp` in ms since the epoch; `place` is kept where the order over all topics counts."""

    topic: str
    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: Headers = ()
    partition: int | None = None
    place: Place | None = None


class Frame(NamedTuple):
    """A body with what Spark's batch knows of it; `now_ms` is the batch's wall clock."""

    sender: Sender
    kind: Kind
    now_ms: int
    body: bytes


def wrap(frame: Frame) -> bytes:
    """A frame as bytes."""
    return _PREFIX.pack(frame.kind, frame.now_ms, *frame.sender) + frame.body


def unwrap(data: bytes) -> Frame:
    """The frame in the bytes."""
    kind, now_ms, *sender = _PREFIX.unpack_from(data)
    return Frame(Sender(*sender), Kind(kind), now_ms, data[_PREFIX.size :])


def split(records: Sequence[Packed]) -> Iterator[Sequence[Packed]]:
    """The records in portions, each fit for a frame."""
    start = size = 0
    for index, record in enumerate(records):
        size += len(record[1] or b"") + len(record[2] or b"")
        if size >= _FRAME_BYTES or index - start >= _FRAME_RECORDS:
            yield records[start : index + 1]
            start, size = index + 1, 0
    if start < len(records):
        yield records[start:]


def pack(records: Sequence[Packed]) -> bytes:
    """Records as a body; at least one."""
    topics, keys, values, timestamps, headers, partitions, places = zip(*records, strict=True)
    names = list(dict.fromkeys(topics))
    flags = 0
    parts = [
        array("q", timestamps).tobytes(),
        array("i", [-1 if key is None else len(key) for key in keys]).tobytes(),
        array("i", [-1 if value is None else len(value) for value in values]).tobytes(),
    ]
    if len(names) > 1:
        numbers = {name: number for number, name in enumerate(names)}
        parts.append(array("I", [numbers[topic] for topic in topics]).tobytes())
    if any(partition is not None for partition in partitions):
        flags |= _WITH_PARTITION
        parts.append(array("i", [-1 if partition is None else partition for partition in partitions]).tobytes())
    if places[0] is not None:
        flags |= _WITH_PLACE
        arrivals, sequence = zip(*places, strict=True)
        parts += (array("q", arrivals).tobytes(), array("q", sequence).tobytes())
    if any(headers):
        flags |= _WITH_HEADERS
        packed = [_pack_headers(own) for own in headers]
        parts += (array("i", map(len, packed)).tobytes(), *packed)
    parts += (key for key in keys if key is not None)
    parts += (value for value in values if value is not None)
    name_bytes = json.dumps(names).encode()
    return _HEAD.pack(len(records), flags, len(name_bytes)) + name_bytes + b"".join(parts)


def unpack(body: bytes) -> list[Packed]:
    """The records of a body."""
    count, flags, at = _HEAD.unpack_from(body)
    cursor = _Cursor(body, _HEAD.size + at)
    names = json.loads(body[_HEAD.size : cursor.at])
    timestamps = cursor.column("q", count)
    key_lengths, value_lengths = cursor.column("i", count), cursor.column("i", count)
    topics = [names[number] for number in cursor.column("I", count)] if len(names) > 1 else names * count
    partitions: Iterable[int | None] = [None] * count
    if flags & _WITH_PARTITION:
        partitions = [None if partition < 0 else partition for partition in cursor.column("i", count)]
    places: Iterable[Place | None] = [None] * count
    if flags & _WITH_PLACE:
        arrivals, sequence = cursor.column("q", count), cursor.column("q", count)
        places = map(Place, arrivals, sequence)
    headers: Iterable[Headers] = [()] * count
    if flags & _WITH_HEADERS:
        headers = [_unpack_headers(own or b"") for own in cursor.blobs(cursor.column("i", count))]
    keys = cursor.blobs(key_lengths)
    values = cursor.blobs(value_lengths)
    return list(map(Packed, topics, keys, values, timestamps, headers, partitions, places))


class _Cursor:
    """Reads columns one after the other."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def column(self, code: str, count: int) -> "array[int]":
        found = array(code)
        end = self.at + count * found.itemsize
        found.frombytes(self.data[self.at : end])
        self.at = end
        return found

    def blobs(self, lengths: "array[int]") -> list[bytes | None]:
        data = self.data
        ends = list(accumulate((max(0, length) for length in lengths), initial=self.at))
        self.at = ends[-1]
        return [None if length < 0 else data[a:b] for length, (a, b) in zip(lengths, pairwise(ends), strict=True)]


def _pack_headers(headers: Headers) -> bytes:
    if not headers:
        return b""
    texts = [part for name, value in headers for part in (name.encode(), value)]
    return pack_blobs(texts)


def _unpack_headers(data: bytes) -> Headers:
    if not data:
        return ()
    blobs = unpack_blobs(data)
    return tuple(((name or b"").decode(), value) for name, value in zip(blobs[::2], blobs[1::2], strict=True))


def pack_blobs(blobs: Sequence[bytes | None]) -> bytes:
    """Several byte strings, or None, as one."""
    lengths = array("i", [-1 if blob is None else len(blob) for blob in blobs])
    return len(blobs).to_bytes(4, "little") + lengths.tobytes() + b"".join(blob for blob in blobs if blob is not None)


def unpack_blobs(data: bytes) -> list[bytes | None]:
    """The byte strings of `pack_blobs`."""
    cursor = _Cursor(data, 4)
    return cursor.blobs(cursor.column("i", int.from_bytes(data[:4], "little")))
