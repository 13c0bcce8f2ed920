"""Removing records and batch numbers on files while readers and writers are active."""

import json
from pathlib import Path
from threading import Thread

import pytest

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.files.file_lock import locked
from eddyline.adapters.files.resettable_state import FileResettableState
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.ports.resettable_state import Application
from tests.ports.environments import values

TOPIC = "results"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    FileEventSink(tmp_path).create_topic(TOPIC, 1)
    return tmp_path


def write(root: Path, writer: str, batch: int, *contents: bytes) -> None:
    FileEventSink(root).write(writer, 0, batch, [SinkRecord(TOPIC, None, value, 1) for value in contents])


def remove_all(root: Path, application: Application) -> None:
    state = FileResettableState(root)
    for artifact in state.find(application):
        state.remove(application, artifact)


def test_a_reader_of_the_old_records_reads_the_new_ones_from_the_beginning(root: Path) -> None:
    log = FileEventLog(root)
    write(root, "w", 0, *(b"x" * 1_000 for _ in range(600)))
    assert len(values(log, TOPIC)) == 600
    remove_all(root, Application("app", [TOPIC]))
    assert values(log, TOPIC) == []
    write(root, "w", 1, *(b"%d" % number for number in range(60_000)))
    assert values(log, TOPIC)[59_999] == b"59999"


def test_a_writer_that_waits_for_the_lock_writes_to_the_new_file(root: Path) -> None:
    write(root, "w", 0, b"old")
    partition = root / TOPIC / "partition-0.jsonl"
    with locked(partition):
        waiting = Thread(target=write, args=(root, "w", 1, b"new"))
        waiting.start()
        draft = root / "draft"
        draft.touch()
        draft.replace(partition)
    waiting.join(120)
    assert values(FileEventLog(root), TOPIC) == [b"new"]


def test_an_incomplete_batch_is_recovered_and_the_batch_numbers_of_other_writers_are_kept(root: Path) -> None:
    write(root, "another-writer", 4, b"theirs")
    partition, journal = root / TOPIC / "partition-0.jsonl", root / TOPIC / ".eddyline/partition-0.journal"
    whole = partition.stat().st_size
    pending = {"state": "pending", "writer": "app-0a1b2c3d", "slot": 0, "batch": 0, "start": whole, "length": 99, "crc": 1}
    with journal.open("a") as file:
        file.write(json.dumps(pending) + "\n")
    with partition.open("a") as file:
        file.write('{"half')
    remove_all(root, Application("app"))
    assert partition.stat().st_size == whole
    assert "app-" not in journal.read_text()
    write(root, "another-writer", 4, b"repeated")
    assert values(FileEventLog(root), TOPIC) == [b"theirs"]


def test_artifacts_have_a_size(root: Path) -> None:
    write(root, "app-0a1b2c3d", 0, *(b"v" for _ in range(1_234)))
    assert [tuple(artifact) for artifact in FileResettableState(root).find(Application("app", [TOPIC]))] == [
        ("records of a topic", str(root / TOPIC), "1,234 records in 1 partition"),
        ("last batch numbers", str(root), "1 slot, in the journals of 1 partition"),
    ]


def test_the_index_of_removed_records_is_deleted_since_the_inode_may_be_reused(root: Path) -> None:
    write(root, "w", 0, *(b"x" * 1_000 for _ in range(600)))
    assert len(values(FileEventLog(root), TOPIC)) == 600
    index = root / TOPIC / ".eddyline" / "partition-0.index"
    assert index.exists()
    remove_all(root, Application("app", [TOPIC]))
    assert not index.exists()


def test_a_partition_without_a_file_is_empty(root: Path) -> None:
    write(root, "app-0a1b2c3d", 0, b"v")
    (root / TOPIC / "partition-2.jsonl").touch()
    remove_all(root, Application("app", [TOPIC]))
    assert FileResettableState(root).find(Application("app", [TOPIC])) == []
