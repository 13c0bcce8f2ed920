"""A checkpoint goes as a whole, and never under a run."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.spark.driver.checkpoint import identify
from eddyline.adapters.spark.driver.resettable_state import CheckpointResettableState
from eddyline.application.flows.registry import find_flow
from eddyline.application.operations.resetting import is_writer_of
from eddyline.application.ports.resettable_state import Application, ApplicationRunningError
from tests.adapters.spark.running import Place, trades

APP = Application("app")

_HOLDER = """
import fcntl, sys
file = open(sys.argv[1], "r+b")
fcntl.lockf(file, fcntl.LOCK_EX)
print("locked", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """A checkpoint of the application, with a lock that nobody holds and some state."""
    folder = tmp_path / "app"
    identify(folder, "app", find_flow("word-count").topology(), 2)
    (folder / "eddyline.lock").touch()
    (folder / "spark/state/0").mkdir(parents=True)
    (folder / "spark/state/0/1.zip").write_bytes(b"x" * 2_000)
    (tmp_path / "app-spark.log").write_text("printed")
    return folder


@contextmanager
def locked_by_another_process(file: Path) -> Iterator[None]:
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        yield
        holder.communicate()


def test_a_checkpoint_and_the_log_beside_it_go_and_those_of_others_stay(checkpoint: Path) -> None:
    state = checkpoint.parent
    (state / "app-v2").mkdir()
    resettable = CheckpointResettableState(state)
    with resettable.locked(APP):
        found = resettable.find(APP)
        assert [(artifact.kind, artifact.location) for artifact in found] == [
            ("checkpoint", str(checkpoint)),
            ("Spark log", str(state / "app-spark.log")),
        ]
        assert re.fullmatch(r"2\.\d kB in 3 files", found[0].size)
        assert found[1].size == "7 bytes"
        for artifact in found:
            resettable.remove(APP, artifact)
    assert [path.name for path in state.iterdir()] == ["app-v2"]
    assert resettable.find(APP) == []


def test_the_rest_of_a_removal_that_was_cut_off_is_found_and_no_run_can_take_it_for_a_checkpoint(checkpoint: Path) -> None:
    state = checkpoint.parent
    resettable = CheckpointResettableState(state)
    checkpoint.rename(state / ".app.removed-0123")
    found = resettable.find(APP)
    assert [artifact.kind for artifact in found] == ["partly removed checkpoint", "Spark log"]
    for artifact in found:
        resettable.remove(APP, artifact)
    assert list(state.iterdir()) == []


def test_a_lock_of_another_process_is_seen_and_its_end_too(checkpoint: Path) -> None:
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


def test_the_writer_of_a_checkpoint_is_known_by_its_name(tmp_path: Path) -> None:
    made = identify(tmp_path, "app", find_flow("word-count").topology(), 2)
    assert is_writer_of("app", made.writer)


@pytest.mark.spark
def test_a_run_of_the_engine_is_seen_until_it_has_ended(tmp_path: Path, spark: SparkSession) -> None:
    place = Place(tmp_path)
    place.add("trades", 2, trades(50))
    resettable, application = CheckpointResettableState(tmp_path), Application("checkpoint")
    engine = place.engine(find_flow("stock-stats").topology(), spark)
    engine.start()
    with pytest.raises(ApplicationRunningError, match="is running"), resettable.locked(application):
        pytest.fail("the engine runs")
    engine.stop()
    with resettable.locked(application):
        for artifact in resettable.find(application):
            resettable.remove(application, artifact)
    assert not (tmp_path / "checkpoint").exists()
