"""The journal of redrives is kept in a topic: its entries, and what identifies a record, stay the same between versions."""

import json
import zlib
from collections.abc import Iterator, Sequence
from itertools import combinations

import pytest

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.operations.dead_letter_log import DeadLetter, LetterPosition
from eddyline.application.operations.redrive_journal import RedriveJournal, begun_entry, done_entry, identity
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.dead_letters import Reason

TOPIC = "journal"


def letter(key: bytes | None, value: bytes | None, *, timestamp: int = 5, offset: int = 9) -> DeadLetter:
    record = LogRecord("letters", 1, 3, timestamp, key, value)
    return DeadLetter(LetterPosition(1, 3), record, Reason("CodecError", "", "", "trades", 2, offset))


def test_a_record_is_identified_by_its_position_and_a_checksum_of_its_contents() -> None:
    expected = zlib.crc32(b"5" + b"12:" + b"ab" + b"11:" + b"c")
    assert identity(letter(b"ab", b"c")) == ("trades", 2, 9, expected)
    assert identity(letter(None, None)) == ("trades", 2, 9, zlib.crc32(b"5" + b"0" + b"0"))


def test_records_that_differ_in_anything_have_different_identities() -> None:
    letters = [
        letter(b"ab", b"c"),
        letter(b"a", b"bc"),
        letter(b"", b"abc"),
        letter(None, b"abc"),
        letter(b"abc", b""),
        letter(b"abc", None),
        letter(b"x", b"c"),
        letter(b"ab", b"c", timestamp=6),
        letter(b"ab", b"c", offset=10),
    ]
    assert all(identity(one) != identity(other) for one, other in combinations(letters, 2))


def test_the_entries_of_a_batch_have_its_letters_and_the_wall_clock_time() -> None:
    found = letter(b"ab", b"c")
    assert begun_entry(TOPIC, 4, [found], 1_000) == SinkRecord(
        TOPIC, None, b'{"batch": 4, "begun": [[1, 3]]}', 1_000, partition=0
    )
    content = json.dumps({"batch": 4, "done": [identity(found)]}).encode()
    assert done_entry(TOPIC, 4, [found], 1_000) == SinkRecord(TOPIC, None, content, 1_000, partition=0)


@pytest.fixture
def log() -> MemoryEventLog:
    log = MemoryEventLog()
    log.create_topic(TOPIC, 1)
    return log


def append(log: MemoryEventLog, entry: SinkRecord) -> None:
    log.append(TOPIC, entry.key, entry.value or b"", entry.timestamp)


class CountingLog(MemoryEventLog):
    """Notes the offsets at which reads begin."""

    def __init__(self) -> None:
        super().__init__()
        self.starts: list[int] = []

    def read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        self.starts.append(start)
        return super().read(topic, partition, start, end)


def test_a_batch_is_unfinished_until_it_is_done(log: MemoryEventLog) -> None:
    found, journal = letter(b"ab", b"c"), RedriveJournal(log, TOPIC)
    assert (journal.next_batch, journal.unfinished) == (0, None)
    append(log, begun_entry(TOPIC, 0, [found], 1))
    journal.refresh()
    assert (journal.next_batch, journal.unfinished) == (1, (0, (LetterPosition(1, 3),)))
    assert not journal.contains(identity(found))
    append(log, done_entry(TOPIC, 0, [found], 2))
    journal.refresh()
    assert (journal.next_batch, journal.unfinished) == (1, None)
    assert journal.contains(identity(found))


def test_an_earlier_batch_does_not_replace_a_later_one(log: MemoryEventLog) -> None:
    journal = RedriveJournal(log, TOPIC)
    journal.add_begun(3, [letter(b"ab", b"c")])
    append(log, begun_entry(TOPIC, 2, [], 1))
    append(log, done_entry(TOPIC, 2, [], 1))
    journal.refresh()
    assert journal.unfinished == (3, (LetterPosition(1, 3),))


def test_entries_are_read_once() -> None:
    log = CountingLog()
    log.create_topic(TOPIC, 1)
    journal = RedriveJournal(log, TOPIC)
    for batch in range(3):
        append(log, done_entry(TOPIC, batch, [], 1))
        journal.refresh()
    assert log.starts == [0, 1, 2]
