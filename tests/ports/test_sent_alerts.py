"""The contract of the record of sent alerts, tested on every adapter."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from eddyline.adapters.sqlite.sent_alerts import SqliteSentAlerts
from eddyline.application.ports.sent_alerts import SentAlerts
from tests.fixtures.alerts import MemorySentAlerts


@pytest.fixture(params=["memory", "sqlite"])
def sent_alerts(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SentAlerts]:
    sent_alerts: SentAlerts = (
        MemorySentAlerts() if request.param == "memory" else SqliteSentAlerts(tmp_path / "missing folder" / "alerts.sqlite")
    )
    yield sent_alerts
    sent_alerts.close()


def test_initially_no_alert_is_marked_as_sent_and_positions_are_0(sent_alerts: SentAlerts) -> None:
    assert not sent_alerts.has("a")
    assert sent_alerts.position("alerts", 0) == 0


def test_a_sent_alert_and_its_position_are_remembered(sent_alerts: SentAlerts) -> None:
    sent_alerts.mark_sent("a", "alerts", 1, 7)
    assert sent_alerts.has("a")
    assert not sent_alerts.has("b")
    assert [sent_alerts.position("alerts", 1), sent_alerts.position("alerts", 0), sent_alerts.position("others", 1)] == [7, 0, 0]


def test_an_alert_can_be_marked_as_sent_again_at_a_later_position(sent_alerts: SentAlerts) -> None:
    sent_alerts.mark_sent("a", "alerts", 0, 7)
    sent_alerts.mark_sent("a", "alerts", 0, 9)
    assert sent_alerts.has("a")
    assert sent_alerts.position("alerts", 0) == 9


def test_a_position_can_go_back_since_a_topic_may_be_recreated(sent_alerts: SentAlerts) -> None:
    sent_alerts.mark_sent("a", "alerts", 0, 7)
    sent_alerts.mark_sent("b", "alerts", 0, 1)
    assert sent_alerts.position("alerts", 0) == 1


def test_any_text_can_be_an_alert_id(sent_alerts: SentAlerts) -> None:
    ids = ["", "Größe", "half \ud83d", "two\nlines", "\x00"]
    for position, alert_id in enumerate(ids):
        assert not sent_alerts.has(alert_id)
        sent_alerts.mark_sent(alert_id, "alerts", 0, position)
    assert all(map(sent_alerts.has, ids))


def test_the_record_can_be_used_again_after_close(sent_alerts: SentAlerts) -> None:
    sent_alerts.mark_sent("a", "alerts", 0, 7)
    sent_alerts.close()
    assert sent_alerts.has("a")
    assert sent_alerts.position("alerts", 0) == 7
