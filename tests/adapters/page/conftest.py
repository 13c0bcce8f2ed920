"""Flows that run or have run, with their pages; the servers are shared by the tests of this package, after which they end."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from eddyline.adapters.cli.main import run
from tests.adapters.page.browsers import browser, window_on, windows
from tests.fixtures.commands import Commands, served_address

__all__ = ["browser", "window_on", "windows"]

START_MS = 1_700_000_000_000
TICKERS = ("AAPL", "FB", "GOOG", "IBM", "MSFT")
_TIMEOUT_S = 120.0
TOKENS = ("--set", "server.token=sesame", "--set", "server.operator.token=poppy")
BESIDE = ("inventory", "popular-products", "fb-notifications")


class RunningFlow(NamedTuple):
    """The flow stock-stats while it runs."""

    url: str
    folder: Path

    def trade(self, ticker: str, timestamp: int, price: Any = 100.0) -> None:
        """Write a trade; those of AAPL and IBM are in partition 0, of FB and MSFT in 1, of GOOG in 2."""
        value = {"type": "ASK", "ticker": ticker, "price": price, "size": 1}
        file = self.folder / f"topics/trades/partition-{TICKERS.index(ticker) % 3}.jsonl"
        with file.open("a") as opened:
            opened.write(json.dumps({"key": ticker, "value": value, "timestamp": timestamp}) + "\n")


@pytest.fixture(scope="package")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    started = Commands(tmp_path_factory.mktemp("programs"))
    yield started
    started.kill_all()


@pytest.fixture(scope="package")
def running(programs: Commands, tmp_path_factory: pytest.TempPathFactory) -> RunningFlow:
    """The flow over a minute of trades, of which one is late and one cannot be decoded."""
    return started_flow(programs, tmp_path_factory.mktemp("running"), "memory")


def started_flow(programs: Commands, folder: Path, engine: str) -> RunningFlow:
    (folder / "topics/trades").mkdir(parents=True)
    flow = RunningFlow("", folder)
    for second in range(60):
        for number, ticker in enumerate(TICKERS):
            flow.trade(ticker, START_MS + 1_000 * second, 100.0 + 10 * number + second % 7)
    flow.trade("IBM", START_MS)
    flow.trade("IBM", START_MS + 59_000, "n/a")
    words = ("--engine", engine, "--serve", "--port", "0", "--data-dir", folder, "--set", "trigger.interval.ms=200")
    programs.start(engine, "run", "stock-stats", *words)
    return flow._replace(url=address_of(programs, engine))


def address_of(programs: Commands, name: str) -> str:
    return until(lambda: served_address(programs.err(name)), programs, name)


def until(found: Callable[[], str | None], programs: Commands, name: str) -> str:
    deadline = time.monotonic() + 2 * _TIMEOUT_S
    while (value := found()) is None:
        assert programs.is_running(name), programs.err(name)
        assert time.monotonic() < deadline, programs.err(name)
        time.sleep(0.05)
    return value


@pytest.fixture(scope="package")
def beside(programs: Commands, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a server of three flows that have run before, which needs a token: `sesame` to read, `poppy` to redrive."""
    data = str(tmp_path_factory.mktemp("beside"))
    options = {"popular-products": ("--set", "threshold=20")}
    for flow in BESIDE:
        assert run(["simulate", flow, "--data-dir", data]) == 0
        if flow == "inventory":
            with (Path(data) / "topics/items/partition-0.jsonl").open("a") as opened:
                opened.write(json.dumps({"key": "k", "value": "no json", "timestamp": START_MS}) + "\n")
        common = ("--engine", "memory", "--available-now", "--data-dir", data, "--set", "changelog.stores=all")
        assert run(["run", flow, *common, *options.get(flow, ())]) == 0
    programs.start("beside", "serve", *BESIDE, "--port", "0", "--data-dir", data, *TOKENS)
    return address_of(programs, "beside")
