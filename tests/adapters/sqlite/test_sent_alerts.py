import subprocess
import sys
from pathlib import Path

import pytest

from eddyline.adapters.sqlite.sent_alerts import SqliteSentAlerts
from eddyline.application.ports.sent_alerts import SentAlertsInUseError

KILLED_AFTER_NOTING = """
import os, signal, sys
from pathlib import Path
from eddyline.adapters.sqlite.sent_alerts import SqliteSentAlerts
SqliteSentAlerts(Path(sys.argv[1])).note("a", "alerts", 0, 7)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_notes_outlive_the_process_however_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "notes.sqlite"
    ended = subprocess.run([sys.executable, "-c", KILLED_AFTER_NOTING, path], check=False, cwd=Path(__file__).parents[3])
    assert ended.returncode == -9
    notes = SqliteSentAlerts(path)
    assert notes.has("a")
    assert notes.position("alerts", 0) == 7


def test_nobody_else_has_the_notes_until_they_are_closed(tmp_path: Path) -> None:
    first, second = SqliteSentAlerts(tmp_path / "notes.sqlite"), SqliteSentAlerts(tmp_path / "notes.sqlite")
    first.note("a", "alerts", 0, 7)
    with pytest.raises(SentAlertsInUseError, match=r"notes\.sqlite are in use by another process.*stop it, or choose another"):
        second.has("a")
    first.close()
    assert second.has("a")


def test_a_place_where_no_file_can_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "notes.sqlite").mkdir()
    with pytest.raises(Exception, match="unable to open database file"):
        SqliteSentAlerts(tmp_path / "notes.sqlite").has("a")
