"""The file of a read model: its permissions, its format, and what is left of it after a crash."""

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from eddyline.adapters.sqlite.read_model import SqliteReadModel
from eddyline.application.ports.read_model import ChangelogPart, EntryChange, EntryKey

APPLY_UNTIL_KILLED = """
import sys
from pathlib import Path
from threading import Thread
from tests.adapters.sqlite.test_read_model import numbered_part
from eddyline.adapters.sqlite.read_model import SqliteReadModel

model = SqliteReadModel(Path(sys.argv[1]))
position = model.position("counts", 0)
while True:
    assert model.apply(numbered_part(position))
    position += 1
    print(position, flush=True)
"""
ENTRIES = 500


def numbered_part(number: int) -> ChangelogPart:
    """A part that adds an entry of its own, and sets all others to its number."""
    keys = [f"{key:04}".encode() for key in range(ENTRIES)] + [f"added {number:06}".encode()]
    changes = [EntryChange(EntryKey(key), key, str(number).encode()) for key in keys]
    return ChangelogPart("counts", 0, number, number + 1, changes, None)


def test_a_process_that_is_killed_while_it_applies_loses_and_doubles_nothing(tmp_path: Path) -> None:
    path, applied = tmp_path / "model.sqlite", 0
    for _ in range(3):
        command = [sys.executable, "-c", APPLY_UNTIL_KILLED, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(5):
                applied = int(process.stdout.readline())
            process.send_signal(signal.SIGKILL)
        model = SqliteReadModel(path)
        position = model.position("counts", 0)
        assert position >= applied
        entries = list(model.entries("counts"))
        assert {entry.value for entry in entries[:ENTRIES]} == {str(position - 1).encode()}
        assert [int(entry.value) for entry in entries[ENTRIES:]] == list(range(position))
        assert model.size("counts")[0] == len(entries)
        model.close()


def test_the_files_can_be_read_by_their_owner_only(tmp_path: Path) -> None:
    model = SqliteReadModel(tmp_path / "folder" / "model.sqlite")
    assert model.apply(numbered_part(0))
    assert len(list(model.entries("counts"))) == ENTRIES + 1
    files = list((tmp_path / "folder").iterdir())
    assert {file.name for file in files} == {"model.sqlite", "model.sqlite-wal", "model.sqlite-shm"}
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert (tmp_path / "folder").stat().st_mode & 0o777 == 0o700


def test_two_processes_can_apply_to_one_file_and_each_part_counts_once(tmp_path: Path) -> None:
    first, second = SqliteReadModel(tmp_path / "model.sqlite"), SqliteReadModel(tmp_path / "model.sqlite")
    assert [first.apply(numbered_part(0)), second.apply(numbered_part(0)), second.apply(numbered_part(1))] == [True, False, True]
    assert first.position("counts", 0) == 2


def test_a_file_of_another_version_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "model.sqlite"
    SqliteReadModel(path).apply(numbered_part(0))
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(OSError, match=r"model.sqlite' has the format 99, but .* uses 1; delete the file, and it is built again"):
        SqliteReadModel(path).position("counts", 0)


def test_a_database_of_something_else_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (a)")
    with pytest.raises(OSError, match=r"'.*other.sqlite' is not a read model; delete or move it"):
        SqliteReadModel(path).apply(numbered_part(0))
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("mine",)]


def test_a_file_that_is_no_database_is_an_error_with_its_path(tmp_path: Path) -> None:
    path = tmp_path / "model.sqlite"
    path.write_text("this is a text and not a database " * 20)
    with pytest.raises(OSError, match=r"the SQLite file '.*model.sqlite' cannot be used: file is not a database"):
        SqliteReadModel(path).position("counts", 0)


def test_threads_that_have_ended_leave_no_open_files(tmp_path: Path) -> None:
    model = SqliteReadModel(tmp_path / "model.sqlite")
    assert model.apply(numbered_part(0))
    for _ in range(20):
        reader = Thread(target=model.position, args=("counts", 0))
        reader.start()
        reader.join()
    opened = [path for path in Path("/proc/self/fd").iterdir() if path.exists() and path.readlink() == tmp_path / "model.sqlite"]
    assert len(opened) == 2
    model.close()
