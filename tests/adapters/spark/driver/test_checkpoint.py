"""A checkpoint is used by one application and one topology."""

import json
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.spark.driver.checkpoint import check, identify
from eddyline.adapters.spark.driver.checkpoint_lock import CheckpointError
from eddyline.application.operations.reset import is_writer_of
from eddyline.application.ports.event_log import LogIdentity
from eddyline.application.runtime.progress.log_identity import LogMismatchError
from eddyline.application.samples.catalogue import find_flow
from tests.adapters.spark.topologies import copied

FILES = LogIdentity("files", "", {"text-lines": "1"})
WORD_COUNT = find_flow("word-count").topology()


def test_a_new_checkpoint_gets_an_identity_that_it_keeps(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoints" / "new"
    created = identify(folder, "app", WORD_COUNT, 2, FILES)
    assert (created.application_id, created.groups) == ("app", 2)
    assert created.stages == [["text-lines"], ["word-count-store-repartition"]]
    assert [path.name for path in folder.iterdir()] == ["eddyline.json"]
    assert identify(folder, "app", WORD_COUNT, 8, FILES) == created, "the number of Spark partitions cannot change any more"


def test_a_new_checkpoint_keeps_the_spark_partitions_that_its_tasks_are_assigned_to(tmp_path: Path) -> None:
    assert identify(tmp_path, "app", WORD_COUNT, 2, FILES, assigned=lambda: [1, 0]).assigned == [1, 0]
    assert identify(tmp_path, "app", WORD_COUNT, 2, FILES, assigned=lambda: [0, 0]).assigned == [1, 0]
    assert identify(tmp_path, "app", WORD_COUNT, 2, FILES).assigned == [1, 0]


def test_a_checkpoint_without_a_run_is_assigned_its_spark_partitions_by_the_first(tmp_path: Path) -> None:
    created = identify(tmp_path, "app", WORD_COUNT, 0, FILES)
    assert (created.groups, created.assigned) == (0, None)
    assert identify(tmp_path, "app", WORD_COUNT, 2, FILES, assigned=lambda: [1, 0]).assigned == [1, 0]
    assert identify(tmp_path, "app", WORD_COUNT, 2, FILES, assigned=lambda: [0, 0]).assigned == [1, 0]


def test_each_checkpoint_has_a_writer_of_its_application(tmp_path: Path) -> None:
    first, second = (identify(tmp_path / name, "app", WORD_COUNT, 2, FILES) for name in ("first", "second"))
    assert first.writer != second.writer
    assert is_writer_of("app", first.writer)
    assert is_writer_of("app", second.writer)


@pytest.mark.parametrize(
    ("application_id", "topology", "message"),
    [
        ("other", copied("lines"), "created with application id 'app', but this flow has 'other'; choose another application.id"),
        (
            "app",
            copied("others"),
            "the sub-topology that reads 'others' is new; .*; move the state",
        ),
    ],
)
def test_another_application_or_topology_is_refused(tmp_path: Path, application_id: str, topology: Any, message: str) -> None:
    identify(tmp_path, "app", copied("lines"), 2, FILES)
    with pytest.raises(CheckpointError, match=message):
        identify(tmp_path, application_id, topology, 2, FILES)


def test_another_format_is_refused(tmp_path: Path) -> None:
    identify(tmp_path, "app", copied("lines"), 2, FILES)
    file = tmp_path / "eddyline.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "format": 99}))
    with pytest.raises(CheckpointError, match="created with format 99, but this flow has 1"):
        identify(tmp_path, "app", copied("lines"), 2, FILES)


@pytest.mark.parametrize(
    ("log", "message"),
    [
        (
            LogIdentity("kafka", "c1", {"text-lines": "9"}),
            "belong to 'files', but the event log is now 'kafka', cluster 'c1'",
        ),
        (LogIdentity("files", "", {"text-lines": "2"}), "'text-lines' with id '1', now '2'"),
    ],
)
def test_another_log_is_refused_with_what_differs_and_the_cures(tmp_path: Path, log: LogIdentity, message: str) -> None:
    identify(tmp_path, "app", WORD_COUNT, 2, FILES)
    before = (tmp_path / "eddyline.json").read_text()
    cures = "'eddyline reset'.* application.id, version or state.dir"
    with pytest.raises(LogMismatchError, match=f"{message}.*{cures}"):
        check(tmp_path, "app", WORD_COUNT, log)
    with pytest.raises(LogMismatchError, match=f"{message}.*{cures}"):
        identify(tmp_path, "app", WORD_COUNT, 2, log)
    assert (tmp_path / "eddyline.json").read_text() == before


def test_a_checkpoint_that_was_created_without_a_log_takes_the_first_one(tmp_path: Path) -> None:
    created = identify(tmp_path, "app", WORD_COUNT, 2, FILES)
    file = tmp_path / "eddyline.json"
    members = json.loads(file.read_text())
    del members["log"]
    file.write_text(json.dumps(members))
    assert identify(tmp_path, "app", WORD_COUNT, 2, FILES) == created
    with pytest.raises(LogMismatchError):
        check(tmp_path, "app", WORD_COUNT, LogIdentity("kafka", "c1", {}))


def test_a_checkpoint_learns_the_ids_that_it_does_not_know_yet(tmp_path: Path) -> None:
    identify(tmp_path, "app", WORD_COUNT, 2, LogIdentity("files", "", {"text-lines": ""}))
    assert identify(tmp_path, "app", WORD_COUNT, 2, FILES).log == FILES
    found = check(tmp_path, "app", WORD_COUNT, LogIdentity("files", "", {"text-lines": ""}))
    assert found is not None
    assert found.log == FILES


def test_no_checkpoint_can_be_checked(tmp_path: Path) -> None:
    assert check(tmp_path / "none", "app", WORD_COUNT, FILES) is None
    assert not (tmp_path / "none").exists()


def test_the_folder_of_a_new_checkpoint_is_private(tmp_path: Path) -> None:
    identify(tmp_path / "new", "app", WORD_COUNT, 2, FILES)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


def test_the_ids_of_topics_that_are_no_longer_read_are_kept(tmp_path: Path) -> None:
    log = LogIdentity("files", "", {"text-lines": "1", "others": "2"})
    identify(tmp_path, "app", WORD_COUNT, 2, log)
    assert identify(tmp_path, "app", WORD_COUNT, 2, FILES).log == log


def with_batch(folder: Path) -> Path:
    offsets = folder / "spark" / "offsets"
    offsets.mkdir(parents=True)
    (offsets / "0").touch()
    return folder


def test_a_store_that_ran_without_a_changelog_cannot_get_one(tmp_path: Path) -> None:
    identify(tmp_path, "app", WORD_COUNT, 2, FILES)
    identify(tmp_path, "app", WORD_COUNT, 2, FILES, "all")
    identify(tmp_path, "app", WORD_COUNT, 2, FILES)
    with_batch(tmp_path)
    with pytest.raises(CheckpointError, match="has contents of store 'word-count-store' from before it had a changelog"):
        identify(tmp_path, "app", WORD_COUNT, 2, FILES, ("word-count-store",))


def test_a_changelog_that_was_interrupted_cannot_continue(tmp_path: Path) -> None:
    identify(with_batch(tmp_path), "app", WORD_COUNT, 2, FILES, "all")
    identify(tmp_path, "app", WORD_COUNT, 2, FILES, "all")
    identify(tmp_path, "app", WORD_COUNT, 2, FILES)
    with pytest.raises(CheckpointError, match=r"run 'eddyline reset' for the flow to start from the beginning"):
        identify(tmp_path, "app", WORD_COUNT, 2, FILES, "all")


def test_a_checkpoint_from_before_changelogs_were_stored_has_none(tmp_path: Path) -> None:
    identify(with_batch(tmp_path), "app", WORD_COUNT, 2, FILES, "all")
    file = tmp_path / "eddyline.json"
    identity = json.loads(file.read_text())
    del identity["unlogged"]
    file.write_text(json.dumps(identity))
    with pytest.raises(CheckpointError, match=r"changelog\.stores"):
        identify(tmp_path, "app", WORD_COUNT, 2, FILES, "all")
