"""Where the telling of alerts was, when their topic is emptied."""

from pathlib import Path

import pytest

from eddyline.adapters.sqlite.alert_notes import SqliteAlertNotes
from eddyline.adapters.sqlite.remains import AlertNotesRemains
from eddyline.application.ports.remains import Application, ApplicationRunsError


def noted(folder: Path, topic: str) -> SqliteAlertNotes:
    notes = SqliteAlertNotes(folder / f"{topic} to ann@example.org.sqlite")
    notes.note("matter", topic, 0, 7)
    return notes


def test_the_places_go_and_what_was_told_stays(tmp_path: Path) -> None:
    notes, other = noted(tmp_path, "alerts"), noted(tmp_path, "alerts-v2")
    notes.close()
    other.close()
    remains, application = AlertNotesRemains(tmp_path), Application("app", ["alerts"])
    with remains.held(application):
        (remnant,) = remains.find(application)
        assert remnant.size == "of 1 partitions"
        remains.remove(application, remnant)
        assert remains.find(application) == []
    assert (notes.position("alerts", 0), notes.has("matter")) == (0, True)
    assert other.position("alerts-v2", 0) == 7


def test_notes_of_topics_that_stay_are_not_touched(tmp_path: Path) -> None:
    noted(tmp_path, "alerts").close()
    assert AlertNotesRemains(tmp_path).find(Application("app")) == []


def test_while_somebody_is_told_it_is_refused(tmp_path: Path) -> None:
    notes = noted(tmp_path, "alerts")
    with (
        pytest.raises(ApplicationRunsError, match="are in use; stop `eddyline notify` first"),
        AlertNotesRemains(tmp_path).held(Application("app", ["alerts"])),
    ):
        pytest.fail("the notes are in use")
    notes.close()
