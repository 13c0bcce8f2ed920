"""A checkpoint is removed as a whole, and never while a run uses it."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.spark.driver.checkpoint import identify
from eddyline.adapters.spark.driver.checkpoint_lock import CheckpointError
from eddyline.adapters.spark.driver.resettable_state import CheckpointResettableState
from eddyline.application.ports.event_log import LogIdentity
from eddyline.application.ports.resettable_state import Application, ApplicationRunningError, Artifact, UnmarkedArtifactError
from eddyline.application.runtime.plan.application_ids import ApplicationIdError
from eddyline.application.samples.catalogue import find_flow
from tests.adapters.spark.running import Workspace, trades

APP = Application("app")

_LOCKING_PROGRAM = """
import fcntl, sys
file = open(sys.argv[1], "r+b")
fcntl.lockf(file, fcntl.LOCK_EX)
print("locked", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """Return the checkpoint of the application, with a lock that no run holds and some state."""
    folder = tmp_path / "app"
    identify(folder, "app", find_flow("word-count").topology(), 2, LogIdentity("files", "", {}))
    (folder / "eddyline.lock").touch()
    (folder / "spark/state/0").mkdir(parents=True)
    (folder / "spark/state/0/1.zip").write_bytes(b"x" * 2_000)
    (folder / "spark.log").write_text("printed")
    return folder


@contextmanager
def locked_by_another_process(file: Path) -> Iterator[None]:
    with subprocess.Popen(
        [sys.executable, "-c", _LOCKING_PROGRAM, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        yield
        process.communicate()


def test_what_an_interrupted_replacement_has_left_is_removed(checkpoint: Path) -> None:
    folder, topology = checkpoint.parent, find_flow("word-count").topology()
    checkpoint.rename(folder / "app.new")
    (folder / "app.old").mkdir()
    with pytest.raises(
        CheckpointError, match=r"its replacement '.*/app\.new' was interrupted; repeat .* or run 'eddyline reset'"
    ):
        identify(checkpoint, "app", topology, 2, LogIdentity("files", "", {}))
    resettable = CheckpointResettableState(folder)
    (found,) = resettable.find(APP)
    assert (found.kind, found.location) == ("checkpoint of an interrupted replacement", str(folder / "app.new"))
    resettable.remove(APP, found)
    assert [path.name for path in folder.iterdir()] == ["app.old"]
    assert identify(checkpoint, "app", topology, 2, LogIdentity("files", "", {})).application_id == "app"


def test_the_checkpoint_and_the_log_of_an_application_are_removed_and_those_of_others_are_not(checkpoint: Path) -> None:
    folder = checkpoint.parent
    (folder / "app-v2").mkdir()
    resettable = CheckpointResettableState(folder)
    with resettable.locked(APP):
        found = resettable.find(APP)
        assert [(artifact.kind, artifact.location) for artifact in found] == [
            ("checkpoint", str(checkpoint)),
        ]
        assert re.fullmatch(r"\d\.\d kB in 4 files", found[0].size)
        for artifact in found:
            resettable.remove(APP, artifact)
    assert [path.name for path in folder.iterdir()] == ["app-v2"]
    assert resettable.find(APP) == []


def test_a_checkpoint_that_a_run_has_not_used_yet_is_removed(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app/eddyline.lock").touch()
    (tmp_path / "app/spark.log").touch()
    resettable = CheckpointResettableState(tmp_path)
    (artifact,) = resettable.find(APP)
    for _ in range(2):
        resettable.remove(APP, artifact)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "it has no valid file eddyline.json"),
        ("", "it has no valid file eddyline.json"),
        ("[]", "it has no valid file eddyline.json"),
        ('{"application_id": 1}', "it has no valid file eddyline.json"),
        ("[" * 100_000, "it has no valid file eddyline.json"),
        ('{"application_id": "other"}', "it belongs to application 'other'"),
    ],
)
def test_a_folder_without_the_mark_of_the_application_is_never_removed(tmp_path: Path, content: str | None, reason: str) -> None:
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "something").touch()
    if content is not None:
        (folder / "eddyline.json").write_text(content)
    resettable = CheckpointResettableState(tmp_path)
    before = sorted(folder.iterdir())
    message = f"is not known to be the checkpoint of application 'app': {reason}; set the right application.id or state.dir, or"
    with pytest.raises(UnmarkedArtifactError, match=message), resettable.locked(APP):
        pytest.fail("the folder belongs to another application")
    with pytest.raises(UnmarkedArtifactError, match=message):
        resettable.find(APP)
    with pytest.raises(UnmarkedArtifactError, match=message):
        resettable.remove(APP, Artifact("checkpoint", str(folder), ""))
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("invalid", ["", ".", "..", "alerts", "../app", "x/../app"])
def test_a_name_that_leads_to_another_folder_is_refused(tmp_path: Path, invalid: str) -> None:
    resettable = CheckpointResettableState(tmp_path / "state")
    (tmp_path / "state/alerts").mkdir(parents=True)
    with pytest.raises(ApplicationIdError, match="invalid application id"):
        resettable.find(Application(invalid))
    with pytest.raises(ApplicationIdError, match="invalid application id"), resettable.locked(Application(invalid)):
        pytest.fail("the name is invalid")


def test_the_files_of_applications_with_similar_names_are_kept(checkpoint: Path) -> None:
    folder = checkpoint.parent
    others = {".app.removed-of-other.removed-0123", "app-spark.log", "app2"}
    for name in others:
        (folder / name).touch()
    resettable = CheckpointResettableState(folder)
    for artifact in resettable.find(APP):
        resettable.remove(APP, artifact)
    assert {path.name for path in folder.iterdir()} == others


def test_a_checkpoint_whose_removal_was_interrupted_is_found_and_no_run_can_use_it(checkpoint: Path) -> None:
    folder = checkpoint.parent
    resettable = CheckpointResettableState(folder)
    checkpoint.rename(folder / ".app.removed-0123")
    found = resettable.find(APP)
    assert [artifact.kind for artifact in found] == ["partly removed checkpoint"]
    for artifact in found:
        resettable.remove(APP, artifact)
    assert list(folder.iterdir()) == []


def test_a_checkpoint_cannot_be_locked_while_another_process_has_it_locked(checkpoint: Path) -> None:
    resettable = CheckpointResettableState(checkpoint.parent)
    with (
        locked_by_another_process(checkpoint / "eddyline.lock"),
        pytest.raises(
            ApplicationRunningError, match=r"application 'app' is running: its checkpoint '.*/app' is in use; stop that run first"
        ),
        resettable.locked(APP),
    ):
        pytest.fail("the checkpoint is in use")
    with resettable.locked(APP):
        assert resettable.find(APP)


@pytest.mark.spark
def test_a_checkpoint_cannot_be_locked_while_an_engine_runs(tmp_path: Path, spark: SparkSession) -> None:
    workspace = Workspace(tmp_path)
    workspace.append("trades", 2, trades(50))
    resettable, application = CheckpointResettableState(tmp_path), Application("checkpoint")
    engine = workspace.engine(find_flow("stock-stats").topology(), spark, application_id="checkpoint")
    engine.start()
    with pytest.raises(ApplicationRunningError, match="is running"), resettable.locked(application):
        pytest.fail("the engine runs")
    engine.stop()
    with resettable.locked(application):
        for artifact in resettable.find(application):
            resettable.remove(application, artifact)
    assert not (tmp_path / "checkpoint").exists()
