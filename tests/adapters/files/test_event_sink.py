import fcntl
import threading
from collections import Counter
from pathlib import Path

import pytest

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.application.ports.event_sink import SinkRecord
from tests.ports.environments import values


@pytest.fixture
def sink(tmp_path: Path) -> FileEventSink:
    sink = FileEventSink(tmp_path)
    sink.create_topic("words", 1)
    return sink


def _append(root: Path, text: str) -> None:
    with (root / "words" / "partition-0.jsonl").open("a") as file:
        file.write(text)


def _words(*texts: str) -> list[SinkRecord]:
    return [SinkRecord("words", None, text.encode(), 5) for text in texts]


def test_lines_appended_by_hand_between_batches_are_kept(tmp_path: Path, sink: FileEventSink) -> None:
    sink.write("w", 0, 0, _words("a"))
    _append(tmp_path, '{"timestamp":5,"value":"by hand"}\n')
    sink.write("w", 0, 1, _words("b"))
    sink.write("w", 0, 1, _words("b"))
    assert values(FileEventLog(tmp_path), "words") == [b"a", b"by hand", b"b"]


def test_a_last_line_without_a_newline_is_completed_before_the_next_batch(tmp_path: Path, sink: FileEventSink) -> None:
    _append(tmp_path, '{"timestamp":5,"value":"no newline"}')
    sink.write("w", 0, 0, _words("a"))
    assert values(FileEventLog(tmp_path), "words") == [b"no newline", b"a"]


def test_a_partition_file_deleted_by_hand_is_created_again(tmp_path: Path, sink: FileEventSink) -> None:
    sink.write("w", 0, 0, _words("a"))
    (tmp_path / "words" / "partition-0.jsonl").unlink()
    sink.write("w", 0, 1, _words("b"))
    assert values(FileEventLog(tmp_path), "words") == [b"b"]


@pytest.mark.usefixtures("sink")
def test_concurrent_slots_are_written_completely_and_without_interleaving(tmp_path: Path) -> None:
    batches, slots, size = 10, 6, 50

    def run(slot: int) -> None:
        own = FileEventSink(tmp_path)
        for batch in range(batches):
            own.write("w", slot, batch, _words(*(f"{slot}.{batch}.{number}" for number in range(size))))

    threads = [threading.Thread(target=run, args=(slot,)) for slot in range(slots)]
    for thread in threads:
        thread.start()
    log = FileEventLog(tmp_path)
    while any(thread.is_alive() for thread in threads):
        seen = Counter((value or b"").rpartition(b".")[0] for value in values(log, "words"))
        assert set(seen.values()) <= {size}
    found = [value.decode().split(".") for value in values(log, "words") if value]
    assert len(found) == batches * slots * size
    for slot in range(slots):
        own = [(int(batch), int(number)) for which, batch, number in found if which == str(slot)]
        assert own == [(batch, number) for batch in range(batches) for number in range(size)]
    runs = [found[start : start + size] for start in range(0, len(found), size)]
    assert all(len({(slot, batch) for slot, batch, _ in run}) == 1 for run in runs)


def test_a_write_waits_for_the_lock_of_the_partition_file(tmp_path: Path, sink: FileEventSink) -> None:
    partition = tmp_path / "words" / "partition-0.jsonl"
    with partition.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        thread = threading.Thread(target=sink.write, args=("w", 0, 0, _words("a")))
        thread.start()
        thread.join(timeout=0.2)
        assert thread.is_alive()
        assert partition.read_bytes() == b""
    thread.join()
    assert values(FileEventLog(tmp_path), "words") == [b"a"]


def test_compacting_a_long_journal_keeps_the_last_batch_numbers(tmp_path: Path, sink: FileEventSink) -> None:
    journal = tmp_path / "words" / ".eddyline" / "partition-0.journal"
    sink.write("other", 3, 99, _words("first"))
    for batch in range(300):
        sink.write("a-writer-with-a-long-name", 0, batch, _words("x"))
    assert journal.stat().st_size < 40_000
    (tmp_path / ".eddyline" / "other.slot-3").unlink()
    (tmp_path / ".eddyline" / "a-writer-with-a-long-name.slot-0").unlink()
    assert not FileEventSink(tmp_path).write("other", 3, 99, _words("again"))
    assert not FileEventSink(tmp_path).write("a-writer-with-a-long-name", 0, 299, _words("again"))
    assert len(values(FileEventLog(tmp_path), "words")) == 301


def test_a_corrupt_slot_file_does_not_cause_duplicates(tmp_path: Path, sink: FileEventSink) -> None:
    sink.write("w", 0, 7, _words("a"))
    (tmp_path / ".eddyline" / "w.slot-0").write_bytes(b"\0" * 21)
    assert not sink.write("w", 0, 7, _words("a"))
    assert values(FileEventLog(tmp_path), "words") == [b"a"]


@pytest.mark.parametrize("writer", ["..", "a/b", "ü", "a b"])
def test_any_writer_name_is_stored_inside_the_folder(tmp_path: Path, sink: FileEventSink, writer: str) -> None:
    before = {path.name for path in tmp_path.parent.iterdir()}
    assert sink.write(writer, 0, 0, _words("a"))
    assert not FileEventSink(tmp_path).write(writer, 0, 0, _words("a"))
    assert {path.name for path in tmp_path.parent.iterdir()} == before


@pytest.mark.parametrize(("writer", "slot", "batch"), [("", 0, 0), ("x" * 201, 0, 0), ("w", -1, 0), ("w", 0, -1)])
def test_an_invalid_batch_id_is_rejected(sink: FileEventSink, writer: str, slot: int, batch: int) -> None:
    with pytest.raises(
        ValueError, match=f"invalid batch: writer '{writer}', slot {slot}, batch {batch}; slot and batch must not be negative"
    ):
        sink.write(writer, slot, batch, _words("a"))
