"""Where the telling of alerts was, when their topic is emptied."""

from pathlib import Path

import pytest

from eddyline.adapters.sqlite.resettable_state import SentAlertsResettableState
from eddyline.adapters.sqlite.sent_alerts import SqliteSentAlerts
from eddyline.application.ports.resettable_state import Application, ApplicationRunningError


def noted(folder: Path, topic: str) -> SqliteSentAlerts:
    notes = SqliteSentAlerts(folder / f"{topic} to ann@example.org.sqlite")
    notes.note("matter", topic, 0, 7)
    return notes


def test_the_places_go_and_what_was_told_stays(tmp_path: Path) -> None:
    notes, other = noted(tmp_path, "alerts"), noted(tmp_path, "alerts-v2")
    notes.close()
    other.close()
    resettable, application = SentAlertsResettableState(tmp_path), Application("app", ["alerts"])
    with resettable.locked(application):
        (artifact,) = resettable.find(application)
        assert artifact.size == "of 1 partitions"
        resettable.remove(application, artifact)
        assert resettable.find(application) == []
    assert (notes.position("alerts", 0), notes.has("matter")) == (0, True)
    assert other.position("alerts-v2", 0) == 7


def test_notes_of_topics_that_stay_are_not_touched(tmp_path: Path) -> None:
    noted(tmp_path, "alerts").close()
    assert SentAlertsResettableState(tmp_path).find(Application("app")) == []


def test_while_somebody_is_told_it_is_refused(tmp_path: Path) -> None:
    notes = noted(tmp_path, "alerts")
    with (
        pytest.raises(ApplicationRunningError, match="are in use; stop `eddyline notify` first"),
        SentAlertsResettableState(tmp_path).locked(Application("app", ["alerts"])),
    ):
        pytest.fail("the notes are in use")
    notes.close()
