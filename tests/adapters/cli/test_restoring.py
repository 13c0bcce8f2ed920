"""`eddyline run --restore-from` where there is nothing to restore, or nothing that the engine could; the state itself is moved in
features/operating/moving_between_engines.feature."""

import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.cli.requests import Request
from eddyline.adapters.cli.topics import ensure_topics
from eddyline.adapters.container import Container
from eddyline.adapters.local.alone import LockMembership
from eddyline.adapters.spark.driver.checkpoint_files import IDENTITY_FILE
from tests.adapters.cli.conftest import Eddyline


@pytest.mark.parametrize(
    ("engine", "source", "needed"),
    [
        ("local", "changelog", "spark"),
        ("memory", "changelog", "spark"),
        ("spark", "checkpoint", "local"),
        ("memory", "checkpoint", "local"),
    ],
)
def test_an_engine_that_does_not_begin_with_such_state_is_a_usage_error(
    eddyline: Eddyline, engine: str, source: str, needed: str
) -> None:
    done = eddyline("run", "word-count", "--engine", engine, "--restore-from", source, "--available-now")
    assert done.code == 2
    assert done.err == (
        f"error: --restore-from {source} is for --engine {needed}, not {engine}: the engine local leaves changelogs, and the"
        " engine spark leaves a checkpoint\n"
    )


def test_another_source_is_a_usage_error_with_the_choices(eddyline: Eddyline) -> None:
    done = eddyline("run", "word-count", "--restore-from", "savepoint")
    assert done.code == 2
    assert "'savepoint' for '--restore-from'" in done.err
    assert "changelog" in done.err
    assert "checkpoint" in done.err


def test_changelogs_without_state_are_an_error(eddyline: Eddyline, tmp_path: Path) -> None:
    done = eddyline("run", "word-count", "--engine", "spark", "--restore-from", "changelog", "--available-now")
    assert (done.code, done.err) == (
        1,
        "error: application 'word-count' has left no state in its changelogs; run the flow with --engine local first\n",
    )
    assert not (tmp_path / "data/state/word-count").exists()


def test_a_missing_checkpoint_is_an_error(eddyline: Eddyline, tmp_path: Path) -> None:
    done = eddyline("run", "word-count", "--engine", "local", "--restore-from", "checkpoint", "--available-now")
    assert done.code == 1
    assert done.err == (
        "error: there is no checkpoint 'data/state/word-count' to continue from; run the flow with --engine spark first, or"
        " without --restore-from\n"
    )
    assert not (tmp_path / "data/state/word-count").exists()


@pytest.mark.spark
def test_a_checkpoint_that_cannot_be_accessed_is_an_error(eddyline: Eddyline, spark: SparkSession) -> None:
    del spark
    options = ("--checkpoint-dir", "hdfs://names:9000/checkpoints", "--available-now")
    done = eddyline("run", "word-count", "--engine", "local", "--restore-from", "checkpoint", *options)
    assert done.code == 1
    assert "checkpoint 'hdfs://names:9000/checkpoints/word-count' cannot be accessed" in done.err


def test_a_checkpoint_whose_state_was_moved_is_not_continued(eddyline: Eddyline, tmp_path: Path) -> None:
    folder = tmp_path / "data/state/word-count"
    folder.mkdir(parents=True)
    (folder / "moved-to-local").touch()
    done = eddyline("run", "word-count", "--engine", "spark", "--available-now")
    assert done.code == 1
    assert done.err == (
        "error: the state in checkpoint 'data/state/word-count' was moved to the engine local; run the flow with --engine local,"
        " or move its state back with --restore-from changelog\n"
    )


def write_lines(folder: Path) -> None:
    """Write input of the flow word-count."""
    topic = folder / "data/topics/text-lines"
    topic.mkdir(parents=True)
    (topic / "partition-0.jsonl").write_text('{"key": "k", "value": "a b", "timestamp": 1}\n')


def test_an_application_belongs_to_the_engine_that_has_run_it_first(eddyline: Eddyline, tmp_path: Path) -> None:
    write_lines(tmp_path)
    run = ("run", "word-count", "--available-now", "--engine")
    assert eddyline(*run, "local").code == 0
    for engine in ("spark", "memory"):
        done = eddyline(*run, engine)
        assert done.code == 1
        assert "application 'word-count' belongs to the engine local, which has its state in changelogs" in done.err
        assert "run it with --engine local" in done.err
        assert ("--restore-from changelog" in done.err) == (engine == "spark")
        assert "'eddyline reset'" in done.err
    assert not (tmp_path / "data/state/word-count/eddyline.json").exists()
    assert eddyline(*run, "local").code == 0
    assert eddyline("reset", "word-count", "--execute").code == 0
    assert eddyline(*run, "memory").code == 0


def test_an_application_of_spark_is_refused_by_others(eddyline: Eddyline, tmp_path: Path) -> None:
    write_lines(tmp_path)
    checkpoint = tmp_path / "data/state/word-count"
    checkpoint.mkdir(parents=True)
    (checkpoint / IDENTITY_FILE).write_text("{}")
    for engine in ("local", "memory"):
        done = eddyline("run", "word-count", "--available-now", "--engine", engine)
        assert (
            done.code,
            "belongs to the engine spark, which has its state in checkpoint 'data/state/word-count'" in done.err,
        ) == (1, True)


def test_the_local_engine_gives_way_to_spark_that_starts_at_the_same_time(
    eddyline: Eddyline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_lines(tmp_path)
    checkpoint = tmp_path / "data/state/word-count"

    def started_meanwhile(request: Request, container: Container) -> None:
        ensure_topics(request, container)
        checkpoint.mkdir(parents=True)
        (checkpoint / IDENTITY_FILE).write_text("{}")

    monkeypatch.setattr("eddyline.adapters.cli.engines.ensure_topics", started_meanwhile)
    done = eddyline("run", "word-count", "--available-now", "--engine", "local")
    assert (done.code, "belongs to the engine spark" in done.err) == (1, True)
    assert not any(path.read_bytes() for path in (tmp_path / "data/topics/word-count-tasks").glob("*.jsonl"))


@pytest.mark.spark
def test_spark_gives_way_to_the_local_engine_that_starts_at_the_same_time(
    eddyline: Eddyline, tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    del spark
    write_lines(tmp_path)
    running = LockMembership(1, tmp_path / "data/state/local/word-count")

    def started_meanwhile(request: Request, container: Container) -> None:
        ensure_topics(request, container)
        assert running.held()

    monkeypatch.setattr("eddyline.adapters.cli.engines.ensure_topics", started_meanwhile)
    done = eddyline("run", "word-count", "--available-now", "--engine", "spark")
    running.close()
    assert (done.code, "belongs to the engine local" in done.err) == (1, True)
    assert not (tmp_path / "data/state/word-count" / IDENTITY_FILE).exists()


def test_results_without_state_are_refused(eddyline: Eddyline, tmp_path: Path) -> None:
    write_lines(tmp_path)
    run = ("run", "word-count", "--available-now", "--engine", "local")
    assert eddyline(*run).code == 0
    shutil.rmtree(tmp_path / "data/topics/word-count-tasks")
    done = eddyline(*run)
    assert (done.code, "or its topic 'word-count-tasks' was deleted; run 'eddyline reset'" in done.err) == (1, True)


def test_the_memory_engine_says_that_it_appends_results_once_more(eddyline: Eddyline, tmp_path: Path) -> None:
    write_lines(tmp_path)
    run = ("run", "word-count", "--available-now", "--engine", "memory")
    first, second = eddyline(*run), eddyline(*run)
    assert (first.code, second.code) == (0, 0)
    assert "has records already" not in first.err
    assert "topic 'word-counts' has records already: the engine memory keeps no state" in second.err
