"""A writer killed at any byte: what it leaves is made here byte by byte, and then settled by the next writer."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eddyline.adapters.files import journal
from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.application.ports.event_sink import SinkRecord
from tests.ports.environments import values

_FIRST = [SinkRecord("words", None, b"first", 5)]
_SECOND = [SinkRecord("words", None, b"second-%d" % number, 5) for number in range(3)]


class Crashed:
    """A topic whose writer was killed while it wrote the second of two batches."""

    def __init__(self, root: Path) -> None:
        self.root = root
        sink = FileEventSink(root)
        sink.create_topic("words", 1)
        self.data = root / "words" / "partition-0.jsonl"
        self.journal = root / "words" / ".eddyline" / "partition-0.journal"
        sink.write("w", 0, 0, _FIRST)
        self.first = (self.data.read_bytes(), self.journal.read_bytes())
        self.note = (root / ".eddyline" / "w.slot-0").read_bytes()
        sink.write("w", 0, 1, _SECOND)
        self.whole = (self.data.read_bytes(), self.journal.read_bytes())
        self.pending = self.whole[1].index(b"\n", len(self.first[1])) + 1

    def leave(self, data: int, journal: int) -> None:
        """Cuts data and journal to these lengths, and takes the slot's note back to the first batch."""
        self.data.write_bytes(self.whole[0][:data])
        self.journal.write_bytes(self.whole[1][:journal])
        (self.root / ".eddyline" / "w.slot-0").write_bytes(self.note)


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> Crashed:
    return Crashed(tmp_path_factory.mktemp("topics"))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(point=st.data())
def test_wherever_the_writer_was_killed_readers_see_whole_batches_and_the_repeat_makes_them_complete(
    crashed: Crashed, point: st.DataObject
) -> None:
    first, whole = crashed.first, crashed.whole
    noted = point.draw(st.integers(len(first[1]), len(whole[1])), label="bytes of the journal")
    if noted < crashed.pending:
        data = len(first[0])
    elif noted == crashed.pending:
        data = point.draw(st.integers(len(first[0]), len(whole[0])), label="bytes of the partition file")
    else:
        data = len(whole[0])
    crashed.leave(data, noted)
    log = FileEventLog(crashed.root)
    settled = noted == len(whole[1])
    assert values(log, "words") == ([b"first", b"second-0", b"second-1", b"second-2"] if settled else [b"first"])
    wrote = FileEventSink(crashed.root).write("w", 0, 1, _SECOND)
    assert wrote == (data < len(whole[0]))
    assert crashed.data.read_bytes() == whole[0]
    assert values(log, "words") == [b"first", b"second-0", b"second-1", b"second-2"]


def test_another_writer_settles_what_was_left_whole(crashed: Crashed) -> None:
    crashed.leave(len(crashed.whole[0]), crashed.pending)
    FileEventSink(crashed.root).write("other", 0, crashed.pending, [SinkRecord("words", None, b"other", 5)])
    assert values(FileEventLog(crashed.root), "words") == [b"first", b"second-0", b"second-1", b"second-2", b"other"]


def test_another_writer_cuts_off_what_was_left_in_part(tmp_path: Path) -> None:
    crashed = Crashed(tmp_path)
    crashed.leave(len(crashed.whole[0]) - 1, crashed.pending)
    FileEventSink(crashed.root).write("other", 0, 0, [SinkRecord("words", None, b"other", 5)])
    assert values(FileEventLog(crashed.root), "words") == [b"first", b"other"]
    assert FileEventSink(crashed.root).write("w", 0, 1, _SECOND)
    assert values(FileEventLog(crashed.root), "words") == [b"first", b"other", b"second-0", b"second-1", b"second-2"]


def test_a_line_appended_behind_a_batch_left_whole_stays(tmp_path: Path) -> None:
    crashed = Crashed(tmp_path)
    crashed.leave(len(crashed.whole[0]), crashed.pending)
    with crashed.data.open("a") as file:
        file.write('{"timestamp":5,"value":"by hand"}\n')
    assert values(FileEventLog(crashed.root), "words") == [b"first"]
    assert not FileEventSink(crashed.root).write("w", 0, 1, _SECOND)
    assert values(FileEventLog(crashed.root), "words") == [b"first", b"second-0", b"second-1", b"second-2", b"by hand"]


def test_a_reader_is_not_misled_by_a_batch_that_is_cut_off_while_it_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crashed = Crashed(tmp_path)
    crashed.leave(len(crashed.whole[0]) - 1, crashed.pending)
    looks: list[Path] = []

    def look(path: Path) -> object:
        looks.append(path)
        if len(looks) == 2:
            FileEventSink(crashed.root).write("other", 0, 0, [SinkRecord("words", None, b"other", 5)])
        return last_entry(path)

    last_entry = journal._last_entry  # noqa: SLF001 - what happens between two looks cannot be timed from outside
    monkeypatch.setattr(journal, "_last_entry", look)
    with crashed.data.open("rb") as file:
        assert journal.visible_end(crashed.journal, file.fileno()) == crashed.data.stat().st_size
    assert len(looks) == 3


def test_the_journal_can_be_read_by_a_person(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in Crashed(tmp_path).journal.read_text().splitlines()]
    assert [(line["state"], line["writer"], line["slot"], line["batch"]) for line in lines] == [
        ("pending", "w", 0, 0),
        ("written", "w", 0, 0),
        ("pending", "w", 0, 1),
        ("written", "w", 0, 1),
    ]
