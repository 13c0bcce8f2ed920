"""How records travel between stages: many packed into one binary column, so that Spark's price a row is paid seldom.

A frame begins with who sent it and which of its frames it is. Records lie in it by column: topics, times, lengths, then all
bytes; compressed, since results are much alike and every byte is copied many times on its way through Java. Nothing in it
outlives the batch.
"""

import json
import struct
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import partial
from itertools import accumulate, pairwise, repeat
from typing import Any, NamedTuple, cast

import pyarrow as pa

from eddyline.application.ports.event_log import Headers

_PREFIX = struct.Struct("<BqIII")
_HEAD = struct.Struct("<IBII")
_FRAME_RECORDS = 8_192
FRAME_BYTES = 1 << 20
"""A frame with this many bytes of keys and values takes no more records."""
_TIME_BYTES, _LENGTH_BYTES = 8, 4
_WITH_HEADERS, _WITH_PARTITION, _WITH_PLACE, _COMPRESSED = 1, 2, 4, 8
_CODEC = "lz4_raw"
_LEAST_COMPRESSED = 4_096


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


_packed_of: Callable[[Iterable[Any]], Packed] = partial(tuple.__new__, Packed)  # the class itself takes twice as long


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


class Columns:
    """Records on their way into a frame, a list for each of their parts."""

    __slots__ = (
        "headers",
        "key_lengths",
        "keys",
        "partitions",
        "places",
        "size",
        "timestamps",
        "topics",
        "value_lengths",
        "values",
    )

    def __init__(self) -> None:
        self.topics: list[str] = []
        self.keys: list[bytes | None] = []
        self.values: list[bytes | None] = []
        self.key_lengths, self.value_lengths = array("i"), array("i")
        self.timestamps: list[int] = []
        self.headers: list[Headers] = []
        self.partitions: list[int | None] = []
        self.places: list[Place] = []
        self.size = 0

    def __len__(self) -> int:
        return len(self.topics)

    def add(  # noqa: PLR0917 - the parts of a record, in the order they have everywhere
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        timestamp: int,
        headers: Headers = (),
        partition: int | None = None,
    ) -> bool:
        """Takes a record without a place; whether the frame is full now."""
        self.topics.append(topic)
        self.keys.append(key)
        self.values.append(value)
        self.timestamps.append(timestamp)
        self.headers.append(headers)
        self.partitions.append(partition)
        key_length, value_length = -1 if key is None else len(key), -1 if value is None else len(value)
        self.key_lengths.append(key_length)
        self.value_lengths.append(value_length)
        self.size += key_length + value_length
        return self.size >= FRAME_BYTES or len(self.topics) >= _FRAME_RECORDS

    def add_all(  # noqa: PLR0917 - likewise
        self,
        topic: str,
        keys: "Blobs",
        values: "Blobs",
        timestamps: Sequence[int],
        headers: Sequence[Headers],
        partition: int | None,
    ) -> bool:
        """Takes records of one topic without places; whether the frame is full now."""
        count = len(keys.blobs)
        self.topics += repeat(topic, count)
        self.keys += keys.blobs
        self.values += values.blobs
        self.key_lengths += keys.lengths
        self.value_lengths += values.lengths
        self.timestamps += timestamps
        self.headers += headers
        self.partitions += repeat(partition, count)
        self.size += keys.size + values.size
        return self.size >= FRAME_BYTES or len(self.topics) >= _FRAME_RECORDS

    def pack(self) -> bytes:
        """The records as a body; at least one."""
        names = list(dict.fromkeys(self.topics))
        count = len(self.topics)
        flags = 0
        parts = [array("q", self.timestamps).tobytes(), self.key_lengths.tobytes(), self.value_lengths.tobytes()]
        if len(names) > 1:
            numbers = {name: number for number, name in enumerate(names)}
            parts.append(array("I", [numbers[topic] for topic in self.topics]).tobytes())
        if self.partitions.count(None) < count:
            flags |= _WITH_PARTITION
            parts.append(array("i", [-1 if partition is None else partition for partition in self.partitions]).tobytes())
        if self.places:
            flags |= _WITH_PLACE
            arrivals, sequence = zip(*self.places, strict=True)
            parts += (array("q", arrivals).tobytes(), array("q", sequence).tobytes())
        if any(self.headers):
            flags |= _WITH_HEADERS
            packed = [_pack_headers(own) for own in self.headers]
            parts += (array("i", map(len, packed)).tobytes(), *packed)
        parts += (_joined(self.keys), _joined(self.values))
        name_bytes, data = json.dumps(names).encode(), b"".join(parts)
        size = len(data)
        if size >= _LEAST_COMPRESSED:
            flags |= _COMPRESSED
            data = pa.compress(data, codec=_CODEC, asbytes=True)
        return _HEAD.pack(count, flags, len(name_bytes), size) + name_bytes + data


class Blobs(NamedTuple):
    """Byte strings, or None, with their lengths, and about how many bytes they are together."""

    blobs: Sequence[bytes | None]
    lengths: "array[int]"
    size: int


def measured(blobs: Sequence[bytes | None]) -> Blobs:
    """The byte strings with their lengths."""
    lengths = _lengths(blobs)
    return Blobs(blobs, lengths, sum(lengths))


def packed(records: Iterable[Packed]) -> Iterator[bytes]:
    """Records without places as bodies, each fit for a frame."""
    columns = Columns()
    for record in records:
        if columns.add(*record[:6]):
            yield columns.pack()
            columns = Columns()
    if len(columns):
        yield columns.pack()


def counts(body: bytes) -> Mapping[str, int]:
    """How many records of each topic a body holds."""
    count, flags, length, size = _HEAD.unpack_from(body)
    names = json.loads(body[_HEAD.size : _HEAD.size + length])
    if len(names) == 1:
        return {names[0]: count}
    cursor = _Cursor(*_data(body, flags, _HEAD.size + length, size))
    cursor.at += count * (_TIME_BYTES + 2 * _LENGTH_BYTES)
    return {names[number]: found for number, found in Counter(cursor.column("I", count)).items()}


class Parts(NamedTuple):
    """The records of a body, part by part; to be gone through once."""

    topics: Iterable[str]
    keys: Iterable[bytes | None]
    values: Iterable[bytes | None]
    timestamps: Iterable[int]
    headers: Iterable[Headers]
    partitions: Iterable[int | None]
    places: Iterable[Place | None]


def unpack(body: bytes) -> list[Packed]:
    """The records of a body."""
    return list(map(_packed_of, zip(*unpack_parts(body), strict=True)))


def unpack_parts(body: bytes) -> Parts:
    """The parts of all records of a body."""
    count, flags, length, size = _HEAD.unpack_from(body)
    names = json.loads(body[_HEAD.size : _HEAD.size + length])
    cursor = _Cursor(*_data(body, flags, _HEAD.size + length, size))
    timestamps = cursor.column("q", count)
    key_lengths, value_lengths = cursor.column("i", count), cursor.column("i", count)
    topics = map(names.__getitem__, cursor.column("I", count)) if len(names) > 1 else repeat(names[0], count)
    partitions: Iterable[int | None] = repeat(None, count)
    if flags & _WITH_PARTITION:
        partitions = [None if partition < 0 else partition for partition in cursor.column("i", count)]
    places: Iterable[Place | None] = repeat(None, count)
    if flags & _WITH_PLACE:
        arrivals, sequence = cursor.column("q", count), cursor.column("q", count)
        places = map(Place, arrivals, sequence)
    headers: Iterable[Headers] = repeat((), count)
    if flags & _WITH_HEADERS:
        headers = [_unpack_headers(own or b"") for own in cursor.blobs(cursor.column("i", count))]
    keys = cursor.blobs(key_lengths)
    values = cursor.blobs(value_lengths)
    return Parts(topics, keys, values, timestamps, headers, partitions, places)


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

    def blobs(self, lengths: "array[int]") -> Sequence[bytes | None]:
        data = self.data
        if -1 not in lengths:
            ends = list(accumulate(lengths, initial=self.at))
            self.at = ends[-1]
            return [data[a:b] for a, b in pairwise(ends)]
        ends = list(accumulate((max(0, length) for length in lengths), initial=self.at))
        self.at = ends[-1]
        return [None if length < 0 else data[a:b] for length, (a, b) in zip(lengths, pairwise(ends), strict=True)]


def _data(body: bytes, flags: int, at: int, size: int) -> tuple[bytes, int]:
    """Where the columns of a body are: in which bytes, from where on."""
    if not flags & _COMPRESSED:
        return body, at
    return pa.decompress(memoryview(body)[at:], decompressed_size=size, codec=_CODEC, asbytes=True), 0


def _lengths(blobs: Sequence[bytes | None]) -> "array[int]":
    """The length of each, -1 for None."""
    if None in blobs:
        return array("i", [-1 if blob is None else len(blob) for blob in blobs])
    return array("i", map(len, cast("Sequence[bytes]", blobs)))


def _joined(blobs: Sequence[bytes | None]) -> bytes:
    return b"".join(filter(None, blobs))


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
    return len(blobs).to_bytes(4, "little") + _lengths(blobs).tobytes() + _joined(blobs)


def unpack_blobs(data: bytes) -> Sequence[bytes | None]:
    """The byte strings of `pack_blobs`."""
    cursor = _Cursor(data, 4)
    return cursor.blobs(cursor.column("i", int.from_bytes(data[:4], "little")))
