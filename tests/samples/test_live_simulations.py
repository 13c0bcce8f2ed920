"""Simulations whose time is now show within a minute what the flows are there to find."""

from collections.abc import Callable
from datetime import date
from itertools import islice, takewhile
from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.application.samples.catalogue import SIMULATORS, find_flow
from eddyline.application.samples.simulation import SimulatedEvent, Simulator
from eddyline.application.samples.simulation.events import HOUR, MINUTE
from eddyline.application.samples.trading.simulator import LIVE_TRADES, Simulation, live_rows, live_trades
from eddyline.domain.trading import DailyPrice, DailyQuote
from eddyline.testing import MemoryEngine

NOW = 1_800_000_000_000
DAYS = [DailyPrice(ticker, date(2012, 5, day), 5.0, 9.0, 2.0, 7.0, 100) for day in (18, 21) for ticker in ("IBM", "MSFT")]


def in_topic(topic: str) -> Callable[[MemoryEngine], bool]:
    return lambda engine: bool(engine.outputs(topic))


def some(topic: str, is_anomaly: Callable[[Any, Any], bool]) -> Callable[[MemoryEngine], bool]:
    return lambda engine: any(is_anomaly(output.key, output.value) for output in engine.outputs(topic))


def crashed(engine: MemoryEngine) -> bool:
    return any(output.value.max > 1.4 * output.value.min for output in engine.outputs("daily-ranges"))


SHOWS: dict[str, Callable[[MemoryEngine], bool]] = {
    "word-count": in_topic("word-counts"),
    "clickstream": some("user-activity", lambda _user, activity: activity.user_name == ""),
    "fb-notifications": in_topic("notifications"),
    "notification-metrics": lambda engine: any(reason == "late" for _, reason in engine.drops),
    "captcha": in_topic("captcha-requests"),
    "popular-products": in_topic("popular-alerts"),
    "product-counter": some("product-counts", lambda _product, count: count > 1),
    "inventory": in_topic("negative-stock"),
    "log-triage": in_topic("logs-high"),
    "hotel-reservations": in_topic("missed-confirmations"),
    "device-maintenance": in_topic("maintenance-requests"),
    "beaconing": in_topic("beacons"),
    "cdc-table": in_topic("rejected-changes"),
    "daily-range": crashed,
    "search-results": some("results-per-query", lambda query, found: query == "eclipse glasses" and found.without_click > 0),
    "user-360": some("user-minutes", lambda _user, view: view.clicks > 20),
    "shoe-store": in_topic("refused-returns"),
    "weekly-products": some("products-of-the-week", lambda _week, best: best.products[0].product > "product-10"),
    "payment-approval": in_topic("refused-payments"),
    "load-percentiles": in_topic("overloads"),
    "large-sales": in_topic("large-sales"),
}
"""What is to be seen at the end of the first minute, by flow."""


def check_the_first_minute(simulator: Simulator, now: int, **settings: Any) -> None:
    """Make sure that the first minute shows what the flow is there to find, and that its events are few enough to be read.

    Where windows are long, what they find is in the time before the simulation begins.
    """
    engine = MemoryEngine(find_flow(simulator.name).topology(), emit="every-update")
    events = list(takewhile(lambda event: event.timestamp <= now + MINUTE, simulator.live_events(lambda: now, **settings)))
    for topic, key, value, timestamp in events:
        engine.pipe(topic, key, value, timestamp)
    times = [event.timestamp for event in events]
    assert SHOWS[simulator.name](engine)
    assert min(times) >= now - simulator.history_ms
    assert 1 <= sum(at >= now for at in times) <= 2_000
    assert len(times) <= 10_000


@pytest.mark.parametrize("simulator", SIMULATORS, ids=lambda simulator: simulator.name)
def test_the_first_minute_shows_what_the_flow_is_there_to_find(simulator: Simulator) -> None:
    check_the_first_minute(simulator, NOW)


@pytest.mark.slow
@pytest.mark.parametrize("simulator", SIMULATORS, ids=lambda simulator: simulator.name)
@given(seed=st.integers(0, 2**31), since=st.integers(0, 10 * 24 * HOUR))
@hypothesis.settings(max_examples=25, phases=[hypothesis.Phase.generate])
def test_so_does_the_first_minute_of_any_seed_at_any_time(simulator: Simulator, seed: int, since: int) -> None:
    check_the_first_minute(simulator, NOW + since, seed=seed)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 20))])
def test_some_trades_of_the_first_minute_are_late_and_the_movers_change(seed: int) -> None:
    tickers = ("AAPL", "FB", "GOOG", "IBM", "MSFT")
    days = [
        DailyPrice(ticker, date(2012, 5, day), 5.0, 9.0, 2.0, 4.0 + number * day % 5, 100)
        for day in (18, 21)
        for number, ticker in enumerate(tickers)
    ]
    trades = live_trades(Simulation(**LIVE_TRADES, seed=seed), days, lambda: NOW)
    statistics = MemoryEngine(find_flow("stock-stats").topology())
    for ticker, trade, timestamp in takewhile(lambda trade: trade.timestamp <= NOW + MINUTE, trades):
        statistics.pipe("trades", ticker, trade, timestamp)
    assert "late" in {reason for _, reason in statistics.drops}
    movers = MemoryEngine(find_flow("top-movers").topology())
    for topic, symbol, row, timestamp in takewhile(lambda row: row.timestamp <= NOW + MINUTE, live_rows(days, lambda: NOW)):
        movers.pipe(topic, symbol, DailyQuote(row["open"], row["close"]), timestamp)
    assert len({output.value[0].symbol for output in movers.outputs("top-movers")}) > 1


def test_one_simulation_follows_another_with_other_events() -> None:
    (simulator,) = (each for each in SIMULATORS if each.name == "word-count")
    now = NOW
    events = simulator.live_events(lambda: now, seed=5, lines=10)
    first = [next(events) for _ in range(10)]
    now = NOW + MINUTE
    second = [next(events) for _ in range(10)]
    assert (first[0].timestamp, second[0].timestamp) == (NOW, NOW + MINUTE)
    assert first == list(simulator.generate(seed=5, start_ms=NOW, lines=10))
    assert second == list(simulator.generate(seed=6, start_ms=NOW + MINUTE, lines=10))


def test_a_simulation_without_events_ends() -> None:
    (simulator,) = (each for each in SIMULATORS if each.name == "word-count")
    assert list(simulator.live_events(lambda: NOW, lines=0)) == []


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("payment-approval", lambda event: event.value.payment),
        ("large-sales", lambda event: event.value.sale if event.topic == "sales" else None),
        ("cdc-table", lambda event: event.value and getattr(event.value, "source", None)),
        ("hotel-reservations", lambda event: event.value.reservation if event.topic == "bookings" else None),
    ],
)
def test_the_numbers_of_a_simulation_are_none_of_the_one_before(name: str, numbers: Callable[[SimulatedEvent], Any]) -> None:
    (simulator,) = (each for each in SIMULATORS if each.name == name)
    first = list(simulator.generate(seed=1, start_ms=NOW))
    later = list(simulator.generate(seed=2, start_ms=max(event.timestamp for event in first)))
    used = {repr(numbers(event)) for event in first} - {"None"}
    assert used
    assert used.isdisjoint({repr(numbers(event)) for event in later} - {"None"})


def test_live_trades_begin_now_and_each_day_when_the_one_before_has_ended() -> None:
    now = NOW
    trades = live_trades(Simulation(seed=3, trades_per_day=5), DAYS, lambda: now)
    (first, *_, closes) = [next(trades) for _ in range(10)]
    assert first.timestamp == NOW
    assert closes.timestamp == NOW + int(6.5 * HOUR)
    now = NOW + 7 * HOUR
    second = [next(trades) for _ in range(10)]
    assert second[0].timestamp == now
    again = [next(trades) for _ in range(10)]
    assert [trade.ticker for trade in again] != [trade.ticker for trade in second] or again[2] != second[2]


def test_live_rows_of_a_table_are_two_each_second() -> None:
    rows = list(islice(live_rows(DAYS, lambda: NOW), 5))
    assert [row.timestamp - NOW for row in rows] == [0, 500, 1_000, 1_500, 2_000]
    assert [(row.key, row.value["date"]) for row in rows[:2]] == [("IBM", "2012-05-18"), ("MSFT", "2012-05-18")]
    assert rows[4].value == rows[0].value
