"""The log of `eddyline run`: every line in one form, with application id and flow."""

import json
import os
import pty
import re
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from eddyline.application.monitoring.run_monitor import RunMonitor
from tests.adapters.cli.conftest import Eddyline
from tests.adapters.cli.test_run_command import LINES, write_lines
from tests.fixtures.forks.forked import ForkedCommand

COMMAND = ["run", "word-count", "--engine", "memory"]
LOG = ["--available-now", "--set", "log.format=json"]
DROPPING = """
import logging
from eddyline import Flow

def shout(word):
    logging.getLogger("eddyline.kafka.client").warning("broker \\x1b[2J%s is slow", word)
    return word.upper()

def shouting(builder):
    builder.stream("text-lines", key=str, value=str).filter(
        lambda _key, value: value != "not to be", drop_reason="negative"
    ).map_values(shout, value=str).to("shouts")

FLOWS = (Flow("shouting", "Shouts lines.", shouting),)
"""


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def until_stopped(folder: Path, *words: str, first: int = 1) -> list[str]:
    """Return the lines of a run that is stopped by SIGTERM after its first lines."""
    with ForkedCommand([*COMMAND, *words], cwd=folder, stderr=subprocess.PIPE) as running:
        try:
            assert running.stderr is not None
            lines = [running.stderr.readline().rstrip("\n") for _ in range(first)]
            running.send_signal(signal.SIGTERM)
            lines += running.stderr.read().splitlines()
            assert running.wait(120) == 0
        finally:
            running.kill()
    return lines


def on_terminal(folder: Path, words: Sequence[str]) -> str:
    """Return what a command prints to a terminal."""
    main, terminal = pty.openpty()
    try:
        environment = {**os.environ, "COLUMNS": "200", "TERM": "xterm"}
        assert ForkedCommand(words, cwd=folder, stderr=terminal, stdin=terminal, env=environment).wait(120) == 0
        os.close(terminal)
        read = bytearray()
        try:
            while chunk := os.read(main, 65_536):
                read += chunk
        except OSError:  # the other end is closed
            pass
        return read.decode()
    finally:
        os.close(main)


def test_all_lines_of_a_continuous_run_are_json_with_application_and_flow(tmp_path: Path) -> None:
    write_lines(tmp_path / "data", *LINES)
    (tmp_path / "eddyline.toml").write_text('"value.codecs.elsewhere" = "string"\n"trigger.interval.ms" = 10\n')
    warning, batch, stopped = map(json.loads, until_stopped(tmp_path, "--application-id", "words", "--version", "v2", first=2))
    for line in (warning, batch, stopped):
        assert (line["application_id"], line["flow"]) == ("words-v2", "word-count")
        assert line["timestamp"].endswith("Z")
    assert (warning["level"], batch["level"], stopped["level"]) == ("warning", "info", "info")
    assert warning["event"].startswith("setting 'value.codecs.elsewhere' is for topic 'elsewhere'")
    assert (batch["event"], batch["batch"], batch["records"], batch["written"]) == ("batch", 0, 2, 6)
    assert (stopped["event"], stopped["records"], stopped["written"]) == ("stopped", 2, {"word-counts-v2": 6})


def test_a_run_with_an_end_writes_a_log_if_the_format_is_set(eddyline: Eddyline, tmp_path: Path) -> None:
    write_lines(tmp_path / "data", *LINES, more="garbage\n")
    outcome = eddyline("run", "word-count", "--engine", "memory", *LOG)
    assert outcome.code == 0
    batch, stopped = lines_of(outcome.err)
    assert (batch["event"], batch["dead_letters"], batch["flow"]) == ("batch", 1, "word-count")
    assert stopped["dropped"] == [{"operator": "text-lines", "reason": "undecodable", "records": 1}]
    assert (stopped["dead_letters"], stopped["skipped"], stopped["batches"]) == (1, [], 1)


def test_the_server_of_a_run_knows_a_batch_before_its_line_is_written(
    eddyline: Eddyline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_lines(tmp_path / "data", *LINES)
    known: list[str] = []
    on_progress = RunMonitor.on_progress

    def received(self: RunMonitor, *progress: Any) -> None:
        known.append("server")
        on_progress(self, *progress)

    monkeypatch.setattr(RunMonitor, "on_progress", received)
    monkeypatch.setattr("eddyline.adapters.cli.running.log_batch", lambda *_progress: known.append("line"))
    assert eddyline("run", "word-count", "--engine", "memory", "--serve", "--port", "0", *LOG).code == 0
    assert known == ["server", "line"]


def test_warnings_of_clients_during_a_run_have_its_fields(eddyline: Eddyline, tmp_path: Path) -> None:
    write_lines(tmp_path / "data", *LINES)
    (tmp_path / "shouting.py").write_text(DROPPING)
    outcome = eddyline("run", "shouting", "--flows", "shouting", "--engine", "memory", *LOG)
    warning, _batch, stopped = lines_of(outcome.err)
    assert (warning["level"], warning["logger"], warning["flow"]) == ("warning", "eddyline.kafka.client", "shouting")
    assert warning["application_id"] == "shouting"
    assert "is slow" in warning["event"]
    assert "\x1b" not in outcome.err
    assert [(drop["reason"], drop["records"]) for drop in stopped["dropped"]] == [("negative", 1)]


def test_an_error_of_a_run_is_a_line_of_its_log(eddyline: Eddyline) -> None:
    outcome = eddyline("run", "word-count", "--engine", "memory", *LOG)
    assert outcome.code == 1
    (line,) = lines_of(outcome.err)
    assert (line["level"], line["application_id"], line["flow"]) == ("error", "word-count", "word-count")
    assert line["event"].startswith("topic 'text-lines' is unknown")


def test_the_log_ends_with_its_command(eddyline: Eddyline) -> None:
    eddyline("run", "word-count", "--engine", "memory", *LOG)
    assert eddyline("topology", "word-cuont").err.startswith("error: unknown flow 'word-cuont'")


@pytest.mark.parametrize("words", [[], ["--set", "log.format=console"]])
def test_a_log_on_a_terminal_is_for_people(tmp_path: Path, words: list[str]) -> None:
    write_lines(tmp_path / "data", *LINES)
    shown = on_terminal(tmp_path, [*COMMAND, "--available-now", *words])
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)
    assert "word-count: 2 records in 1 batch" in plain
    assert ("application_id=word-count" in plain) == bool(words)
    assert '{"' not in plain


def test_json_is_written_to_a_terminal_too_if_it_is_set(tmp_path: Path) -> None:
    write_lines(tmp_path / "data", *LINES)
    batch, stopped = lines_of(on_terminal(tmp_path, [*COMMAND, *LOG]))
    assert (batch["event"], stopped["event"]) == ("batch", "stopped")


def test_console_lines_in_a_file_have_no_colours(tmp_path: Path) -> None:
    write_lines(tmp_path / "data", *LINES)
    batch, summary, *_ = until_stopped(tmp_path, "--set", "log.format=console", "--set", "trigger.interval.ms=10")
    assert "\x1b" not in batch
    assert re.search(r"Z \[info +\] batch +.*application_id=word-count .*flow=word-count records=2", batch)
    assert re.search(r"Z \[info +\] word-count: 2 records in 1 batch.*application_id=word-count flow=word-count", summary)


def test_an_unknown_format_is_refused(eddyline: Eddyline) -> None:
    outcome = eddyline("run", "word-count", "--set", "log.format=xml")
    assert outcome.code == 2
    assert "invalid value 'xml' for setting 'log.format' (from the command line): choose one of: 'console', 'json'" in outcome.err


LOGGING = """
import logging
import threading
import warnings
from eddyline import Flow

LOGGER = logging.getLogger("shop.orders")

def logged(value: str) -> str:
    LOGGER.debug("debug")
    LOGGER.info("saw \\x1b[31m%s\\r\\nnext", value)
    LOGGER.log(25, "notice")
    LOGGER.warning("warned")
    logging.getLogger("uvicorn.error").info("a library")
    warnings.warn("deprecated")
    try:
        raise ValueError("\\x1b[2J")
    except ValueError:
        LOGGER.exception("failed")
    thread = threading.Thread(target=lambda: 1 / 0, name="helper")
    thread.start()
    thread.join()
    return value

FLOWS = (Flow("logging", "Logs.", lambda builder: builder.stream("text-lines", key=str, value=str).map_values(logged).to("out")),)
"""


@pytest.mark.parametrize("engine", ["memory", "local", pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.slow])])
def test_what_functions_log_are_lines_with_all_fields(tmp_path: Path, engine: str) -> None:
    write_lines(tmp_path / "data", LINES[0])
    (tmp_path / "logging_flows.py").write_text(LOGGING)
    words = ["run", "logging", "--flows", "logging_flows", "--engine", engine, *LOG]
    with ForkedCommand(words, cwd=tmp_path, stderr=subprocess.PIPE) as command:
        assert command.stderr is not None
        text = command.stderr.read()
        assert command.wait(240) == 0, text
    assert "\x1b" not in text
    assert "\r" not in text
    lines = lines_of(text)
    assert all(line.keys() >= {"timestamp", "level", "event", "application_id", "flow"} for line in lines), lines
    own = [(line["level"], line["event"]) for line in lines if line.get("logger") == "shop.orders"]
    assert [level for level, _event in own] == ["info", "info", "warning", "error"]
    assert own[0][1].startswith("saw \\u001b[31m")
    assert "a library" not in text
    (failed,) = (line for line in lines if line["event"] == "failed")
    assert failed["exception"].startswith("Traceback (most recent call last):")
    assert [line["level"] for line in lines if line.get("logger") == "py.warnings"] == ["warning"]
    if engine != "spark":  # there, what a thread of a worker prints is in the log of Spark
        (thread,) = (line for line in lines if line.get("logger") == "threading")
        assert (thread["event"], "ZeroDivisionError" in thread["exception"]) == (
            "thread 'helper' has failed: division by zero",
            True,
        )


@pytest.mark.parametrize("level", ["debug", "warning", "error"])
def test_the_level_of_the_log_can_be_chosen(eddyline: Eddyline, tmp_path: Path, level: str) -> None:
    write_lines(tmp_path / "data", LINES[0])
    (tmp_path / "logging_flows.py").write_text(LOGGING)
    words = ("run", "logging", "--flows", "logging_flows", "--engine", "memory", *LOG, "--set", f"log.level={level}")
    lines = lines_of(eddyline(*words).err)
    order = ["debug", "info", "warning", "error"]
    assert min(order.index(line["level"]) for line in lines) == order.index(level)


def test_the_traceback_of_the_error_that_ends_a_run_is_in_its_line(eddyline: Eddyline) -> None:
    outcome = eddyline("run", "word-count", "--engine", "memory", *LOG, "--traceback")
    (line,) = lines_of(outcome.err)
    assert (line["level"], line["flow"], line["exception"][:9]) == ("error", "word-count", "Traceback")
