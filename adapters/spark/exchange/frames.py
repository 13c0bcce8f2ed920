"""Frames: each row that Spark carries between tasks holds one, with thousands of records and a header.

That divides Spark's overhead per row among many records. No frame outlives its batch.
"""

import struct
from enum import IntEnum
from typing import NamedTuple

_HEADER = struct.Struct("<BqIII")


class Kind(IntEnum):
    """What the body of a frame holds."""

    RANGES = 1
    """The offset ranges that a task reads, as JSON."""
    RECORDS = 2
    """Records of repartition topics."""
    RESULTS = 3
    """Records for the event sink."""
    CHANGES = 4
    """Changed entries of stores: the topic is the name of the store, the partition the number of the task."""
    REPORT = 5
    """What a task counted, as JSON."""
    WRITTEN = 6
    """The number of records that a slot wrote to each topic, as JSON."""
    CHANGELOG = 7
    """Changed entries of stores as records of changelog topics."""
    STREAM_TIME = 8
    """The stream time of a task whose stores have changelogs, as JSON; each such task sends one at the end of a batch."""
    PARTIAL_RANGES = 9
    """The offset ranges that a task reads, as JSON, if the log holds records that follow those of the batch by arrival."""


class Sender(NamedTuple):
    """The task that sent a frame, and the number of the frame; frames sorted by it are in the order of sending."""

    stage: int
    task: int
    number: int


class Frame(NamedTuple):
    """A body and its header; `now_ms` is the wall-clock time of the batch in ms since the epoch."""

    sender: Sender
    kind: Kind
    now_ms: int
    body: bytes


def pack_frame(frame: Frame) -> bytes:
    """Return a frame as bytes."""
    return _HEADER.pack(frame.kind, frame.now_ms, *frame.sender) + frame.body


def unpack_frame(data: bytes) -> Frame:
    """Return the frame in the bytes."""
    kind, now_ms, *sender = _HEADER.unpack_from(data)
    return Frame(Sender(*sender), Kind(kind), now_ms, data[_HEADER.size :])
