"""A checkpoint belongs to one log: a run over another one fails before Java is started."""

import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.spark.driver.checkpoint import identify
from eddyline.adapters.spark.driver.checkpoint_lock import CheckpointError
from eddyline.adapters.spark.failures import EngineError
from eddyline.application.ports.event_log import LogIdentity
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.progress.log_identity import LogMismatchError
from tests.adapters.spark.running import Workspace
from tests.adapters.spark.topologies import copied


def lines(count: int) -> list[SinkRecord]:
    return [SinkRecord("lines", b"k", b"%d" % number, number) for number in range(count)]


@pytest.fixture
def no_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "eddyline.adapters.spark.driver.driver_session.build_session", lambda *_args, **_options: pytest.fail("Java was started")
    )


@pytest.mark.usefixtures("no_java")
def test_a_checkpoint_of_another_log_is_refused_before_java_starts(tmp_path: Path) -> None:
    workspace, topology = Workspace(tmp_path), copied("lines")
    workspace.append("lines", 2, lines(10))
    identify(workspace.checkpoint, "app", topology, 2, LogIdentity("kafka", "c1", {"lines": "x"}))
    engine = workspace.engine(topology)
    for run in (engine.run_available_now, engine.run, engine.start):
        with pytest.raises(LogMismatchError, match="belong to 'kafka', cluster 'c1', but the event log is now 'files'"):
            run()


@pytest.mark.spark
def test_a_run_over_a_topic_that_was_created_again_is_refused_until_the_flow_is_reset(
    tmp_path: Path, spark: SparkSession
) -> None:
    workspace, topology = Workspace(tmp_path), copied("lines")
    workspace.append("lines", 2, lines(10))
    assert workspace.engine(topology, spark).run_available_now().records == 10
    shutil.rmtree(tmp_path / "topics" / "lines")
    workspace.append("lines", 2, lines(30))
    with pytest.raises(LogMismatchError, match="deleted and created again"):
        workspace.engine(topology, spark).run_available_now()
    shutil.rmtree(workspace.checkpoint)
    assert workspace.engine(topology, spark).run_available_now().records == 30


@pytest.mark.spark
def test_a_topic_that_is_created_again_while_a_flow_runs_ends_the_run(tmp_path: Path, spark: SparkSession) -> None:
    workspace, topology, other = Workspace(tmp_path), copied("lines"), Workspace(tmp_path / "other")
    workspace.append("lines", 1, lines(10))
    other.append("lines", 1, lines(30))
    topic = tmp_path / "topics" / "lines"
    engine = workspace.engine(topology, spark, trigger_interval_ms=50)
    created_again = False

    def create_again(_progress: object, _report: object) -> None:
        nonlocal created_again
        if not created_again:
            created_again = True
            topic.rename(tmp_path / "deleted")  # the run must not see a topic that is half deleted
            (tmp_path / "other" / "topics" / "lines").rename(topic)

    with pytest.raises(EngineError, match=r"^(LogMismatch|UnknownTopic)Error: "):
        engine.run(create_again)
    with pytest.raises(LogMismatchError):
        workspace.engine(topology, spark).run_available_now()


@pytest.mark.usefixtures("no_java")
def test_a_checkpoint_whose_topic_is_gone_is_refused_before_topics_are_created(tmp_path: Path) -> None:
    workspace, topology = Workspace(tmp_path), copied("lines")
    workspace.append("lines", 2, lines(10))
    identify(workspace.checkpoint, "app", topology, 2, workspace.log.identity(["lines"]))
    workspace.engine(topology).check_checkpoint()
    shutil.rmtree(tmp_path / "topics" / "lines")
    with pytest.raises(LogMismatchError, match=r"topic 'lines' with id '.*', now 'deleted'"):
        workspace.engine(topology).check_checkpoint()


@pytest.mark.usefixtures("no_java")
def test_a_new_checkpoint_needs_no_topics_before_they_are_created(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.engine(copied("lines")).check_checkpoint()
    assert not workspace.checkpoint.exists()


@pytest.mark.usefixtures("no_java")
@pytest.mark.parametrize(("planned", "last"), [((0, 1), "its last batch is 1"), ((), "it has no batches")])
def test_an_old_copy_of_a_checkpoint_is_refused_before_java_starts(tmp_path: Path, planned: tuple[int, ...], last: str) -> None:
    workspace, topology = Workspace(tmp_path), copied("lines")
    workspace.append("lines", 2, lines(10))
    identity = identify(workspace.checkpoint, "app", topology, 2, workspace.log.identity(["lines"]))
    offsets = workspace.checkpoint / "spark" / "offsets"
    offsets.mkdir(parents=True)
    for batch in planned:
        (offsets / f"{batch}").touch()
    workspace.sink.create_topic("copy", 1)
    workspace.sink.write(identity.writer, 1, 2, [SinkRecord("copy", b"k", b"x", 5)])
    with pytest.raises(CheckpointError, match=f"older than its results: {last}, but the results of batch 2 .*eddyline reset"):
        workspace.engine(topology).check()
    (offsets / "2").touch()
    workspace.engine(topology).check()


def test_a_checkpoint_with_another_number_of_spark_partitions_is_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in ("created", "continued"):
        identify(tmp_path, "app", copied("lines"), 4, LogIdentity("files", "", {}))
    assert caplog.messages == []
    identify(tmp_path, "app", copied("lines"), 8, LogIdentity("files", "", {}))
    assert "keeps the 4 Spark partitions that it was created with, although 8 would be used now" in caplog.text
