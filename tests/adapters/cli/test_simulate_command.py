import json
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from eddyline import Flow
from eddyline.adapters.market.daily_prices import daily_prices
from eddyline.application.samples.catalogue import FLOWS, SIMULATORS
from eddyline.application.samples.simulation import Simulator
from tests.adapters.cli.conftest import Eddyline


def lines_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for file in sorted(folder.glob("*.jsonl")) for line in file.read_text().splitlines()]


def test_trades_of_real_days_are_written_to_a_topic(eddyline: Eddyline, tmp_path: Path) -> None:
    outcome = eddyline(
        "simulate", "stock-stats", "--days", 2, "--trades-per-day", 50, "--data-dir", "d", "--set", "num.partitions=3"
    )
    assert outcome.code == 0
    assert (
        "500 trades of 5 companies on 2 days (2012-05-18 to 2012-05-21) written to topic 'trades' (3 partitions)" in outcome.err
    )
    folder = tmp_path / "d/topics/trades"
    assert sorted(file.name for file in folder.glob("*.jsonl")) == [f"partition-{number}.jsonl" for number in range(3)]
    assert len(lines_of(folder)) == 500


def test_the_highest_and_lowest_trades_of_a_day_are_the_real_ones(eddyline: Eddyline, tmp_path: Path) -> None:
    eddyline("simulate", "stock-stats", "--days", 3, "--trades-per-day", 200, "--ticker", "IBM", "--start", "2008-10-10")
    prices = defaultdict(list)
    for line in lines_of(tmp_path / "data/topics/trades"):
        prices[datetime.fromtimestamp(line["timestamp"] / 1000, UTC).date()].append(line["value"]["price"])
    real = {day.date: (day.low, day.high) for day in daily_prices(["IBM"])}
    assert {day: (min(seen), max(seen)) for day, seen in prices.items()} == {day: real[day] for day in prices}
    assert len(prices) == 3


def test_the_same_seed_gives_the_same_trades_and_a_second_run_appends_to_the_topic(eddyline: Eddyline, tmp_path: Path) -> None:
    words = ["simulate", "stock-stats", "--days", 1, "--trades-per-day", 20, "--seed", 7, "--set", "num.partitions=1"]
    eddyline(*words)
    eddyline(*words)
    written = lines_of(tmp_path / "data/topics/trades")
    assert len(written) == 200
    assert written[:100] == written[100:]


def test_the_rate_of_trades_is_limited(eddyline: Eddyline, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    pauses = []

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        pauses.append(seconds)

    monkeypatch.setattr("eddyline.adapters.cli.simulation.sleep", sleep)
    monkeypatch.setattr("eddyline.adapters.cli.simulation.monotonic", lambda: now)
    assert eddyline("simulate", "stock-stats", "--days", 1, "--trades-per-day", 20, "--rate", 50).code == 0
    assert sum(pauses) == pytest.approx(2.0)
    assert len(pauses) == 20


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--ticker", "XX"], 2, "unknown ticker 'XX'; choose one of: AAPL, FB, GOOG, IBM, MSFT (--ticker)"),
        (["--days", "0"], 2, "invalid value '0' for '--days': must be greater than or equal to 1"),
        (["--days", "9999"], 2, "only 196 of 9999 requested days have a price of every share"),
        (["--late", "0.3", "--out-of-order", "0.3"], 2, "--out-of-order and --late are 0.3 and 0.3, together more than 0.4"),
        (["--topic", "a/b"], 1, "'a/b' is not a valid topic name"),
        (["--set", "size_ms=1"], 2, "unknown setting 'size_ms' (from the command line)"),
    ],
)
def test_an_invalid_option_of_trades_is_one_line(eddyline: Eddyline, words: list[str], code: int, message: str) -> None:
    outcome = eddyline("simulate", "stock-stats", *words)
    assert outcome.code == code
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("simulator", SIMULATORS, ids=lambda simulator: simulator.name)
def test_input_of_a_flow_is_written_to_the_topics_that_it_reads(eddyline: Eddyline, tmp_path: Path, simulator: Simulator) -> None:
    outcome = eddyline("simulate", simulator.name, "--seed", 3)
    assert outcome.code == 0
    written = [line for topic in simulator.topics for line in lines_of(tmp_path / "data/topics" / topic)]
    assert f"{len(list(simulator.generate(seed=3))):,} events written to '{simulator.topics[0]}'" in outcome.err
    assert len(written) == len(list(simulator.generate(seed=3)))


def test_settings_of_a_simulation_are_options(eddyline: Eddyline, tmp_path: Path) -> None:
    outcome = eddyline("simulate", "word-count", "--lines", 7, "--start", 1_000, "--set", "num.partitions=1")
    assert outcome.code == 0
    lines = lines_of(tmp_path / "data/topics/text-lines")
    assert len(lines) == 7
    assert lines[0]["timestamp"] == 1_000
    assert "--lines" in eddyline("simulate", "word-count", "--help").out


def test_the_rate_of_events_is_limited(eddyline: Eddyline, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("eddyline.adapters.cli.simulation.sleep", pauses.append)
    monkeypatch.setattr("eddyline.adapters.cli.simulation.monotonic", lambda: 0.0)
    assert eddyline("simulate", "word-count", "--lines", 10, "--rate", 20).code == 0
    assert pauses == [0.1, 0.2, 0.3, 0.4, 0.5]


class Waiting:
    """A wall clock that only waits advance, until the user interrupts at a time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, until: int) -> None:
        self.now = 1_800_000_000_000
        self._until = self.now + until
        monkeypatch.setattr("eddyline.adapters.system.clock.SystemClock.now_ms", lambda _clock: self.now)
        monkeypatch.setattr("eddyline.adapters.cli.simulation.sleep", self.wait)

    def wait(self, seconds: float) -> None:
        assert 0 < seconds <= 1
        self.now += max(1, round(seconds * 1_000))
        if self.now > self._until:
            raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("flow", "topic"), [("word-count", "text-lines"), ("stock-stats", "trades"), ("top-movers", "daily-prices")]
)
def test_live_events_are_written_at_their_time_until_the_user_interrupts(
    eddyline: Eddyline, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, flow: str, topic: str
) -> None:
    waiting = Waiting(monkeypatch, until=20_000)
    start = waiting.now
    outcome = eddyline("simulate", flow, "--live")
    times = sorted(line["timestamp"] for line in lines_of(tmp_path / "data/topics" / topic))
    assert outcome.code == 0
    assert f"{len(times)} " in outcome.err
    assert f"written to {'topic ' if flow != 'word-count' else ''}'{topic}'" in outcome.err
    assert start <= times[0] <= start + 1_000
    assert start + 15_000 < times[-1] <= waiting.now
    assert len(times) > 30


def test_the_history_of_a_live_simulation_is_written_at_once(
    eddyline: Eddyline, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    waiting = Waiting(monkeypatch, until=0)
    start = waiting.now
    assert eddyline("simulate", "inventory", "--live").code == 0
    times = [line["timestamp"] for line in lines_of(tmp_path / "data/topics/items")]
    assert min(times) == start - 30 * 60_000
    assert max(times) <= start
    assert len(times) > 100


def test_settings_that_are_given_precede_those_of_a_live_simulation(
    eddyline: Eddyline, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    Waiting(monkeypatch, until=0)
    assert eddyline("simulate", "inventory", "--live", "--skus", 10, "--stores", 1).code == 0
    assert {line["value"]["sku"] for line in lines_of(tmp_path / "data/topics/items")} == {f"sku-{n:02}" for n in range(1, 11)}


@pytest.mark.parametrize("words", [["word-count", "--rate", "5"], ["word-count", "--start", "5"], ["stock-stats", "--rate", "5"]])
def test_options_that_say_otherwise_when_events_happen_are_refused(eddyline: Eddyline, words: list[str]) -> None:
    outcome = eddyline("simulate", *words, "--live")
    assert outcome.code == 2
    assert f"error: --live and {words[1]} exclude each other" in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.name)
def test_the_input_of_every_sample_can_be_simulated(eddyline: Eddyline, flow: Flow) -> None:
    assert "--live" in eddyline("simulate", flow.name, "--help").out


def test_daily_prices_are_rows_of_a_table(eddyline: Eddyline, tmp_path: Path) -> None:
    outcome = eddyline("simulate", "top-movers", "--days", 2, "--ticker", "IBM", "--start", "2012-05-18")
    assert "2 daily prices written to topic 'daily-prices'" in outcome.err
    rows = [(line["key"], line["value"]) for line in lines_of(tmp_path / "data/topics/daily-prices")]
    assert rows == [
        ("IBM", {"open": 198.78, "close": 195.88, "date": "2012-05-18"}),
        ("IBM", {"open": 195.98, "close": 197.76, "date": "2012-05-21"}),
    ]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["beaconing", "--hosts", "0"], 2, "error: --hosts is 0; choose 1 or more"),
        (["notification-metrics", "--hours", "-1"], 2, "error: --hours is -1; choose 0 or more"),
        (["hotel-reservations", "--out-of-order", "2"], 2, "error: --out-of-order is 2.0; choose a fraction from 0 to 1"),
        (["stock-stats", "--start", "monday"], 2, "error: invalid --start 'monday'; write it as YYYY-MM-DD"),
        (["inventory", "--spoilt", "2"], 2, "error: --spoilt is 2.0; choose a fraction from 0 to 1"),
        (["word-count", "--hosts", "1"], 2, "--hosts"),
        (["weather"], 2, "weather"),
        (["top-movers", "--days", "9999"], 2, "only 196 of 9999 requested days"),
    ],
)
def test_an_invalid_option_of_a_simulation_is_one_line(eddyline: Eddyline, words: list[str], code: int, message: str) -> None:
    outcome = eddyline("simulate", *words)
    assert outcome.code == code
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_events_in_memory_would_be_lost_at_once(eddyline: Eddyline) -> None:
    for flow in ("inventory", "stock-stats"):
        outcome = eddyline("simulate", flow, "--log", "memory")
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.endswith("error: the event log in memory is empty at every start; choose --log files or --log kafka\n")
