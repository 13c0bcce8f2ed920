"""A writer that is killed at any byte: these tests create the files that it leaves, and the next writer recovers them."""

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eddyline.adapters.files import journal
from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.application.ports.event_sink import SinkRecord
from tests.fixtures.examples import examples
from tests.ports.environments import values

_FIRST = [SinkRecord("words", None, b"first", 5)]
_SECOND = [SinkRecord("words", None, b"second-%d" % number, 5) for number in range(3)]


class CrashedWriter:
    """A topic whose writer was killed while it wrote the second of two batches."""

    def __init__(self, root: Path) -> None:
        self.root = root
        sink = FileEventSink(root)
        sink.create_topic("words", 1)
        self.data = root / "words" / "partition-0.jsonl"
        self.journal = root / "words" / ".eddyline" / "partition-0.journal"
        sink.write("w", 0, 0, _FIRST)
        self.first = (self.data.read_bytes(), self.journal.read_bytes())
        self.slot_file = (root / ".eddyline" / "w.slot-0").read_bytes()
        sink.write("w", 0, 1, _SECOND)
        self.complete = (self.data.read_bytes(), self.journal.read_bytes())
        self.pending = self.complete[1].index(b"\n", len(self.first[1])) + 1

    def leave(self, data: int, journal: int) -> None:
        """Truncate the partition file and the journal to these lengths, and restore the slot file of the first batch."""
        self.data.write_bytes(self.complete[0][:data])
        self.journal.write_bytes(self.complete[1][:journal])
        (self.root / ".eddyline" / "w.slot-0").write_bytes(self.slot_file)


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> CrashedWriter:
    return CrashedWriter(tmp_path_factory.mktemp("topics"))


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(point=st.data())
def test_readers_see_only_complete_batches_and_a_repeated_write_completes_the_batch(
    crashed: CrashedWriter, point: st.DataObject
) -> None:
    first, complete = crashed.first, crashed.complete
    journaled = point.draw(st.integers(len(first[1]), len(complete[1])), label="bytes of the journal")
    if journaled < crashed.pending:
        data = len(first[0])
    elif journaled == crashed.pending:
        data = point.draw(st.integers(len(first[0]), len(complete[0])), label="bytes of the partition file")
    else:
        data = len(complete[0])
    crashed.leave(data, journaled)
    log = FileEventLog(crashed.root)
    confirmed = journaled == len(complete[1])
    assert values(log, "words") == ([b"first", b"second-0", b"second-1", b"second-2"] if confirmed else [b"first"])
    wrote = FileEventSink(crashed.root).write("w", 0, 1, _SECOND)
    assert wrote == (data < len(complete[0]))
    assert crashed.data.read_bytes() == complete[0]
    assert values(log, "words") == [b"first", b"second-0", b"second-1", b"second-2"]


def test_another_writer_confirms_a_complete_batch(crashed: CrashedWriter) -> None:
    crashed.leave(len(crashed.complete[0]), crashed.pending)
    FileEventSink(crashed.root).write("other", 0, crashed.pending, [SinkRecord("words", None, b"other", 5)])
    assert values(FileEventLog(crashed.root), "words") == [b"first", b"second-0", b"second-1", b"second-2", b"other"]


def test_another_writer_truncates_an_incomplete_batch(tmp_path: Path) -> None:
    crashed = CrashedWriter(tmp_path)
    crashed.leave(len(crashed.complete[0]) - 1, crashed.pending)
    FileEventSink(crashed.root).write("other", 0, 0, [SinkRecord("words", None, b"other", 5)])
    assert values(FileEventLog(crashed.root), "words") == [b"first", b"other"]
    assert FileEventSink(crashed.root).write("w", 0, 1, _SECOND)
    assert values(FileEventLog(crashed.root), "words") == [b"first", b"other", b"second-0", b"second-1", b"second-2"]


def test_a_line_appended_after_a_complete_batch_is_kept(tmp_path: Path) -> None:
    crashed = CrashedWriter(tmp_path)
    crashed.leave(len(crashed.complete[0]), crashed.pending)
    with crashed.data.open("a") as file:
        file.write('{"timestamp":5,"value":"by hand"}\n')
    assert values(FileEventLog(crashed.root), "words") == [b"first"]
    assert not FileEventSink(crashed.root).write("w", 0, 1, _SECOND)
    assert values(FileEventLog(crashed.root), "words") == [b"first", b"second-0", b"second-1", b"second-2", b"by hand"]


def test_a_reader_notices_a_batch_that_is_truncated_while_it_reads_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crashed = CrashedWriter(tmp_path)
    crashed.leave(len(crashed.complete[0]) - 1, crashed.pending)
    reads: list[Path] = []

    def read(path: Path) -> object:
        reads.append(path)
        if len(reads) == 1:
            FileEventSink(crashed.root).write("other", 0, 0, [SinkRecord("words", None, b"other", 5)])
        return last_entry(path)

    last_entry = journal._last_entry  # noqa: SLF001 - the time between two reads cannot be controlled from outside
    monkeypatch.setattr(journal, "_last_entry", read)
    with crashed.data.open("rb") as file:
        assert journal.visible_end(crashed.journal, file.fileno()) == crashed.data.stat().st_size
    assert len(reads) == 2


def test_the_journal_is_readable_text(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in CrashedWriter(tmp_path).journal.read_text().splitlines()]
    assert [(line["state"], line["writer"], line["slot"], line["batch"]) for line in lines] == [
        ("pending", "w", 0, 0),
        ("written", "w", 0, 0),
        ("pending", "w", 0, 1),
        ("written", "w", 0, 1),
    ]


@pytest.mark.parametrize(
    "damage",
    [
        b"oops\n",
        b"\0" * 40 + b"\n",
        b"\xff\xfe\n",
        b'{"state":"written","writer":"w"}\n',
        b'{"state":"done","writer":"w","slot":0,"batch":1}\n',
        b'{"state":"written","writer":"w","slot":"0","batch":1}\n',
        b'{"state":"written","writer":"w","slot":0,"batch":-1}\n',
        b'{"state":"pending","writer":"w","slot":0,"batch":2,"start":"7","length":1,"crc":1}\n',
        b"[" * 100_000 + b"\n",
        b"binary without a newline",
        b"\0" * 5000,
    ],
)
def test_wrong_bytes_in_a_journal_are_reported_with_file_line_and_byte(tmp_path: Path, damage: bytes) -> None:
    crashed = CrashedWriter(tmp_path)
    place = len(crashed.complete[1])
    with crashed.journal.open("ab") as file:
        file.write(damage)
    message = rf"line 5 of the journal '.*partition-0\.journal', at byte {place}, is not an entry: b['\"].*sed -i '5d'"
    with pytest.raises(journal.DamagedJournalError, match=message):
        FileEventLog(tmp_path).end_offset("words", 0)
    with pytest.raises(journal.DamagedJournalError, match=message):
        FileEventSink(tmp_path).write("w", 0, 2, _FIRST)
    assert crashed.journal.read_bytes() == crashed.complete[1] + damage


def test_a_damaged_line_in_the_middle_of_a_journal_is_reported_to_the_next_writer(tmp_path: Path) -> None:
    crashed = CrashedWriter(tmp_path)
    damaged = crashed.complete[1].replace(b'"written"', b'"wri\xa9ten"', 1)
    crashed.journal.write_bytes(damaged)
    place = damaged.index(b"\n") + 1
    with pytest.raises(journal.DamagedJournalError, match=rf"line 2 of the journal .* at byte {place},"):
        FileEventSink(tmp_path).write("w", 0, 2, _FIRST)


def test_a_journal_can_be_used_again_after_its_damaged_line_was_deleted(tmp_path: Path) -> None:
    crashed = CrashedWriter(tmp_path)
    with crashed.journal.open("ab") as file:
        file.write(b"oops\n")
    with pytest.raises(journal.DamagedJournalError) as damaged:
        FileEventLog(tmp_path).end_offset("words", 0)
    command = str(damaged.value).partition("delete the line (")[2].partition("): ")[0]
    subprocess.run(["/bin/sh", "-c", command], check=True)
    assert FileEventSink(tmp_path).write("w", 0, 2, _FIRST)
    assert values(FileEventLog(tmp_path), "words")[-1] == b"first"


@pytest.mark.parametrize("unfinished", [b"{", b'{"state":"writ', b"\0\0\0"])
def test_an_entry_that_a_crash_left_unfinished_is_no_damage(tmp_path: Path, unfinished: bytes) -> None:
    crashed = CrashedWriter(tmp_path)
    with crashed.journal.open("ab") as file:
        file.write(unfinished)
    assert len(values(FileEventLog(tmp_path), "words")) == 4
    assert FileEventSink(tmp_path).write("w", 0, 2, _FIRST)
    assert unfinished not in crashed.journal.read_bytes().splitlines()


def test_a_compacted_journal_is_durable_before_the_next_batch_is_appended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crashed = CrashedWriter(tmp_path)
    folder = crashed.journal.parent
    synced: list[Path] = []
    monkeypatch.setattr(journal, "_COMPACT_BYTES", 1)
    monkeypatch.setattr(journal, "sync_folder", synced.append)
    FileEventSink(tmp_path).write("w", 0, 2, _FIRST)
    assert synced == [folder], "or a crash of the machine could bring back the old journal, without the entries of the new one"


def test_readers_see_where_a_pending_batch_begins_whatever_the_length_of_its_entry(tmp_path: Path) -> None:
    writer, partition = "w" * 5_000, tmp_path / "partition-0.jsonl"
    partition.write_bytes(b"first\nsecond\n")
    entry = {"state": "pending", "writer": writer, "slot": 0, "batch": 1, "start": 6, "length": 7, "crc": 0}
    path = tmp_path / "journal"
    path.write_text(json.dumps(entry, separators=(",", ":")) + "\n")
    with partition.open("rb") as file:
        assert journal.visible_end(path, file.fileno()) == 6
