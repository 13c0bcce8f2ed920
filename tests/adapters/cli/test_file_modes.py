"""What commands write is readable by its owner only."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from eddyline.adapters.cli.spark_log import spark_output_to
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.files.resettable_state import FileResettableState
from eddyline.adapters.spark.driver.checkpoint import identify
from eddyline.adapters.sqlite.sent_alerts import SqliteSentAlerts
from eddyline.application.ports.event_log import LogIdentity
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.ports.resettable_state import Application
from eddyline.application.samples.catalogue import find_flow
from tests.adapters.cli.test_run_command import LINES, write_lines

RUN = ("run", "word-count", "--engine", "memory", "--available-now")


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    before = os.umask(0o000)
    yield
    os.umask(before)


def readable_by_others(root: Path) -> list[str]:
    """Return the files that other users can reach and read or write, as paths relative to the root."""
    found = []
    for path in sorted(root.iterdir()):
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            found += readable_by_others(path) if path.is_dir() else [path.name]
    return found


def test_topics_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    sink = FileEventSink(tmp_path / "data/topics")
    sink.create_topic("created", 2)
    (tmp_path / "data/topics/by-hand").mkdir()
    (tmp_path / "data/topics/by-hand/partition-0.jsonl").touch(0o600)
    sink.write("app-0a1b2c3d", 0, 0, [SinkRecord("created", b"k", b"v", 1), SinkRecord("by-hand", b"k", b"v", 1)])
    assert readable_by_others(tmp_path) == []
    state, application = FileResettableState(tmp_path / "data/topics"), Application("app", ["created", "by-hand"])
    for artifact in state.find(application):
        state.remove(application, artifact)
    assert readable_by_others(tmp_path) == []


def test_checkpoints_alerts_and_logs_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    identify(tmp_path / "state/app", "app", find_flow("word-count").topology(), 2, LogIdentity("files", "", {}))
    (tmp_path / "alerts").mkdir()
    alerts = SqliteSentAlerts(tmp_path / "alerts/a.sqlite")
    alerts.mark_sent("id", "t", 0, 1)
    with spark_output_to(tmp_path / "state/app/spark.log"):
        pass
    assert readable_by_others(tmp_path) == []
    alerts.close()


def test_everything_that_a_command_writes_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    write_lines(tmp_path / "data", *LINES, more="garbage\n")
    given = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    program = "from eddyline.adapters.cli.main import main; main()"
    subprocess.run([sys.executable, "-c", program, *RUN], cwd=tmp_path, check=True)
    assert set(readable_by_others(tmp_path)) <= given
    for path in tmp_path.rglob("*"):
        assert path.name in given or path.is_dir() or not stat.S_IMODE(path.stat().st_mode) & 0o077
