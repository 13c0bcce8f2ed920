"""SIGINT and SIGTERM stop a command."""

import json
import os
import random
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from eddyline.adapters.cli import running
from eddyline.adapters.cli.stopping import StoppedError, StopSignals, stopped_by_signals
from tests.adapters.cli.test_run_command import LINES, write_lines
from tests.fixtures.commands import Commands, Eddyline

_TIMEOUT_S: Final = 120.0


@pytest.mark.timeout(60)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_and_does_not_wait_for_a_lock_that_the_main_thread_holds(number: int) -> None:
    before = signal.getsignal(number)
    lock, stopping = threading.Lock(), threading.Event()

    def stop() -> None:
        with lock:
            stopping.set()

    with stopped_by_signals(stop):
        with lock:
            os.kill(os.getpid(), number)
            assert not stopping.wait(0.01)
        assert stopping.wait(120)
    assert signal.getsignal(number) == before


def test_a_signal_that_nothing_receives_yet_ends_the_block() -> None:
    with pytest.raises(StoppedError), StopSignals():
        signal.raise_signal(signal.SIGTERM)


def test_what_can_be_stopped_after_a_signal_is_stopped_at_once() -> None:
    calls: list[str] = []
    with StopSignals() as signals:
        with suppress(StoppedError):  # by the code that is being started
            os.kill(os.getpid(), signal.SIGTERM)
        with signals.stopping(lambda: calls.append("stop")):
            assert calls == ["stop"]


@pytest.mark.parametrize("engine", ["local", "memory"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_a_run_starts_stops_it(
    eddyline: Eddyline, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, engine: str, number: int
) -> None:
    def signalled(*_arguments: object) -> tuple[str, ...]:
        os.kill(os.getpid(), number)
        return ("the run goes on",)

    monkeypatch.setattr(running, "topology_warnings", signalled)
    write_lines(tmp_path / "data", *LINES)
    outcome = eddyline("run", "word-count", "--engine", engine, "--set", "log.format=json")
    (line,) = outcome.err.splitlines()
    assert (outcome.code, json.loads(line)["event"], json.loads(line)["records"]) == (0, "stopped", 0)


SIGNALLED = """
import os, signal, time
from pathlib import Path
from eddyline import Flow, TopologyBuilder

def slow(value: str) -> str:
    Path("called").touch()
    while not Path("end").exists():
        time.sleep(0.01)
    return value

def build(builder: TopologyBuilder) -> None:
    builder.stream("text-lines", key=str, value=str).map_values(slow).to("out")

FLOWS = (Flow("slow", "Waits in a function.", build),)
"""


@pytest.mark.parametrize("engine", ["local", pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.slow])])
def test_a_second_signal_ends_a_run_at_once(
    commands: Commands, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, engine: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "signalled.py").write_text(SIGNALLED)
    write_lines(tmp_path / "data", *LINES)
    commands.start("run", "run", "slow", "--flows", "signalled", "--engine", engine)
    deadline = time.monotonic() + _TIMEOUT_S
    while not (tmp_path / "called").exists():
        assert commands.is_running("run"), commands.err("run")
        assert time.monotonic() < deadline, commands.err("run")
        time.sleep(0.01)
    commands.signal("run", signal.SIGTERM)
    while commands.is_running("run"):  # the first one waits for the record; signals that are pending together count as one
        assert time.monotonic() < deadline, commands.err("run")
        with suppress(OSError):  # it has ended meanwhile
            commands.signal("run", signal.SIGTERM)
        time.sleep(0.01)
    assert commands.wait("run", _TIMEOUT_S) == 128 + signal.SIGTERM


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local", pytest.param("spark", marks=pytest.mark.spark)])
def test_a_signal_at_any_moment_ends_a_run(commands: Commands, tmp_path: Path, engine: str) -> None:
    write_lines(tmp_path / "data", *LINES)
    moments = random.Random(7)
    for number in range(40 if engine == "local" else 6):
        name = f"run-{number}"
        commands.start(name, "run", "word-count", "--engine", engine, "--data-dir", tmp_path / "data")
        time.sleep(moments.uniform(0, 0.5 if engine == "local" else 12))  # any moment will do
        assert commands.stop(name, _TIMEOUT_S) in {0, -signal.SIGTERM}, commands.err(name)
        assert not any("Traceback" in line for line in commands.err(name))
