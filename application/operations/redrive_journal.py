"""The journal of redriven dead letters: a topic of one partition with two entries for each batch.

The first entry of a batch is written before its records and names the dead letters: `{"batch": 3, "begun": [[0, 7], …]}`. The
second is written atomically with the records, as the last of them, and identifies them:
`{"batch": 3, "done": [["trades", 2, 41, 999], …]}`. If a batch has no second entry, its redrive was interrupted, and the same
batch must be written again before any other.
"""

import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from eddyline.application.operations.dead_letter_log import DeadLetter, LetterPosition
from eddyline.application.ports.event_log import EventLog
from eddyline.application.ports.event_sink import SinkRecord

Identity: TypeAlias = tuple[str, int | None, int | None, int]
"""The topic, partition and offset that a record had, and a checksum of it, since a topic may be deleted and recreated."""


class UnfinishedBatch(NamedTuple):
    """A batch that was begun and may not have been written completely."""

    batch: int
    positions: tuple[LetterPosition, ...]


def identity(letter: DeadLetter) -> Identity:
    """Return what identifies the record of a dead letter; two dead letters of the same record have the same identity."""
    _, record, reason = letter
    checksum = zlib.crc32(b"%d" % record.timestamp)
    for part in (record.key, record.value):
        checksum = zlib.crc32(part or b"", zlib.crc32(b"0" if part is None else b"1%d:" % len(part), checksum))
    return reason.topic, reason.partition, reason.offset, checksum


def begun_entry(topic: str, batch: int, letters: Iterable[DeadLetter], now_ms: int) -> SinkRecord:
    """Return the first entry of a batch; `now_ms` is the wall-clock time in ms since the epoch."""
    return _entry(topic, {"batch": batch, "begun": [letter.position for letter in letters]}, now_ms)


def done_entry(topic: str, batch: int, letters: Iterable[DeadLetter], now_ms: int) -> SinkRecord:
    """Return the second entry of a batch; `now_ms` is the wall-clock time in ms since the epoch."""
    return _entry(topic, {"batch": batch, "done": [identity(letter) for letter in letters]}, now_ms)


def _entry(topic: str, content: object, now_ms: int) -> SinkRecord:
    return SinkRecord(topic, None, json.dumps(content).encode(), now_ms, partition=0)


class RedriveJournal:
    """The journal in a topic of an event log, as of the last `refresh` and the entries added since."""

    def __init__(self, log: EventLog, topic: str) -> None:
        self._log, self._topic = log, topic
        self._offset = 0
        self._last_done = -1
        self._last_begun: UnfinishedBatch | None = None
        self._redriven: set[Identity] = set()

    @property
    def next_batch(self) -> int:
        """The number of the next batch."""
        return max(self._last_done, -1 if self._last_begun is None else self._last_begun.batch) + 1

    @property
    def unfinished(self) -> UnfinishedBatch | None:
        """The last batch if it was begun and is not known to be done."""
        return self._last_begun if self._last_begun is not None and self._last_begun.batch > self._last_done else None

    def contains(self, record: Identity) -> bool:
        """Return whether a record was redriven."""
        return record in self._redriven

    def refresh(self) -> None:
        """Read the entries that were written since the last call."""
        if self._topic not in self._log.topics():
            return
        start = max(self._offset, self._log.beginning_offset(self._topic, 0))
        for batch in self._log.read(self._topic, 0, start, self._log.end_offset(self._topic, 0)):
            for record in batch:
                self._apply(json.loads(record.value or b"null"))
                self._offset = record.offset + 1

    def add_begun(self, batch: int, letters: Iterable[DeadLetter]) -> None:
        """Add a first entry that was written but may not be readable yet."""
        self._last_begun = UnfinishedBatch(batch, tuple(letter.position for letter in letters))

    def add_done(self, batch: int, letters: Iterable[DeadLetter]) -> None:
        """Add a second entry that was written but may not be readable yet."""
        self._last_done = max(self._last_done, batch)
        self._redriven.update(map(identity, letters))

    def _apply(self, entry: Mapping[str, Any]) -> None:
        batch = entry["batch"]
        if "begun" in entry and (self._last_begun is None or batch > self._last_begun.batch):
            self._last_begun = UnfinishedBatch(batch, tuple(LetterPosition(*position) for position in entry["begun"]))
        if "done" in entry:
            self._last_done = max(self._last_done, batch)
            self._redriven.update(tuple(record) for record in entry["done"])
