"""The records of a frame, stored by column: topics, timestamps, lengths, then all bytes.

Columns are compressed, since results resemble each other and Java copies every byte several times.
"""

import json
import struct
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice, repeat
from typing import Any, NamedTuple

import pyarrow as pa

from eddyline.adapters.spark.exchange.blobs import Cursor, joined, lengths_of, pack_blobs, unpack_blobs
from eddyline.application.ports.event_log import Headers
from eddyline.application.ports.event_sink import Results

FRAME_BYTES = 1 << 20
"""A frame is full when its keys and values have this many bytes."""

_HEADER = struct.Struct("<IBII")
_FRAME_RECORDS = 8_192
_TIMESTAMP_BYTES, _LENGTH_BYTES = 8, 4
_WITH_HEADERS, _WITH_PARTITION, _WITH_SEQUENCE, _COMPRESSED = 1, 2, 4, 8
_CODEC = "lz4_raw"
_LEAST_COMPRESSED_BYTES = 4_096


class Sequenced(NamedTuple):
    """What orders a record by arrival, over all topics.

    `arrival` is the arrival number of the record that caused it, `number` its number among the records that its task sent.
    """

    arrival: int
    number: int


class Packed(NamedTuple):
    """A record in a frame; `timestamp` is in ms since the epoch, `sequence` is None unless records are ordered by arrival."""

    topic: str
    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: Headers = ()
    partition: int | None = None
    sequence: Sequenced | None = None


_packed: Callable[[Iterable[Any]], Packed] = partial(tuple.__new__, Packed)  # twice as fast as the class itself


class Columns:
    """Collects the records of one frame, a list for each field."""

    __slots__ = (
        "headers",
        "keys",
        "partitions",
        "sequences",
        "size",
        "timestamps",
        "topics",
        "values",
    )

    def __init__(self) -> None:
        self.topics: list[str] = []
        self.keys: list[bytes | None] = []
        self.values: list[bytes | None] = []
        self.timestamps: list[int] = []
        self.headers: list[Headers] = []
        self.partitions: list[int | None] = []
        self.sequences: list[Sequenced] = []
        self.size = 0

    def __len__(self) -> int:
        return len(self.topics)

    def add(  # the fields of a record, in their usual order
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        timestamp: int,
        headers: Headers = (),
        partition: int | None = None,
    ) -> bool:
        """Add a record; return whether the frame is full now."""
        self.topics.append(topic)
        self.keys.append(key)
        self.values.append(value)
        self.timestamps.append(timestamp)
        self.headers.append(headers)
        self.partitions.append(partition)
        self.size += (0 if key is None else len(key)) + (0 if value is None else len(value))
        return self.size >= FRAME_BYTES or len(self.topics) >= _FRAME_RECORDS

    def add_all(self, results: Results, size: int) -> bool:
        """Add records of one topic, whose keys and values have `size` bytes; return whether the frame is full now."""
        topic, keys, values, timestamps, headers, partition = results
        count = len(keys)
        self.topics += repeat(topic, count)
        self.keys += keys
        self.values += values
        self.timestamps += timestamps
        self.headers += headers
        self.partitions += repeat(partition, count)
        self.size += size
        return self.size >= FRAME_BYTES or len(self.topics) >= _FRAME_RECORDS

    def fields(self) -> "Fields":
        """Return the fields of all records."""
        sequences: Iterable[Sequenced | None] = self.sequences or repeat(None, len(self.topics))
        return Fields(self.topics, self.keys, self.values, self.timestamps, self.headers, self.partitions, sequences)

    def results(self) -> Iterator[Results]:
        """Yield the records by column, as many at once as go to the same topic and partition."""
        topics, partitions, first, count = self.topics, self.partitions, 0, len(self.topics)
        if topics and topics.count(topics[0]) == count == partitions.count(partitions[0]):
            yield Results(topics[0], self.keys, self.values, self.timestamps, self.headers, partitions[0])
            return
        while first < count:
            topic, partition, last = topics[first], partitions[first], first + 1
            while last < count and topics[last] == topic and partitions[last] == partition:
                last += 1
            yield Results(topic, self.keys, self.values, self.timestamps, self.headers, partition).part(slice(first, last))
            first = last

    def pack(self) -> bytes:
        """Return the records, at least one, as the body of a frame."""
        names = list(dict.fromkeys(self.topics))
        count = len(self.topics)
        flags = 0
        parts = [array("q", self.timestamps).tobytes(), lengths_of(self.keys).tobytes(), lengths_of(self.values).tobytes()]
        if len(names) > 1:
            numbers = {name: number for number, name in enumerate(names)}
            parts.append(array("I", [numbers[topic] for topic in self.topics]).tobytes())
        if self.partitions.count(None) < count:
            flags |= _WITH_PARTITION
            parts.append(array("i", [-1 if partition is None else partition for partition in self.partitions]).tobytes())
        if self.sequences:
            flags |= _WITH_SEQUENCE
            arrivals, sequence = zip(*self.sequences, strict=True)
            parts += (array("q", arrivals).tobytes(), array("q", sequence).tobytes())
        if any(self.headers):
            flags |= _WITH_HEADERS
            packed = [_pack_headers(own) for own in self.headers]
            parts += (array("i", map(len, packed)).tobytes(), *packed)
        parts += (joined(self.keys), joined(self.values))
        name_bytes, data = json.dumps(names).encode(), b"".join(parts)
        size = len(data)
        if size >= _LEAST_COMPRESSED_BYTES:
            flags |= _COMPRESSED
            data = pa.compress(data, codec=_CODEC, asbytes=True)
        return _HEADER.pack(count, flags, len(name_bytes), size) + name_bytes + data


def pack_records(records: Iterable[Packed]) -> Iterator[bytes]:
    """Pack records into the bodies of as many frames as they need, without their `sequence`."""
    columns = Columns()
    for record in records:
        if columns.add(*record[:6]):
            yield columns.pack()
            columns = Columns()
    if len(columns):
        yield columns.pack()


def count_by_topic(body: bytes) -> Mapping[str, int]:
    """Return the number of records of each topic in a body."""
    count, flags, length, size = _HEADER.unpack_from(body)
    names = json.loads(body[_HEADER.size : _HEADER.size + length])
    if len(names) == 1:
        return {names[0]: count}
    cursor = Cursor(*_data(body, flags, _HEADER.size + length, size))
    cursor.at += count * (_TIMESTAMP_BYTES + 2 * _LENGTH_BYTES)
    return {names[number]: found for number, found in Counter(cursor.column("I", count)).items()}


class Fields(NamedTuple):
    """The records of a body, an iterable for each field, to be iterated once."""

    topics: Iterable[str]
    keys: Iterable[bytes | None]
    values: Iterable[bytes | None]
    timestamps: Iterable[int]
    headers: Iterable[Headers]
    partitions: Iterable[int | None]
    sequences: Iterable[Sequenced | None]


def unpack_records(body: bytes) -> list[Packed]:
    """Return the records of a body."""
    return list(map(_packed, zip(*unpack_fields(body), strict=True)))


def unpack_columns(body: bytes) -> Columns:
    """Return the records of a body by column, without their `sequence`."""
    fields, columns = unpack_fields(body), Columns()
    columns.keys, columns.values = list(fields.keys), list(fields.values)
    count = len(columns.keys)
    columns.topics, columns.timestamps = list(islice(fields.topics, count)), list(fields.timestamps)
    columns.headers, columns.partitions = list(islice(fields.headers, count)), list(islice(fields.partitions, count))
    return columns


def unpack_fields(body: bytes) -> Fields:
    """Return the fields of all records of a body."""
    count, flags, length, size = _HEADER.unpack_from(body)
    names = json.loads(body[_HEADER.size : _HEADER.size + length])
    cursor = Cursor(*_data(body, flags, _HEADER.size + length, size))
    timestamps = cursor.column("q", count)
    key_lengths, value_lengths = cursor.column("i", count), cursor.column("i", count)
    topics = map(names.__getitem__, cursor.column("I", count)) if len(names) > 1 else repeat(names[0], count)
    partitions: Iterable[int | None] = repeat(None, count)
    if flags & _WITH_PARTITION:
        partitions = [None if partition < 0 else partition for partition in cursor.column("i", count)]
    sequences: Iterable[Sequenced | None] = repeat(None, count)
    if flags & _WITH_SEQUENCE:
        arrivals, numbers = cursor.column("q", count), cursor.column("q", count)
        sequences = map(Sequenced, arrivals, numbers)
    headers: Iterable[Headers] = repeat((), count)
    if flags & _WITH_HEADERS:
        headers = [_unpack_headers(own or b"") for own in cursor.blobs(cursor.column("i", count))]
    keys = cursor.blobs(key_lengths)
    values = cursor.blobs(value_lengths)
    return Fields(topics, keys, values, timestamps, headers, partitions, sequences)


def _data(body: bytes, flags: int, at: int, size: int) -> tuple[bytes, int]:
    """Return the bytes with the columns of a body, and the index of the first column in them."""
    if not flags & _COMPRESSED:
        return body, at
    return pa.decompress(memoryview(body)[at:], decompressed_size=size, codec=_CODEC, asbytes=True), 0


def _pack_headers(headers: Headers) -> bytes:
    if not headers:
        return b""
    return pack_blobs([part for name, value in headers for part in (name.encode(), value)])


def _unpack_headers(data: bytes) -> Headers:
    if not data:
        return ()
    blobs = unpack_blobs(data)
    return tuple(((name or b"").decode(), value) for name, value in zip(blobs[::2], blobs[1::2], strict=True))
