"""Whether a run has Spark's Java classes archived by another process; the process is a real one, with another program."""

import errno
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from eddyline.adapters.container import Container
from eddyline.adapters.settings import Settings
from eddyline.adapters.spark import background_archive, class_archive
from eddyline.adapters.spark.archive_files import ArchiveFiles
from eddyline.adapters.spark.driver import java_options
from eddyline.adapters.spark.failures import EngineError

pytestmark = pytest.mark.xdist_group("spark")

PROGRAM = (
    "import os, sys;"
    " print(os.getsid(0) == os.getpid(), os.getcwd(), flush=True);"
    " print([name for name in os.environ if name.startswith('EDDYLINE_')], sys.stdin.read(), file=sys.stderr, flush=True)"
)


def yesterday(path: Path) -> None:
    os.utime(path, (time.time() - 90_000,) * 2)


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ArchiveFiles:
    """The files of a cache that is empty, in a process that has started Spark on this machine."""
    monkeypatch.setattr(java_options, "user_cache_path", tmp_path.joinpath)
    monkeypatch.setattr(SparkContext, "_active_spark_context", SimpleNamespace(master="local[2]"))
    monkeypatch.setattr(background_archive, "_COMMAND", ("-c", PROGRAM))
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    return ArchiveFiles.of_this_spark()


def started() -> bool:
    return background_archive.archive_in_background({"spark.master": "local[2]"}) is not None


def test_a_process_of_its_own_begins_without_the_settings_of_the_run(files: ArchiveFiles) -> None:
    assert os.environ["EDDYLINE_CREATE_CLASS_ARCHIVE"] == "false"
    assert background_archive.archive_in_background({}) == files.archive
    assert files.archive.parent.stat().st_mode & 0o777 == 0o700
    deadline = time.monotonic() + 120
    while files.log.read_text().count("\n") < 2:
        assert time.monotonic() < deadline, files.log.read_text()
        time.sleep(0.05)
    assert files.log.read_text().split() == ["True", str(files.archive.parent), "[]"]


def test_the_process_has_the_lowest_priority(files: ArchiveFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_archive, "_COMMAND", ("-c", "import time; time.sleep(60)"))
    begun: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def start(words: list[str], **options: Any) -> subprocess.Popen[bytes]:
        begun.append(popen(words, **options))
        return begun[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    try:
        assert started()
        assert os.getpriority(os.PRIO_PROCESS, begun[0].pid) == 19
        of_linux = {"autogroup": "19", "oom_score_adj": "1000"}
        files_of_linux = {Path(f"/proc/{begun[0].pid}/{name}"): value for name, value in of_linux.items()}
        assert all(file.read_text().split()[-1] == value for file, value in files_of_linux.items() if file.is_file())
        assert not started(), "it is running"
        assert not files.archive.exists()
    finally:
        begun[0].kill()


def test_an_attempt_that_did_not_end_is_repeated_after_a_day(files: ArchiveFiles) -> None:
    assert started()
    assert files.failure.read_text().splitlines()[0] == version("eddyline")
    assert not started()
    yesterday(files.failure)
    assert started()
    assert not started()


def test_an_attempt_of_another_version_is_repeated(files: ArchiveFiles) -> None:
    files.archive.parent.mkdir()
    files.failure.write_text("0.0.1\nno memory\n")
    assert files.recent_failure() is None
    assert started()


def has_archive(files: ArchiveFiles) -> None:
    files.archive.touch()


def has_failed(files: ArchiveFiles) -> None:
    files.write_failure("no memory")


@pytest.mark.parametrize("before", [has_archive, has_failed])
def test_nothing_begins_where_there_is_an_archive_or_a_failure(
    files: ArchiveFiles, before: Callable[[ArchiveFiles], None]
) -> None:
    files.archive.parent.mkdir()
    before(files)
    assert not started()
    assert not files.log.exists()


def test_one_process_at_a_time_has_the_lock_which_it_loses_when_it_dies(files: ArchiveFiles) -> None:
    files.archive.parent.mkdir()
    lock = files.archive.parent / "class-archive.lock"
    program = "import fcntl, sys; a = open(sys.argv[1], 'a'); fcntl.flock(a, fcntl.LOCK_EX); print(flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", program, lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"\n"
        assert not started()
        assert not files.failure.exists()
        other.kill()
    assert started()


@pytest.mark.parametrize("master", ["spark://a:7077", "yarn", "k8s://https://a:443"])
def test_nothing_begins_on_a_cluster(files: ArchiveFiles, monkeypatch: pytest.MonkeyPatch, master: str) -> None:
    monkeypatch.setattr(SparkContext, "_active_spark_context", SimpleNamespace(master=master))
    assert not started()
    assert not files.archive.parent.exists()


def test_nothing_begins_if_this_process_would_not_use_the_archive(files: ArchiveFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    assert background_archive.archive_in_background({"spark.driver.extraJavaOptions": "-Xss1m"}) is None
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    assert not started()
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT")
    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    assert not started()
    assert not files.archive.parent.exists()


def test_a_setting_turns_it_off(files: ArchiveFiles) -> None:
    off = Container(settings=Settings(create_class_archive=False))
    assert off.archive_in_background() is None
    assert not files.archive.parent.exists()
    assert Container(settings=Settings()).archive_in_background() == files.archive


def test_a_cache_that_cannot_be_written_is_no_error(
    files: ArchiveFiles, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    files.archive.parent.write_text("no folder")
    with caplog.at_level("DEBUG", "eddyline.spark"):
        assert not started()
    assert "cannot be archived in the background" in caplog.text
    files.archive.parent.unlink()
    full = SimpleNamespace(total=1 << 40, used=(1 << 40) - (1 << 29), free=1 << 29)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: full)
    with caplog.at_level("DEBUG", "eddyline.spark"):
        assert not started()
    assert os.strerror(errno.ENOSPC) in caplog.text


def test_a_program_that_cannot_be_started_is_no_error(files: ArchiveFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/python")
    assert not started()
    assert files.recent_failure() is not None


def test_a_failure_is_kept_until_an_attempt_succeeds(files: ArchiveFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_java(_archive: Path, log: Path, _warm_up: object) -> None:
        log.write_text("no memory")
        raise EngineError("Java has not written the archive")

    def java(archive: Path, _log: Path, _warm_up: object) -> None:
        archive.write_text("classes")

    def warm_up(_session: SparkSession) -> None:
        raise AssertionError("nothing starts Spark here")

    monkeypatch.setattr(class_archive, "_run_java", no_java)
    with pytest.raises(EngineError):
        class_archive.create_class_archive(warm_up)
    assert files.recent_failure() == "EngineError: Java has not written the archive"
    assert files.log.read_text() == "no memory"
    assert not started()
    left = files.archive.parent / "class-archive-of-a-killed-process"
    left.mkdir()
    monkeypatch.setattr(class_archive, "_run_java", java)
    assert class_archive.create_class_archive(warm_up) == files.archive
    monkeypatch.setattr(class_archive, "_run_java", no_java)
    class_archive.create_class_archive(warm_up)
    assert sorted(path.name for path in files.archive.parent.iterdir()) == ["class-archive.lock", files.archive.name]
    with pytest.raises(EngineError):
        class_archive.create_class_archive(warm_up, again=True)
    assert files.archive.read_text() == "classes"
