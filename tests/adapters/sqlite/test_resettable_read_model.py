"""Resetting the read models of queries."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from eddyline.adapters.sqlite.read_model import ReadModelResettableState, SqliteReadModel, file_in
from eddyline.application.operations.reset import Outcome, reset
from eddyline.application.ports.read_model import ChangelogPart, EntryChange, EntryKey
from eddyline.application.ports.resettable_state import Application, ApplicationRunningError, UnmarkedArtifactError


@pytest.fixture
def model(tmp_path: Path) -> Iterator[SqliteReadModel]:
    """The read model of `app`, with an entry."""
    found = SqliteReadModel(tmp_path / "app.sqlite")
    found.apply(ChangelogPart("stock", 0, 0, 1, [EntryChange(EntryKey(b"k", 0, 0), b"k", b"v")], None))
    yield found
    found.close()


def remove(folder: Path, application_id: str) -> Outcome:
    return reset([ReadModelResettableState(folder)], Application(application_id), lambda _found: True)


def test_the_read_models_of_servers_that_share_the_state_are_removed(tmp_path: Path, model: SqliteReadModel) -> None:
    model.close()
    for host in ("host:1", "host:2"):
        shared = SqliteReadModel(file_in(tmp_path, "app", host))
        assert shared.position("stock", 0) == 0
        shared.close()
    assert len(ReadModelResettableState(tmp_path).find(Application("app"))) == 3
    assert remove(tmp_path, "app") is Outcome.DONE
    assert list(tmp_path.iterdir()) == []


def test_the_read_model_of_the_application_is_removed(tmp_path: Path, model: SqliteReadModel) -> None:
    model.close()
    other = SqliteReadModel(tmp_path / "app-v2.sqlite")
    assert other.position("stock", 0) == 0
    (artifact,) = ReadModelResettableState(tmp_path).find(Application("app"))
    assert (artifact.kind, artifact.location) == ("read model of queries", str(tmp_path / "app.sqlite"))
    assert remove(tmp_path, "app") is Outcome.DONE
    assert {path.name.partition("-wal")[0].partition("-shm")[0] for path in tmp_path.iterdir()} == {"app-v2.sqlite"}
    assert remove(tmp_path, "app") is Outcome.NOTHING_TO_DO
    assert model.position("stock", 0) == 0
    other.close()


def test_nothing_is_found_before_the_first_server(tmp_path: Path) -> None:
    assert remove(tmp_path / "none", "app") is Outcome.NOTHING_TO_DO


def test_a_reset_is_rejected_while_a_server_answers_from_the_model(tmp_path: Path, model: SqliteReadModel) -> None:
    assert model.position("stock", 0) == 1
    with pytest.raises(ApplicationRunningError, match=r"app\.sqlite' is in use; stop the query server \('eddyline serve' or"):
        remove(tmp_path, "app")
    assert model.position("stock", 0) == 1


def test_a_server_that_crashed_is_no_obstacle(tmp_path: Path, model: SqliteReadModel) -> None:
    copies = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert "app.sqlite-wal" in copies
    model.close()
    for name, content in copies.items():
        (tmp_path / name).write_bytes(content)
    assert remove(tmp_path, "app") is Outcome.DONE
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_read_model_is_kept(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "app.sqlite")) as connection:
        connection.execute("CREATE TABLE mine (column INTEGER)")
    with pytest.raises(UnmarkedArtifactError, match=r"app\.sqlite' is no read model; move it away and run the reset again"):
        remove(tmp_path, "app")
    assert (tmp_path / "app.sqlite").exists()


def test_a_declined_reset_keeps_the_model(tmp_path: Path, model: SqliteReadModel) -> None:
    model.close()
    assert reset([ReadModelResettableState(tmp_path)], Application("app"), lambda _found: False) is Outcome.DECLINED
    assert model.position("stock", 0) == 1
