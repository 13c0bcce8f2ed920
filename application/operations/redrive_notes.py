"""What has been redriven, as the log itself remembers it: a topic of one partition with two notes a batch.

The first note of a batch names the letters that are about to be written, `{"batch": 3, "begun": [[0, 7], …]}`. The second one
is written together with their records, as the last of them, and names these: `{"batch": 3, "done": [["trades", 2, 41, 999], …]}`.
So a batch without a second note was cut off, and the same batch must be written again before any other.
"""

import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from eddyline.application.operations.dead_letter_log import DeadLetter, LetterPosition
from eddyline.application.ports.event_log import EventLog
from eddyline.application.ports.event_sink import SinkRecord

Identity: TypeAlias = tuple[str, int | None, int | None, int]
"""Topic, partition and offset that a record had, and a checksum of it, since a topic may be made anew."""


class CutOff(NamedTuple):
    """A batch that was begun and of which nobody knows whether all of it was written."""

    batch: int
    places: tuple[LetterPosition, ...]


def identity(letter: DeadLetter) -> Identity:
    """What tells the record of a letter from all others; letters of the same record have the same."""
    _, record, reason = letter
    checksum = zlib.crc32(b"%d" % record.timestamp)
    for part in (record.key, record.value):
        checksum = zlib.crc32(part or b"", zlib.crc32(b"0" if part is None else b"1%d:" % len(part), checksum))
    return reason.topic, reason.partition, reason.offset, checksum


def begun_note(topic: str, batch: int, letters: Iterable[DeadLetter], now_ms: int) -> SinkRecord:
    """The first note of a batch; `now_ms` is the wall clock in ms since the epoch."""
    return _note(topic, {"batch": batch, "begun": [letter.place for letter in letters]}, now_ms)


def done_note(topic: str, batch: int, letters: Iterable[DeadLetter], now_ms: int) -> SinkRecord:
    """The second note of a batch."""
    return _note(topic, {"batch": batch, "done": [identity(letter) for letter in letters]}, now_ms)


def _note(topic: str, content: object, now_ms: int) -> SinkRecord:
    return SinkRecord(topic, None, json.dumps(content).encode(), now_ms, partition=0)


class Notes:
    """The notes in `topic` of `log`, as far as they have been read or said."""

    def __init__(self, log: EventLog, topic: str) -> None:
        self._log, self._topic = log, topic
        self._position = 0
        self._done_batch = -1
        self._last: CutOff | None = None
        self._redriven: set[Identity] = set()

    @property
    def next_batch(self) -> int:
        """The number of the batch that comes next."""
        return max(self._done_batch, -1 if self._last is None else self._last.batch) + 1

    @property
    def cut_off(self) -> CutOff | None:
        """The last batch, where it was begun and not done."""
        return self._last if self._last is not None and self._last.batch > self._done_batch else None

    def has(self, which: Identity) -> bool:
        """Whether this record has been redriven."""
        return which in self._redriven

    def read(self) -> None:
        """Takes up what was written since the last call."""
        if self._topic not in self._log.topics():
            return
        start = max(self._position, self._log.beginning_offset(self._topic, 0))
        for batch in self._log.read(self._topic, 0, start, self._log.end_offset(self._topic, 0)):
            for record in batch:
                self._take(json.loads(record.value or b"null"))
                self._position = record.offset + 1

    def begun(self, batch: int, letters: Iterable[DeadLetter]) -> None:
        """Says what was noted here, which readers may see only later."""
        self._last = CutOff(batch, tuple(letter.place for letter in letters))

    def done(self, batch: int, letters: Iterable[DeadLetter]) -> None:
        """Likewise."""
        self._done_batch = max(self._done_batch, batch)
        self._redriven.update(map(identity, letters))

    def _take(self, note: Mapping[str, Any]) -> None:
        batch = note["batch"]
        if "begun" in note and (self._last is None or batch > self._last.batch):
            self._last = CutOff(batch, tuple(LetterPosition(*place) for place in note["begun"]))
        if "done" in note:
            self._done_batch = max(self._done_batch, batch)
            self._redriven.update(tuple(which) for which in note["done"])
