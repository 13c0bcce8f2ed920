"""One process at a time: on files a lock decides which one, in memory there is only this one."""

import fcntl
import json
import os
import secrets
from base64 import b64decode, b64encode
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from eddyline.adapters.local.streams import Assignment, OnRevoked, Streams
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.event_sink import EventSink, SinkRecord
from eddyline.application.ports.task_streams import Commits, Feed, Membership
from eddyline.application.runtime.plan.run_plan import RunPlan

LOCK_FILE: Final = "lock"
_WRITER: Final = "writer"
_JOURNAL: Final = "journal.json"


def streams_of_log(sink: EventSink, application_id: str, feed: Callable[[RunPlan], Feed], folder: Path | None) -> Streams:
    """Return the streams of a run over a log that has neither transactions nor groups.

    Args:
        sink: the event sink.
        application_id: the application.
        feed: creates the feed.
        folder: for the lock and the journal; None in memory, where both would outlive what they protect.
    """

    def membership(assignment: Assignment, on_revoked: OnRevoked) -> Membership:
        del on_revoked  # the lock is never taken away
        return LockMembership(assignment.partitions, folder)

    def settle(partition: TopicPartition) -> None:
        del partition  # a commit is of all partitions
        if folder is None or not (folder / _JOURNAL).exists():
            return
        lock = LockMembership(1, folder)
        if lock.held():  # otherwise a process runs, which has completed it
            try:
                SinkCommits(sink, application_id, folder).open(())
            finally:
                lock.close()

    return Streams(membership, feed, lambda _membership: SinkCommits(sink, application_id, folder), settle=settle)


class LockMembership(Membership):
    """Holds all tasks once this process has the lock of the folder."""

    def __init__(self, tasks: int, folder: Path | None) -> None:
        self._tasks, self._folder = frozenset(range(tasks)), folder
        self._handle: int | None = None

    def held(self) -> Collection[int] | None:
        if self._folder is None or self._handle is not None:
            return self._tasks
        self._folder.mkdir(0o700, parents=True, exist_ok=True)
        handle = os.open(self._folder / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return frozenset()
        self._handle = handle
        return self._tasks

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


class SinkCommits(Commits):
    """Writes each commit as one batch of one slot of an event sink.

    The sink may be interrupted between two partitions, so a commit is in a journal before it is written: whatever an earlier
    process has left there is written again, which does nothing where it was written before.
    """

    def __init__(self, sink: EventSink, application_id: str, folder: Path | None) -> None:
        self._sink, self._folder = sink, folder
        self._application_id = application_id
        self._writer = ""
        self._next = 0

    def open(self, numbers: Collection[int]) -> None:
        del numbers
        if self._writer:
            return
        token = f"{self._application_id}-{secrets.token_hex(4)}"
        if self._folder is None:
            self._writer = token
            return
        self._folder.mkdir(0o700, parents=True, exist_ok=True)
        path = self._folder / _WRITER
        if not path.exists():
            _write(path, token.encode())
        self._writer = path.read_text()
        journal = self._folder / _JOURNAL
        if journal.exists():
            found = json.loads(journal.read_bytes())
            self._sink.write(self._writer, 0, found["batch"], [_record(fields) for fields in found["records"]])
            self._next = found["batch"] + 1

    def evict(self, numbers: Collection[int]) -> None:
        """Do nothing: `open` has written what was left in the journal."""

    def send(self, records: Sequence[SinkRecord]) -> None:
        """Do nothing: the sink writes whole batches."""

    def write(
        self, batch: int, records: Sequence[SinkRecord], last: Sequence[SinkRecord], positions: Mapping[TopicPartition, int]
    ) -> bool:
        del positions
        batch, everything = max(batch, self._next), [*records, *last]  # the sink ignores a number that it has seen
        self._next = batch + 1
        if self._folder is not None:
            content = {"batch": batch, "records": [_fields(record) for record in everything]}
            _write(self._folder / _JOURNAL, json.dumps(content, separators=(",", ":")).encode())
        return self._sink.write(self._writer, 0, batch, everything)

    def is_settled(self, partition: TopicPartition) -> bool:
        del partition
        return True

    def are_settled(self, inputs: Collection[TopicPartition]) -> bool:
        del inputs
        return True

    def close(self) -> None:
        """Do nothing: there is nothing that was sent and not written."""


def _write(path: Path, content: bytes) -> None:
    """Write a file, which is complete and durable, or as it was before."""
    part = path.with_name(f"{path.name}.part")
    with part.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _fields(record: SinkRecord) -> list[Any]:
    topic, key, value, timestamp, headers, partition = record
    return [topic, _text(key), _text(value), timestamp, [[name, _text(data)] for name, data in headers], partition]


def _record(fields: Sequence[Any]) -> SinkRecord:
    topic, key, value, timestamp, headers, partition = fields
    return SinkRecord(
        topic, _bytes(key), _bytes(value), timestamp, tuple((name, _bytes(data)) for name, data in headers), partition
    )


def _text(data: bytes | None) -> str | None:
    return None if data is None else b64encode(data).decode()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else b64decode(text)
