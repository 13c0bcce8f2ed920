"""The commands top and status show a run through its server."""

import json
import os
import pty
import signal
import time
from collections.abc import Iterator

import pytest

from eddyline.adapters.cli.run_view import duration, size, sparkline
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.web.server import QueryServer
from tests.adapters.cli.conftest import Eddyline
from tests.fixtures.example_runs import NOW_MS, after_one_batch
from tests.fixtures.forks.forked import ForkedCommand
from tests.fixtures.query_servers import serving
from tests.fixtures.state_queries import example_queries

_TIMEOUT_S = 120.0


@pytest.fixture(scope="module")
def server() -> Iterator[QueryServer]:
    clock = MemoryClock(NOW_MS)
    monitor = after_one_batch(clock)
    clock.advance(20_000)
    with monitor.running(), serving(example_queries(), run=monitor) as running:
        yield running


def lines_of(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


@pytest.fixture
def picture(eddyline: Eddyline, server: QueryServer) -> list[str]:
    outcome = eddyline("top", "--once", "--server", server.url)
    assert (outcome.code, outcome.err) == (0, "")
    return lines_of(outcome.out)


def test_a_picture_has_the_run_with_throughput_lag_and_state(picture: list[str]) -> None:
    assert picture[0] == "words running memory, application app, up 20 s"
    assert picture[1] == "records/s 0.2 █ 0.1 written"
    assert picture[2] == "lag 1 █ stream time 1970-01-01T00:00:05.200Z, 16 min 55 s ago"
    assert picture[4] == "state 1 entry"
    assert "1 late record, 1 undecodable record, 1 dead letter" in picture


def test_a_picture_has_the_positions_the_operators_and_the_stores(picture: list[str]) -> None:
    assert "lines 0 5 6 1 20 s ago" in picture
    assert "words filter 4 1 no-word" in picture
    assert "count window-aggregate 3 1 late" in picture
    assert any(line.startswith("inventory key-value str Stock 14 ") for line in picture)


def test_without_a_terminal_one_picture_is_printed(eddyline: Eddyline, server: QueryServer, picture: list[str]) -> None:
    assert lines_of(eddyline("top", "--server", server.url).out) == picture


def test_a_server_without_a_run_shows_its_stores_and_where_a_run_is(eddyline: Eddyline) -> None:
    with serving(example_queries()) as server:
        outcome = eddyline("top", "--once", "--server", server.url)
    assert outcome.code == 0
    assert lines_of(outcome.out)[0] == "no run beside this server: 'eddyline run --serve' has one"
    assert "visits" in outcome.out


def test_a_picture_is_the_object_of_the_status_for_programs(eddyline: Eddyline, server: QueryServer) -> None:
    outcome = eddyline("top", "--once", "--format", "json", "--server", server.url)
    found, status = json.loads(outcome.out), json.loads(eddyline("status", "--format", "json", "--server", server.url).out)
    assert (outcome.code, found["run"]["flow"], found["stores"]) == (0, "words", status["stores"])


def test_no_server_is_an_error_of_one_line(eddyline: Eddyline) -> None:
    outcome = eddyline("top", "--server", "http://127.0.0.1:1")
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (1, "", 1)


def test_the_status_shows_the_run_before_the_stores(eddyline: Eddyline, server: QueryServer) -> None:
    outcome = eddyline("status", "--server", server.url)
    found = lines_of(outcome.out)
    assert (outcome.code, found[0]) == (0, "words running memory, application app, up 20 s")
    assert [line.split()[0] for line in found[6:]] == ["store", "inventory", "pairs", "prices", "stats", "visits"]


def test_the_status_of_a_failed_run_fails(eddyline: Eddyline) -> None:
    monitor = after_one_batch()
    with pytest.raises(ValueError, match="broken"), monitor.running():
        raise ValueError("broken")
    with serving(example_queries(), run=monitor) as server:
        outcome = eddyline("status", "--server", server.url)
    assert outcome.code == 1
    assert lines_of(outcome.out)[:2] == ["words error memory, application app, up 0 s", "ValueError: broken"]


class Terminal:
    """A terminal in which a command runs."""

    def __init__(self, *words: str) -> None:
        self._controller, terminal = pty.openpty()
        environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
        self.process = ForkedCommand(words, stdout=terminal, stderr=terminal, env=environment)
        os.close(terminal)
        self.shown = ""

    def until(self, text: str, times: int = 1) -> None:
        """Read what the command shows until it has shown a text this often."""
        deadline = time.monotonic() + _TIMEOUT_S
        while self.shown.count(text) < times:
            assert time.monotonic() < deadline, self.shown
            self.shown += os.read(self._controller, 65_536).decode(errors="replace")

    def interrupt(self) -> int:
        """Send SIGINT and return the exit code."""
        self.process.send_signal(signal.SIGINT)
        try:
            while data := os.read(self._controller, 65_536):
                self.shown += data.decode(errors="replace")
        except OSError:  # the terminal is closed
            pass
        return self.process.wait(_TIMEOUT_S)

    def close(self) -> None:
        """Kill the command, if it is still running, and close the terminal."""
        self.process.kill()
        self.process.wait()
        os.close(self._controller)


def test_pictures_follow_each_other_until_ctrl_c_and_survive_an_outage() -> None:
    with serving(example_queries(), run=after_one_batch()) as server:
        terminal = Terminal("top", "--interval", "0.1", "--server", server.url)
        terminal.until("records/s", 5)
    try:
        terminal.until("no query server answers at")
        assert terminal.interrupt() == 0
    finally:
        terminal.close()
    assert "Traceback" not in terminal.shown
    assert "\x1b[?1049l" in terminal.shown, "the screen is not restored"


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [(-5, "0 s"), (59_400, "59 s"), (61_000, "1 min 1 s"), (7_260_000, "2 h 1 min"), (90_000_000, "1 d 1 h")],
)
def test_durations_have_two_units(milliseconds: int, text: str) -> None:
    assert duration(milliseconds) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 bytes"), (1_023, "1,023 bytes"), (1_536, "1.5 KiB"), (5 << 30, "5.0 GiB"), (1 << 60, "1,048,576.0 TiB")],
)
def test_sizes_have_the_unit_that_fits(number: int, text: str) -> None:
    assert size(number) == text


def test_a_line_of_bars_is_relative_to_the_greatest_value() -> None:
    assert (sparkline([]), sparkline([0, 0]), sparkline([0, 5, 10])) == ("", "▁▁", "▁▅█")
