import subprocess
import sys
from pathlib import Path

import pytest

from eddyline.adapters.sqlite.alert_notes import SqliteAlertNotes
from eddyline.application.ports.alert_notes import AlertNotesInUseError

KILLED_AFTER_NOTING = """
import os, signal, sys
from pathlib import Path
from eddyline.adapters.sqlite.alert_notes import SqliteAlertNotes
SqliteAlertNotes(Path(sys.argv[1])).note("a", "alerts", 0, 7)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_notes_outlive_the_process_however_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "notes.sqlite"
    ended = subprocess.run([sys.executable, "-c", KILLED_AFTER_NOTING, path], check=False, cwd=Path(__file__).parents[3])
    assert ended.returncode == -9
    notes = SqliteAlertNotes(path)
    assert notes.has("a")
    assert notes.position("alerts", 0) == 7


def test_nobody_else_has_the_notes_until_they_are_closed(tmp_path: Path) -> None:
    first, second = SqliteAlertNotes(tmp_path / "notes.sqlite"), SqliteAlertNotes(tmp_path / "notes.sqlite")
    first.note("a", "alerts", 0, 7)
    with pytest.raises(AlertNotesInUseError, match=r"notes\.sqlite are in use by another process.*stop it, or choose another"):
        second.has("a")
    first.close()
    assert second.has("a")


def test_a_place_where_no_file_can_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "notes.sqlite").mkdir()
    with pytest.raises(Exception, match="unable to open database file"):
        SqliteAlertNotes(tmp_path / "notes.sqlite").has("a")
