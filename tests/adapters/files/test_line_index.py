import os
import stat
from array import array
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eddyline.adapters.files.line_index import _FORMAT, LineIndex

_FILES = st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b" ") + b"\n"), max_size=30)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eddyline.adapters.files.line_index._BLOCK", 16)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(lines=_FILES, grows=st.integers(0, 30), fresh=st.booleans())
def test_every_line_is_found_while_the_file_grows(tmp_path: Path, lines: list[bytes], grows: int, fresh: bool) -> None:
    path, index_file = tmp_path / "data", tmp_path / "missing folder" / "index"
    path.write_bytes(b"".join(lines[:grows]))
    index_file.unlink(missing_ok=True)
    index = LineIndex(index_file)
    with path.open("rb") as file:
        limit = path.stat().st_size
        assert index.count_lines(file.fileno(), limit) == len(lines[:grows])
        with path.open("ab") as appended:
            appended.write(b"".join(lines[grows:]) + b"unfinished")
        if fresh:
            index = LineIndex(index_file)
        limit = path.stat().st_size
        assert index.count_lines(file.fileno(), limit) == len(lines)
        starts = [index.byte_offset(file.fileno(), line, limit) for line in range(len(lines) + 1)]
    assert starts == [len(b"".join(lines[:line])) for line in range(len(lines) + 1)]


def test_only_the_user_can_read_the_folder_of_an_index(tmp_path: Path) -> None:
    path, index_file = tmp_path / "data", tmp_path / "folder" / "index"
    path.write_bytes(b"12345678\n" * 10)
    with path.open("rb") as file:
        LineIndex(index_file).count_lines(file.fileno(), 90)
    assert index_file.exists()
    assert stat.S_IMODE(index_file.parent.stat().st_mode) == 0o700


def test_lines_beyond_the_limit_are_not_counted(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"12345678\n" * 10)
    index = LineIndex(tmp_path / "index")
    with path.open("rb") as file:
        assert index.count_lines(file.fileno(), 90) == 10
        assert index.count_lines(file.fileno(), 45) == 5
        assert index.count_lines(file.fileno(), 44) == 4
        assert index.byte_offset(file.fileno(), 5, 45) == 45


def test_a_new_process_reads_the_index_file_instead_of_the_partition_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, index_file = tmp_path / "data", tmp_path / "index"
    path.write_bytes(b"1234567\n" * 100)
    with path.open("rb") as file:
        LineIndex(index_file).count_lines(file.fileno(), 800)
        reads: list[int] = []
        pread = os.pread

        def counted(fd: int, length: int, offset: int) -> bytes:
            reads.append(length)
            return pread(fd, length, offset)

        monkeypatch.setattr(os, "pread", counted)
        assert LineIndex(index_file).count_lines(file.fileno(), 800) == 100
    assert sum(reads) <= 3 * 16


@pytest.mark.parametrize("garbage", [b"", b"123", b"\0" * 48, bytes(range(200))])
def test_a_corrupt_index_file_is_rebuilt(tmp_path: Path, garbage: bytes) -> None:
    path, index_file = tmp_path / "data", tmp_path / "index"
    path.write_bytes(b"1234567\n" * 100)
    index_file.write_bytes(garbage)
    with path.open("rb") as file:
        assert LineIndex(index_file).count_lines(file.fileno(), 800) == 100
    with path.open("rb") as file:
        assert LineIndex(index_file).count_lines(file.fileno(), 800) == 100


def test_a_replaced_file_is_indexed_again(tmp_path: Path) -> None:
    path, index_file = tmp_path / "data", tmp_path / "index"
    path.write_bytes(b"1234567\n" * 100)
    index = LineIndex(index_file)
    with path.open("rb") as file:
        index.count_lines(file.fileno(), 800)
    (tmp_path / "new").write_bytes(b"123456789012345\n" * 50)
    (tmp_path / "new").replace(path)
    with path.open("rb") as file:
        assert index.count_lines(file.fileno(), 800) == LineIndex(index_file).count_lines(file.fileno(), 800) == 50


def test_an_emptied_file_is_indexed_again(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"1234567\n" * 100)
    index = LineIndex(tmp_path / "index")
    with path.open("rb") as file:
        index.count_lines(file.fileno(), 800)
        path.write_bytes(b"1\n" * 40)
        assert index.count_lines(file.fileno(), 80) == 40


@pytest.mark.parametrize("fresh", [True, False], ids=["new process", "same process"])
@pytest.mark.parametrize("size", [400, 800, 1600])
@pytest.mark.parametrize("kept", [0, 16], ids=["other beginning", "same beginning"])
def test_a_file_that_was_rewritten_in_place_is_indexed_again(tmp_path: Path, size: int, kept: int, fresh: bool) -> None:
    path, index_file = tmp_path / "data", tmp_path / "index"
    path.write_bytes(b"1234567\n" * 100)
    index = LineIndex(index_file)
    with path.open("rb") as file:
        index.count_lines(file.fileno(), 800)
        before = path.stat()
        with path.open("r+b") as rewritten:
            rewritten.truncate(kept)
            rewritten.seek(kept)
            rewritten.write(b"123\n" * ((size - kept) // 4))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
        assert path.stat().st_ino == before.st_ino
        index = LineIndex(index_file) if fresh else index
        lines = kept // 8 + (size - kept) // 4
        assert index.count_lines(file.fileno(), size) == lines
        assert index.byte_offset(file.fileno(), lines - 1, size) == size - 4
    with path.open("rb") as file:
        assert LineIndex(index_file).count_lines(file.fileno(), size) == lines


def test_lines_are_found_if_the_index_file_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"1234567\n" * 100)
    (tmp_path / "blocked").write_bytes(b"a file in place of a folder")
    index = LineIndex(tmp_path / "blocked" / "index")
    handle = os.open(path, os.O_RDONLY)
    assert index.count_lines(handle, 800) == 100
    with path.open("ab") as appended:
        appended.write(b"1234567\n" * 100)
    assert (index.count_lines(handle, 1600), index.byte_offset(handle, 150, 1600)) == (200, 1200)
    os.close(handle)


def numbers(index_file: Path) -> list[int]:
    return list(array("Q", index_file.read_bytes()))


def test_what_is_indexed_later_is_added_to_the_index_file(tmp_path: Path) -> None:
    path, index_file = tmp_path / "data", tmp_path / "index"
    path.write_bytes(b"1234567\n" * 4)
    index = LineIndex(index_file)
    with path.open("rb") as file:
        for lines in (4, 8, 11, 16):
            path.write_bytes(b"1234567\n" * lines)
            assert index.count_lines(file.fileno(), 8 * lines) == lines
            assert numbers(index_file)[3::2] == [2 * block for block in range(1, lines // 2 + 1)]
    whole = LineIndex(tmp_path / "whole")
    with path.open("rb") as file:
        whole.count_lines(file.fileno(), path.stat().st_size)
    assert numbers(index_file) == numbers(tmp_path / "whole")
    assert numbers(index_file)[:2] == [_FORMAT, path.stat().st_ino]


def test_an_index_file_with_half_an_entry_is_used_without_it(tmp_path: Path) -> None:
    path, index_file = tmp_path / "data", tmp_path / "index"
    path.write_bytes(b"1234567\n" * 20)
    with path.open("rb") as file:
        LineIndex(index_file).count_lines(file.fileno(), 160)
        complete = index_file.read_bytes()
        for cut in (1, 8, 9, 16):
            index_file.write_bytes(complete[:-cut])
            index = LineIndex(index_file)
            assert [index.byte_offset(file.fileno(), line, 160) for line in (0, 1, 19)] == [0, 8, 152]
            assert index_file.read_bytes() == complete


def test_nothing_is_indexed_before_a_block_is_complete(tmp_path: Path) -> None:
    path, index_file = tmp_path / "data", tmp_path / "index"
    path.write_bytes(b"1234567\n" * 2)
    with path.open("rb") as file:
        index = LineIndex(index_file)
        assert index.count_lines(file.fileno(), 15) == 1
        assert not index_file.exists()
        assert index.count_lines(file.fileno(), 16) == 2
    assert len(numbers(index_file)) == 3 + 2
