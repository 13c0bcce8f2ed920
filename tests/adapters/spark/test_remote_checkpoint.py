"""A checkpoint may be a URI of Hadoop's file systems; `file://` stands for all of them here."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from eddyline.adapters.container import Container
from eddyline.adapters.settings import Settings
from eddyline.adapters.spark.driver import lease
from eddyline.adapters.spark.driver.checkpoint_lock import CheckpointError
from eddyline.adapters.spark.driver.hadoop_path import Hadoop, HadoopPath
from eddyline.adapters.spark.driver.remote_resettable_state import RemoteCheckpointState
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.adapters.spark.failures import EngineError
from eddyline.application.ports.resettable_state import Application, ApplicationRunningError, UnmarkedArtifactError
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology import Topology
from tests.adapters.spark.running import Workspace, in_memory, latest_counts, trades, updates, updates_in_memory
from tests.fixtures.commands import Eddyline
from tests.fixtures.spark import MOUNTED

pytestmark = pytest.mark.spark

APP = Application("app")


def start() -> Any:
    return SparkContext._gateway  # noqa: SLF001 - the only way to Java


@pytest.fixture(scope="module")
def stock_stats() -> Topology:
    return find_flow("stock-stats").topology(grace_ms=1_000)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.chdir(tmp_path)
    return Workspace(tmp_path / "work")


@pytest.fixture
def engine(workspace: Workspace, spark: SparkSession, stock_stats: Topology, tmp_path: Path) -> Callable[[], SparkEngine]:
    uri = f"file://{tmp_path}/check points/app"
    return lambda: workspace.engine(stock_stats, spark, emit="every-update", checkpoint_dir=uri)


def test_a_run_continues_from_a_uri_and_a_reset_removes_it(
    engine: Callable[[], SparkEngine], workspace: Workspace, stock_stats: Topology, tmp_path: Path
) -> None:
    records = trades(400)
    for part in (records[:200], records[200:]):
        workspace.append("trades", 2, part)
        engine().run_available_now()
    expected = updates_in_memory(stock_stats, in_memory(stock_stats, "trades", records, 2), "stock-stats")
    assert updates(workspace.records("stock-stats")) == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == ["check points", "work"], "no directory is named 'file:'"
    assert {"eddyline.json", "eddyline.lease", "spark"} <= {path.name for path in (tmp_path / "check points" / "app").iterdir()}

    resettable = RemoteCheckpointState(f"file://{tmp_path}/check points", start, {})
    with resettable.locked(APP):
        (found,) = resettable.find(APP)
        assert (found.kind, found.location) == ("checkpoint", f"file://{tmp_path}/check points/app")
        assert "files" in found.size
        for _ in range(2):
            resettable.remove(APP, found)
    assert list((tmp_path / "check points").iterdir()) == []
    assert resettable.find(APP) == []


def test_a_driver_that_loses_its_lease_commits_nothing_more(
    engine: Callable[[], SparkEngine], workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "LEASE_S", 1.5)
    workspace.append("trades", 2, trades(50))
    running = engine()
    running.start()
    with pytest.raises(CheckpointError, match=r"checkpoint 'file:///.*/app' is in use by another run; stop that run first"):
        engine().start()
    resettable = RemoteCheckpointState(f"file://{tmp_path}/check points", start, {})
    with pytest.raises(ApplicationRunningError, match="application 'app' is running: "), resettable.locked(APP):
        pytest.fail("the engine runs")

    checkpoint = tmp_path / "check points" / "app"
    number = max(int(path.name) for path in (checkpoint / "eddyline.lease").iterdir() if path.name.isdigit())
    other = {"owner": "other-host, process 7", "machine": None, "process": 7, "renewals": 0, "lease_s": 30.0}
    (checkpoint / "eddyline.lease" / str(number + 1)).write_text(json.dumps(other))
    monkeypatch.setattr(running._run.lock._lease, "_valid_until", 0.0)  # type: ignore[union-attr] # noqa: SLF001 - time goes by
    workspace.append("trades", 2, trades(50))
    with pytest.raises(EngineError, match="in use by another run, on other-host, process 7; stop that run first"):
        running.await_termination(60)


def test_a_directory_of_something_else_is_not_removed(spark: SparkSession, tmp_path: Path) -> None:
    del spark
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "precious").touch()
    resettable = RemoteCheckpointState(f"file://{tmp_path}", start, {})
    with pytest.raises(
        UnmarkedArtifactError, match=r"it has no valid file eddyline.json; set the right application.id or checkpoint"
    ):
        resettable.find(APP)


def test_a_file_system_that_is_missing_is_an_error_with_the_settings_to_check(spark: SparkSession) -> None:
    del spark
    with pytest.raises(EngineError, match=r"checkpoint 'nosuch://x/y' cannot be accessed: .*; check checkpoint.dir, and the"):
        HadoopPath(Hadoop(start, {}), "nosuch://x/y").exists()


def test_the_commands_run_and_reset_take_a_uri(eddyline: Eddyline, spark: SparkSession, tmp_path: Path) -> None:
    del spark
    topic = tmp_path / "data" / "topics" / "text-lines"
    topic.mkdir(parents=True)
    (topic / "partition-0.jsonl").write_text('{"value": "to be", "timestamp": 1000}\n')
    options = ["word-count", "--checkpoint-dir", f"file://{tmp_path}/shared"]
    outcome = eddyline("run", *options, "--available-now")
    assert outcome.code == 0, outcome.err
    assert (tmp_path / "shared" / "word-count" / "eddyline.json").exists()
    assert [path.name for path in (tmp_path / "data" / "state" / "word-count").iterdir()] == ["spark.log"]
    outcome = eddyline("reset", *options, "--execute")
    assert outcome.code == 0, outcome.err
    assert f"file://{tmp_path}/shared/word-count" in " ".join(outcome.out.split())
    assert list((tmp_path / "shared").iterdir()) == []


@pytest.mark.slow
def test_state_moves_between_checkpoints_that_are_not_on_the_disk(
    eddyline: Eddyline, spark: SparkSession, tmp_path: Path
) -> None:
    del spark
    (tmp_path / "eddyline.toml").write_text("".join(f'"{name}" = "{value}"\n' for name, value in MOUNTED.items()))
    topic = tmp_path / "data" / "topics" / "text-lines"
    topic.mkdir(parents=True)

    def command(*words: str, checkpoint: str, code: int = 0) -> str:
        outcome = eddyline(*words, "--checkpoint-dir", f"viewfs://tests/disk{tmp_path}/{checkpoint}")
        assert outcome.code == code, outcome.err
        return outcome.err

    def run(line: str, checkpoint: str, *options: str, code: int = 0) -> str:
        with (topic / "partition-0.jsonl").open("a") as lines:
            lines.write(json.dumps({"value": line, "timestamp": 1_000}) + "\n")
        options = options or ("--engine", "spark")
        return command("run", "word-count", "--available-now", *options, checkpoint=checkpoint, code=code)

    run("to be or not to be", "first")
    command("state", "export", "word-count", "state.gz", checkpoint="first")
    (tmp_path / "first").rename(tmp_path / "with space")
    assert "since its URI is" in command("state", "export", "word-count", "other.gz", checkpoint="with space", code=1)
    command("state", "import", "word-count", "state.gz", "--execute", checkpoint="second")
    imported = tmp_path / "second" / "word-count" / "imported"
    assert imported.exists()
    run("to be", "second")
    shown = command("rescale", "word-count", "--tasks", "3", checkpoint="second")
    assert "nothing was changed; rescale it to 3 tasks with --execute" in shown
    command("rescale", "word-count", "--tasks", "3", "--execute", checkpoint="second")
    assert [path.name for path in (tmp_path / "second").iterdir()] == ["word-count"]
    run("be", "second")
    assert latest_counts(tmp_path / "data") == {"to": 3, "be": 4, "or": 1, "not": 1}

    (tmp_path / "second" / "word-count").rename(tmp_path / "second" / "word-count.new")
    assert "its replacement 'viewfs:" in run("not", "second", code=1)
    command("rescale", "word-count", "--tasks", "2", "--execute", checkpoint="second")
    run("not", "second")
    assert latest_counts(tmp_path / "data") == {"to": 3, "be": 4, "or": 1, "not": 3}

    run("or", "second", "--engine", "local", "--restore-from", "checkpoint")
    assert latest_counts(tmp_path / "data") == {"to": 3, "be": 4, "or": 2, "not": 3}
    assert "was moved to the engine local" in run("or", "second", code=1)


@pytest.mark.parametrize(("log", "warned"), [("files", True), ("kafka", False)])
def test_topics_in_files_are_warned_of_on_a_cluster(log: str, *, warned: bool) -> None:
    settings = Settings.load({"log": log, "spark.master": "yarn"})
    assert bool(Container(settings=settings).cluster_warnings()) is warned
    assert Container(settings=Settings.load({"log": log})).cluster_warnings() == []
