"""A run without an archive of Spark's Java classes has them archived, once it has processed its first batch."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from eddyline.adapters.cli.background_archive import BackgroundArchive
from eddyline.adapters.cli.log_context import begin_log, end_log
from eddyline.application.runtime.progress.report import Progress, RunReport
from tests.adapters.cli.test_run_command import COUNTS, LINES, counts, write_lines

PROGRESS = Progress(0, 1, 1, 0.1, RunReport(), {}, {})
FILE = Path("cache/spark.jsa")
MESSAGE = "archiving Spark's Java classes in the background, once, so that later runs start faster"


class Begun:
    """Counts the calls, and returns what they are to return."""

    def __init__(self, file: Path | None = FILE) -> None:
        self.calls, self._file = 0, file

    def __call__(self) -> Path | None:
        self.calls += 1
        return self._file


def test_it_begins_after_the_first_batch_and_is_reported_below_the_progress_bar(capsys: pytest.CaptureFixture[str]) -> None:
    begin = Begun()
    archive = BackgroundArchive(begin)
    assert begin.calls == 0
    archive.on_progress(PROGRESS, RunReport())
    archive.on_progress(PROGRESS, RunReport())
    assert (begin.calls, capsys.readouterr().err) == (1, "")
    archive.end()
    message = f"{MESSAGE}: {FILE} (about 170 MB; --set create.class.archive=false turns this off)\n"
    assert (begin.calls, capsys.readouterr().err) == (1, message)


def test_a_run_without_batches_begins_at_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    begin = Begun()
    BackgroundArchive(begin).end()
    assert begin.calls == 1
    assert MESSAGE in capsys.readouterr().err


def test_nothing_is_reported_if_nothing_began(capsys: pytest.CaptureFixture[str]) -> None:
    archive = BackgroundArchive(Begun(None))
    archive.on_progress(PROGRESS, RunReport())
    archive.end()
    assert capsys.readouterr().err == ""


def test_a_run_with_a_log_says_so_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    begin_log("json", application_id="counting")
    try:
        archive = BackgroundArchive(Begun())
        archive.on_progress(PROGRESS, RunReport())
        line = json.loads(capsys.readouterr().err)
        archive.end()
    finally:
        end_log()
    assert capsys.readouterr().err == ""
    assert {name: line[name] for name in ("level", "event", "application_id", "file", "megabytes", "setting")} == {
        "level": "info",
        "event": MESSAGE,
        "application_id": "counting",
        "file": str(FILE),
        "megabytes": 170,
        "setting": "create.class.archive",
    }


@pytest.mark.spark
@pytest.mark.slow
def test_a_run_has_an_archive_created_that_the_next_run_uses(tmp_path: Path) -> None:
    cache, loaded = tmp_path / "cache", tmp_path / "loaded"
    loaded.mkdir()
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "EDDYLINE_CREATE_CLASS_ARCHIVE": "true"}

    def run(data: str, **variables: str) -> str:
        write_lines(tmp_path / data, *LINES)
        words = [sys.executable, "-m", "eddyline", "run", "word-count", "--available-now", "--data-dir", data]
        done = subprocess.run(
            words, cwd=tmp_path, env={**environment, **variables}, capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, done.stderr
        assert counts(tmp_path / data) == COUNTS
        return done.stderr

    def archived() -> list[str]:
        return [path.suffix for path in (cache / "eddyline").iterdir() if path.is_file() and path.suffix != ".lock"]

    assert MESSAGE in run("first")
    deadline = time.monotonic() + 600
    while archived() != [".jsa"]:
        assert time.monotonic() < deadline, [path.read_text() for path in (cache / "eddyline").glob("*.log")]
        time.sleep(0.5)
    log = f"-Xlog:class+load=info:file={loaded}/%p"
    assert MESSAGE not in run("second", JAVA_TOOL_OPTIONS=log)
    classes = "\n".join(path.read_text() for path in loaded.iterdir())
    assert "org.apache.spark.SparkContext source: shared objects file (top)" in classes
