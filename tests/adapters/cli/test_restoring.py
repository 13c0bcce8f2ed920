"""`eddyline run --restore-from` where there is nothing to restore, or nothing that the engine could; the state itself is moved in
features/operating/moving_between_engines.feature."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

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
