"""Resetting the positions in alert topics."""

from pathlib import Path

import pytest

from eddyline.adapters.sqlite.sent_alerts import SentAlertsResettableState, SqliteSentAlerts
from eddyline.application.ports.resettable_state import Application, ApplicationRunningError


def with_sent_alert(folder: Path, topic: str) -> SqliteSentAlerts:
    sent_alerts = SqliteSentAlerts(folder / f"{topic} to ann@example.org.sqlite")
    sent_alerts.mark_sent("alert", topic, 0, 7)
    return sent_alerts


def test_positions_are_removed_and_sent_alerts_are_kept(tmp_path: Path) -> None:
    sent_alerts, other = with_sent_alert(tmp_path, "alerts"), with_sent_alert(tmp_path, "alerts-v2")
    sent_alerts.close()
    other.close()
    resettable, application = SentAlertsResettableState(tmp_path), Application("app", ["alerts"])
    with resettable.locked(application):
        (artifact,) = resettable.find(application)
        assert artifact.size == "1 partition"
        resettable.remove(application, artifact)
        assert resettable.find(application) == []
    assert (sent_alerts.position("alerts", 0), sent_alerts.has("alert")) == (0, True)
    assert other.position("alerts-v2", 0) == 7


def test_the_positions_in_other_topics_are_not_found(tmp_path: Path) -> None:
    with_sent_alert(tmp_path, "alerts").close()
    assert SentAlertsResettableState(tmp_path).find(Application("app")) == []


def test_a_reset_is_rejected_while_alerts_are_being_sent(tmp_path: Path) -> None:
    sent_alerts = with_sent_alert(tmp_path, "alerts")
    with (
        pytest.raises(ApplicationRunningError, match=r"ann@example\.org\.sqlite' is in use; stop `eddyline notify` and"),
        SentAlertsResettableState(tmp_path).locked(Application("app", ["alerts"])),
    ):
        pytest.fail("the file is in use")
    sent_alerts.close()
