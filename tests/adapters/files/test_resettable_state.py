"""How records and notes on files go while others are at work."""

import json
from pathlib import Path
from threading import Thread

import pytest

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink, locked
from eddyline.adapters.files.resettable_state import FileResettableState
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.ports.resettable_state import Application

TOPIC = "results"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    FileEventSink(tmp_path).create_topic(TOPIC, 1)
    return tmp_path


def write(root: Path, writer: str, batch: int, *values: bytes) -> None:
    FileEventSink(root).write(writer, 0, batch, [SinkRecord(TOPIC, None, value, 1) for value in values])


def values(log: FileEventLog) -> list[bytes | None]:
    return [record.value for batch in log.read(TOPIC, 0, 0, log.end_offset(TOPIC, 0)) for record in batch]


def empty(root: Path, application: Application) -> None:
    state = FileResettableState(root)
    for artifact in state.find(application):
        state.remove(application, artifact)


def test_a_reader_that_knew_the_old_records_reads_the_new_ones_from_the_beginning(root: Path) -> None:
    log = FileEventLog(root)
    write(root, "w", 0, *(b"x" * 1_000 for _ in range(600)))
    assert len(values(log)) == 600
    empty(root, Application("app", [TOPIC]))
    assert values(log) == []
    write(root, "w", 1, *(b"%d" % number for number in range(60_000)))
    assert values(log)[59_999] == b"59999"


def test_a_writer_that_waits_meanwhile_writes_into_the_new_file(root: Path) -> None:
    write(root, "w", 0, b"old")
    partition = root / TOPIC / "partition-0.jsonl"
    with locked(partition):
        waiting = Thread(target=write, args=(root, "w", 1, b"new"))
        waiting.start()
        draft = root / "draft"
        draft.touch()
        draft.replace(partition)
    waiting.join(30)
    assert values(FileEventLog(root)) == [b"new"]


def test_what_a_killed_writer_left_undone_is_settled_and_nobody_elses_notes_are_lost(root: Path) -> None:
    write(root, "somebody", 4, b"theirs")
    partition, journal = root / TOPIC / "partition-0.jsonl", root / TOPIC / ".eddyline/partition-0.journal"
    whole = partition.stat().st_size
    pending = {"state": "pending", "writer": "app-0a1b2c3d", "slot": 0, "batch": 0, "start": whole, "length": 99, "crc": 1}
    with journal.open("a") as notes:
        notes.write(json.dumps(pending) + "\n")
    with partition.open("a") as file:
        file.write('{"half')
    empty(root, Application("app"))
    assert partition.stat().st_size == whole
    assert "app-" not in journal.read_text()
    write(root, "somebody", 4, b"repeated")
    assert values(FileEventLog(root)) == [b"theirs"]


def test_it_tells_how_much_there_is(root: Path) -> None:
    write(root, "app-0a1b2c3d", 0, *(b"v" for _ in range(1_234)))
    assert [tuple(artifact) for artifact in FileResettableState(root).find(Application("app", [TOPIC]))] == [
        ("records of a topic", str(root / TOPIC), "1,234 records in 1 partitions"),
        ("notes of batches", str(root), "of 1 slots, in the journals of 1 partitions"),
    ]
