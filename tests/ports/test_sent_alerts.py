"""What all notes of sent alerts do."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from eddyline.adapters.memory.sent_alerts import MemorySentAlerts
from eddyline.adapters.sqlite.sent_alerts import SqliteSentAlerts
from eddyline.application.ports.sent_alerts import SentAlerts


@pytest.fixture(params=["memory", "sqlite"])
def notes(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SentAlerts]:
    made: SentAlerts = MemorySentAlerts() if request.param == "memory" else SqliteSentAlerts(tmp_path / "deep" / "notes.sqlite")
    yield made
    made.close()


def test_at_first_nothing_was_sent_or_read(notes: SentAlerts) -> None:
    assert not notes.has("a")
    assert notes.position("alerts", 0) == 0


def test_what_is_noted_is_known(notes: SentAlerts) -> None:
    notes.note("a", "alerts", 1, 7)
    assert notes.has("a")
    assert not notes.has("b")
    assert [notes.position("alerts", 1), notes.position("alerts", 0), notes.position("others", 1)] == [7, 0, 0]


def test_an_alert_may_be_noted_again_further_on(notes: SentAlerts) -> None:
    notes.note("a", "alerts", 0, 7)
    notes.note("a", "alerts", 0, 9)
    assert notes.has("a")
    assert notes.position("alerts", 0) == 9


def test_a_topic_that_was_made_anew_is_noted_from_its_beginning(notes: SentAlerts) -> None:
    notes.note("a", "alerts", 0, 7)
    notes.note("b", "alerts", 0, 1)
    assert notes.position("alerts", 0) == 1


def test_any_text_can_be_the_id_of_an_alert(notes: SentAlerts) -> None:
    ids = ["", "Größe", "half \ud83d", "two\nlines", "\x00"]
    for position, alert in enumerate(ids):
        assert not notes.has(alert)
        notes.note(alert, "alerts", 0, position)
    assert all(map(notes.has, ids))


def test_closed_notes_know_what_they_knew(notes: SentAlerts) -> None:
    notes.note("a", "alerts", 0, 7)
    notes.close()
    assert notes.has("a")
    assert notes.position("alerts", 0) == 7
