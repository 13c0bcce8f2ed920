"""A run of word-count with a query server that is killed and started again, and a server beside it that lives on."""

import socket
import time
from pathlib import Path
from typing import Any, Final

import httpx

from tests.adapters.spark.kills.readers import PAUSE_S, STORE, Input, Readers
from tests.fixtures.commands import Commands

_START_TIMEOUT_S: Final = 120.0
_BATCH_RECORDS: Final = 40


class ServedWords:
    """The commands.

    Args:
        commands: Runs them.
        folder: For the state.
        words: Options that choose the event log.
    """

    def __init__(self, commands: Commands, folder: Path, *words: str) -> None:
        self._commands, self._folder, self._words = commands, folder, words
        self._ports = [_free_port() for _ in range(2)]
        self.urls = [f"http://127.0.0.1:{port}" for port in self._ports]
        self._runs = 0

    def start_server(self) -> None:
        """Start the server beside the run, which shares the file of its read model."""
        self._commands.start("beside", "serve", "word-count", *self._options(self._ports[1]))
        self._wait("beside", self.urls[1])

    def start_run(self) -> None:
        """Start the run, and wait until its server answers."""
        self._runs += 1
        settings = {
            "trigger.interval.ms": 0,
            "max.batch.records": _BATCH_RECORDS,
            "num.partitions": 2,
            "spark.master": "local[2]",
        }
        assigned = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
        self._commands.start(
            f"run-{self._runs}", "run", "word-count", "--serve", "--create-topics", *self._options(self._ports[0]), *assigned
        )
        self._wait(f"run-{self._runs}", self.urls[0])

    def kill_run(self) -> None:
        """Kill the run with SIGKILL."""
        self._commands.kill(f"run-{self._runs}")

    def stop_run(self) -> None:
        """Stop the run after its batch."""
        assert self._commands.stop(f"run-{self._runs}", _START_TIMEOUT_S) == 0

    def counts(self, url: str, lines: int) -> dict[str, int]:
        """Return all counts of a server, once it includes this many lines."""
        parameters: dict[str, Any] = {"limit": 1_000, "min_offset": f"text-lines:0:{lines - 1}", "timeout": 20}
        deadline = time.monotonic() + _START_TIMEOUT_S
        while (answer := httpx.get(f"{url}/stores/{STORE}/range", params=parameters, timeout=60)).status_code != 200:
            assert answer.status_code == 412, answer.text
            assert time.monotonic() < deadline, answer.text
        return {row["key"]: row["value"] for row in answer.json()["rows"]}

    def _options(self, port: int) -> list[str]:
        return [*self._words, "--port", str(port), "--set", f"state.dir={self._folder / 'state'}", "--set", "server.rate.limit=0"]

    def _wait(self, name: str, url: str) -> None:
        deadline = time.monotonic() + _START_TIMEOUT_S
        while not any(url in line for line in self._commands.err(name)):
            assert self._commands.is_running(name), self._commands.err(name)
            assert time.monotonic() < deadline, self._commands.err(name)
            time.sleep(0.05)


def read_during_kills(
    served: ServedWords, given: Input, *, kills: int, clients: int, seed: int, pause_s: float = PAUSE_S
) -> Readers:
    """Kill the run while clients read and lines are written, and return the clients.

    Each run is killed after its server has answered with lines that were written during it. After an answer, a client waits for
    at most `pause_s` seconds.
    """
    given.write(50)
    served.start_server()
    served.start_run()
    readers = Readers(served.urls, given, clients, seed, pause_s)
    readers.start()
    try:
        readers.wait_until_seen(50, _START_TIMEOUT_S)
        for _ in range(kills):
            given.write(100)
            readers.wait_until_seen(given.lines - 60, _START_TIMEOUT_S)
            served.kill_run()
            given.write(100)
            readers.wait_for_answers(200, _START_TIMEOUT_S)
            served.start_run()
            readers.wait_until_seen(given.lines, _START_TIMEOUT_S)
            readers.wait_for_answers(200, _START_TIMEOUT_S)
            if readers.wrong:
                break
    finally:
        readers.stop()
    return readers


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port: int = closed.getsockname()[1]
        return port
