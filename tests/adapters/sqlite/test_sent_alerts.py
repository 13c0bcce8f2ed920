import subprocess
import sys
from pathlib import Path

import pytest

from eddyline.adapters.sqlite.sent_alerts import SqliteSentAlerts
from eddyline.application.ports.sent_alerts import SentAlertsInUseError

KILLED_AFTER_MARK_SENT = """
import os, signal, sys
from pathlib import Path
from eddyline.adapters.sqlite.sent_alerts import SqliteSentAlerts
SqliteSentAlerts(Path(sys.argv[1])).mark_sent("a", "alerts", 0, 7)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_sent_alert_is_remembered_when_the_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "alerts.sqlite"
    killed = subprocess.run([sys.executable, "-c", KILLED_AFTER_MARK_SENT, path], check=False, cwd=Path(__file__).parents[3])
    assert killed.returncode == -9
    sent_alerts = SqliteSentAlerts(path)
    assert sent_alerts.has("a")
    assert sent_alerts.position("alerts", 0) == 7


def test_the_file_is_locked_until_it_is_closed(tmp_path: Path) -> None:
    first, second = SqliteSentAlerts(tmp_path / "alerts.sqlite"), SqliteSentAlerts(tmp_path / "alerts.sqlite")
    first.mark_sent("a", "alerts", 0, 7)
    with pytest.raises(SentAlertsInUseError, match=r"alerts\.sqlite' is in use by another process.*stop it, or set another"):
        second.has("a")
    first.close()
    assert second.has("a")


def test_a_path_that_cannot_be_a_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "alerts.sqlite").mkdir()
    with pytest.raises(OSError, match=r"alerts\.sqlite' cannot be used: unable to open database file"):
        SqliteSentAlerts(tmp_path / "alerts.sqlite").has("a")


def test_a_file_that_is_not_a_database_is_reported(tmp_path: Path) -> None:
    (tmp_path / "alerts.sqlite").write_text("not a database, but a text of some length")
    with pytest.raises(OSError, match=r"alerts\.sqlite' cannot be used: file is not a database"):
        SqliteSentAlerts(tmp_path / "alerts.sqlite").has("a")
