"""Warnings of workers cross to the driver as lines, with the batch that they belong to."""

import logging
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.spark.worker_logs import WorkerLogHandler, WorkerWarning, processing, warning_in

PIPE_BUF = 4_096


@pytest.fixture
def log() -> Iterator[logging.Logger]:
    logger, handler = logging.getLogger("shop"), WorkerLogHandler(logging.WARNING)
    logger.addHandler(handler)
    yield logger
    logger.removeHandler(handler)


def test_a_warning_is_a_line_with_its_batch(log: logging.Logger, capfd: pytest.CaptureFixture[str]) -> None:
    log.info("nothing")
    with processing(7):
        log.warning("%s is\nslow", "broker")
    log.error("gone")
    lines = capfd.readouterr().err.splitlines()
    assert [warning_in(line) for line in lines] == [
        WorkerWarning("shop", logging.WARNING, "broker is\nslow", 7),
        WorkerWarning("shop", logging.ERROR, "gone", None),
    ]


def test_the_batch_is_that_of_the_thread(log: logging.Logger, capfd: pytest.CaptureFixture[str]) -> None:
    with processing(7):
        thread = threading.Thread(target=log.warning, args=["elsewhere"])
        thread.start()
        thread.join()
    assert warning_in(capfd.readouterr().err) == WorkerWarning("shop", logging.WARNING, "elsewhere", None)


@given(st.text(max_size=5_000))
def test_any_message_is_one_line_that_is_written_at_once(message: str) -> None:
    written: list[bytes] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.write", lambda _fd, data: written.append(data))
        WorkerLogHandler().emit(logging.LogRecord("shop", logging.WARNING, "", 0, message, (), None))
    (line,) = written
    assert len(line) <= PIPE_BUF
    assert line.count(b"\n") == 1
    found = warning_in(line.decode())
    assert found is not None
    assert message.startswith(found.message)
    assert found.message or not message


@pytest.mark.parametrize(
    "line", ["", "26/11/22 WARN Java", "eddyline-log:", "eddyline-log:{", "eddyline-log:7", "eddyline-log:[1]"]
)
def test_other_lines_are_no_warnings(line: str) -> None:
    assert warning_in(line) is None


def test_text_before_the_mark_is_ignored() -> None:
    assert warning_in('half a line eddyline-log:["a", 30, "b", 2]') == WorkerWarning("a", 30, "b", 2)
