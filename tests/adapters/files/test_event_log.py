import os
from pathlib import Path

import pytest

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.application.ports.event_log import OffsetOutOfRangeError
from eddyline.application.ports.event_sink import SinkRecord
from tests.ports.environments import read_all, values


@pytest.fixture
def partition(tmp_path: Path) -> Path:
    path = tmp_path / "words" / "partition-0.jsonl"
    path.parent.mkdir()
    return path


def _line(text: str) -> str:
    return f'{{"timestamp": 5, "value": "{text}"}}\n'


def test_lines_appended_by_hand_are_records(tmp_path: Path, partition: Path) -> None:
    log = FileEventLog(tmp_path)
    partition.write_text(_line("a"))
    assert values(log, "words") == [b"a"]
    with partition.open("a") as file:
        file.write(_line("b"))
    assert values(log, "words") == [b"a", b"b"]


def test_a_last_line_without_a_newline_is_not_visible_yet(tmp_path: Path, partition: Path) -> None:
    log = FileEventLog(tmp_path)
    partition.write_text(_line("a") + _line("b")[:-1])
    assert (log.end_offset("words", 0), values(log, "words")) == (1, [b"a"])
    with partition.open("a") as file:
        file.write("\n")
    assert (log.end_offset("words", 0), values(log, "words")) == (2, [b"a", b"b"])


def test_offsets_are_line_numbers_and_blank_lines_leave_gaps(tmp_path: Path, partition: Path) -> None:
    partition.write_text(_line("a") + "\n" + _line("b") + "  \n")
    log = FileEventLog(tmp_path)
    assert [(record.offset, record.value) for record in read_all(log, "words")] == [(0, b"a"), (2, b"b")]
    assert log.end_offset("words", 0) == 4
    assert list(log.read("words", 0, 1, 2)) == []


def test_a_line_that_is_not_a_record_is_returned_with_its_bytes_and_the_reason(tmp_path: Path, partition: Path) -> None:
    partition.write_text(_line("a") + "oops\n" + _line("b"))
    _, invalid, _ = read_all(FileEventLog(tmp_path), "words")
    assert (invalid.offset, invalid.timestamp, invalid.key, invalid.value) == (1, -1, None, b"oops")
    assert invalid.error == "not JSON: Expecting value at column 1"


def test_a_large_file_is_read_in_batches_and_from_any_offset(tmp_path: Path, partition: Path) -> None:
    partition.write_text("".join(_line(f"{number}-{'x' * 100}") for number in range(20_000)))
    log = FileEventLog(tmp_path)
    batches = list(log.read("words", 0, 0, log.end_offset("words", 0)))
    assert len(batches) > 1
    assert [record.offset for batch in batches for record in batch] == list(range(20_000))
    [tail] = FileEventLog(tmp_path).read("words", 0, 19_998, 20_000)
    assert [record.value[:5] for record in tail if record.value] == [b"19998", b"19999"]


def test_a_line_longer_than_a_chunk_is_one_record(tmp_path: Path, partition: Path) -> None:
    long = "x" * 3_000_000
    partition.write_text(_line("a") + _line(long) + _line("b"))
    assert values(FileEventLog(tmp_path), "words") == [b"a", long.encode(), b"b"]


def test_the_offsets_of_an_emptied_file_are_out_of_range(tmp_path: Path, partition: Path) -> None:
    partition.write_text(_line("a") * 3)
    log = FileEventLog(tmp_path)
    end = log.end_offset("words", 0)
    partition.write_text("")
    with pytest.raises(
        OffsetOutOfRangeError, match="offsets 0 to 3 were requested, but the log has 0 to 0; if the file was emptied"
    ):
        log.read("words", 0, 0, end)


def test_truncating_a_file_while_it_is_read_is_an_error(tmp_path: Path, partition: Path) -> None:
    partition.write_text(_line("x" * 1000) * 3000)
    batches = FileEventLog(tmp_path).read("words", 0, 0, 3000)
    next(batches)
    partition.write_text("")
    with pytest.raises(OffsetOutOfRangeError, match=r"partition 0: the file was truncated to \d+ bytes while it was read"):
        list(batches)


def test_a_file_that_was_rewritten_in_place_is_read_with_its_new_lines(tmp_path: Path, partition: Path) -> None:
    partition.write_text(_line("x" * 1000) * 1000)
    log = FileEventLog(tmp_path)
    assert log.end_offset("words", 0) == 1000
    partition.write_text("".join(_line(f"{number:0500}") for number in range(3000)))
    for reader in (log, FileEventLog(tmp_path)):
        assert reader.end_offset("words", 0) == 3000
        [[record]] = reader.read("words", 0, 2500, 2501)
        assert (record.offset, record.value) == (2500, b"%0500d" % 2500)


def test_a_file_that_is_rewritten_while_it_is_read_is_an_error_and_can_be_read_again(tmp_path: Path, partition: Path) -> None:
    partition.write_text(_line("x" * 1000) * 3000)
    log = FileEventLog(tmp_path)
    batches = log.read("words", 0, 0, 3000)
    next(batches)
    partition.write_text(_line("y" * 700) * 5000)
    with pytest.raises(OffsetOutOfRangeError, match=r"partition-0.jsonl' was rewritten while offsets 0 to 3000 were read; run"):
        list(batches)
    assert values(log, "words") == [b"y" * 700] * 5000


def test_a_stale_index_that_still_fits_the_samples_is_noticed_by_the_read(
    tmp_path: Path, partition: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eddyline.adapters.files.line_index._BLOCK", 8192)
    partition.write_text(_line("x" * 70) * 1000)
    log = FileEventLog(tmp_path)
    end = log.end_offset("words", 0)
    text = bytearray(partition.read_bytes())
    text[10_000:10_001] = b"\n"  # in the middle of a block, neither at the beginning of the file nor at the end of a block
    partition.write_bytes(text)
    with pytest.raises(OffsetOutOfRangeError, match="was rewritten"):
        list(log.read("words", 0, 0, end))
    assert log.end_offset("words", 0) == end + 1


class _CountedBytes(bytes):
    """Bytes that count how many bytes additions copy."""

    copied = 0

    def __add__(self, other: object) -> bytes:
        return self._counted(bytes(self) + bytes(other))  # type: ignore[call-overload]

    def __radd__(self, other: object) -> bytes:
        return self._counted(bytes(other) + bytes(self))  # type: ignore[call-overload]

    @classmethod
    def _counted(cls, result: bytes) -> "bytes":
        cls.copied += len(result)
        return cls(result)


def test_a_line_of_many_chunks_is_read_and_copied_once(tmp_path: Path, partition: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eddyline.adapters.files.event_log._CHUNK_BYTES", 1024)
    monkeypatch.setattr("eddyline.adapters.files.line_index._BLOCK", 1024)
    monkeypatch.setattr(_CountedBytes, "copied", 0)
    long = "x" * 1_000_000
    partition.write_text(_line("a") + _line(long) + _line("b"))
    reads: list[int] = []
    pread = os.pread

    def counted(fd: int, length: int, offset: int) -> bytes:
        found = pread(fd, length, offset)
        reads.append(len(found))
        return _CountedBytes(found)

    monkeypatch.setattr(os, "pread", counted)
    assert values(FileEventLog(tmp_path), "words") == [b"a", long.encode(), b"b"]
    size = partition.stat().st_size
    assert sum(reads) < 2 * size + 100 * 1024, "once for the index, once for the records, and some blocks"
    assert _CountedBytes.copied < 2 * size


def test_reading_does_not_change_the_partition_file(tmp_path: Path) -> None:
    sink = FileEventSink(tmp_path)
    sink.create_topic("words", 1)
    sink.write("w", 0, 0, [SinkRecord("words", b"k", b"v", 5)])
    before = (tmp_path / "words" / "partition-0.jsonl").read_bytes()
    read_all(FileEventLog(tmp_path), "words")
    assert (tmp_path / "words" / "partition-0.jsonl").read_bytes() == before == b'{"timestamp":5,"key":"k","value":"v"}\n'


def test_a_file_that_is_replaced_before_it_is_read_is_an_error(tmp_path: Path, partition: Path) -> None:
    partition.write_text(_line("x") * 3)
    batches = FileEventLog(tmp_path).read("words", 0, 0, 3)
    other = partition.with_name("other")
    other.write_text(_line("y") * 3)
    other.replace(partition)
    with pytest.raises(OffsetOutOfRangeError, match=r"partition-0.jsonl' was rewritten while offsets 0 to 3 were read"):
        list(batches)


def test_a_read_from_the_middle_of_a_line_of_a_rewritten_file_is_an_error(
    tmp_path: Path, partition: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eddyline.adapters.files.line_index._BLOCK", 8192)
    line = _line("x" * (5_000 - len(_line(""))))
    partition.write_text(line * 20)
    log = FileEventLog(tmp_path)
    end = log.end_offset("words", 0)
    text = bytearray(partition.read_bytes())
    text[19_999:20_000] = b" "  # the only end of a line in the third block
    partition.write_bytes(text)
    with pytest.raises(OffsetOutOfRangeError, match=rf"was rewritten while offsets 4 to {end} were read"):
        log.read("words", 0, 4, end)
