import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from itertools import groupby, pairwise, permutations
from statistics import fmean, pstdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.application.samples.trading.simulator import SimulatedTrade, Simulation, session
from eddyline.domain.trading import DailyPrice
from tests.fixtures.examples import examples

seeds = st.integers(-(2**63), 2**63)
cents = st.integers(1, 100_000).map(lambda cent: cent / 100)
dates = st.dates(date(2000, 3, 1), date(2013, 3, 1))


@st.composite
def days(draw: st.DrawFn) -> DailyPrice:
    low, high = sorted((draw(cents), draw(cents)))
    inside = st.floats(low, high)
    return DailyPrice("IBM", draw(dates), draw(inside), high, low, draw(inside), 1000)


IBM = DailyPrice("IBM", date(2012, 5, 18), 197.97, 198.95, 195.11, 195.88, 7166700)
AAPL = DailyPrice("AAPL", date(2012, 5, 18), 533.96, 543.41, 522.18, 530.38, 26153300)
DENSE = Simulation(seed=1, trades_per_day=2000, out_of_order=0.05, late=0.02, out_of_order_ms=60_000, late_ms=600_000)
CROWDED = Simulation(seed=1, trades_per_day=20_000, out_of_order=0.2, late=0.2, out_of_order_ms=60_000, late_ms=600_000)


def behind(trades: list[SimulatedTrade]) -> list[int]:
    """Return by how many ms each trade that arrives out of order is behind the greatest event time before it."""
    found, newest = [], 0
    for trade in trades:
        if trade.timestamp < newest:
            found.append(newest - trade.timestamp)
        newest = max(newest, trade.timestamp)
    return found


@given(days(), seeds, st.integers(4, 300), st.floats(0, 0.2), st.floats(0, 0.2))
def test_the_first_highest_lowest_and_last_trade_of_a_day_have_the_real_prices(
    day: DailyPrice, seed: int, count: int, out_of_order: float, late: float
) -> None:
    simulation = Simulation(seed=seed, trades_per_day=count, out_of_order=out_of_order, late=late, late_ms=3_600_000)
    arrived = list(simulation.trades([day]))
    for trades in (arrived, sorted(arrived, key=lambda trade: trade.timestamp)):
        prices = [trade.trade.price for trade in trades]
        assert (prices[0], max(prices), min(prices), prices[-1]) == (day.open, day.high, day.low, day.close)


@given(days(), seeds, st.integers(4, 300), st.floats(0, 0.2), st.floats(0, 0.2))
def test_the_number_of_trades_is_the_configured_one_and_all_are_within_the_session(
    day: DailyPrice, seed: int, count: int, out_of_order: float, late: float
) -> None:
    trades = list(Simulation(seed=seed, trades_per_day=count, out_of_order=out_of_order, late=late).trades([day]))
    start, end = session(day.date)
    assert len(trades) == count
    assert all(start <= trade.timestamp <= end for trade in trades)
    assert all(trade.ticker == trade.trade.ticker == "IBM" and trade.trade.size > 0 for trade in trades)


@given(days(), seeds)
@settings(max_examples=examples(20))
def test_a_grace_period_of_the_maximum_delay_is_long_enough_for_every_trade(day: DailyPrice, seed: int) -> None:
    simulation = Simulation(seed=seed, trades_per_day=500, out_of_order=0.1, late=0.1, out_of_order_ms=90_000, late_ms=900_000)
    assert max(behind(list(simulation.trades([day])))) <= 900_000


@given(seeds)
@settings(max_examples=examples(20))
def test_the_fractions_out_of_order_and_late_are_the_configured_ones(seed: int) -> None:
    simulation = Simulation(seed=seed, trades_per_day=2000, out_of_order=0.05, late=0.02, out_of_order_ms=60_000, late_ms=600_000)
    trades = list(simulation.trades([IBM]))
    lags = behind(trades)
    assert len(lags) == 0.05 * 2000 + 0.02 * 2000
    assert sum(lag > 60_000 for lag in lags) <= 0.02 * 2000


def test_late_trades_exceed_the_delay_of_trades_out_of_order() -> None:
    assert any(lag > DENSE.out_of_order_ms for lag in behind(list(DENSE.trades([IBM]))))


@given(seeds)
@settings(max_examples=examples(20))
def test_the_highest_and_lowest_trade_of_a_day_are_never_delayed(seed: int) -> None:
    simulation = Simulation(seed=seed, trades_per_day=500, out_of_order=0.1, late=0.3, out_of_order_ms=90_000, late_ms=9_000_000)
    newest, in_time = 0, set()
    for trade in simulation.trades([IBM, AAPL]):
        if trade.timestamp >= newest:
            newest = trade.timestamp
            in_time.add(trade.trade.price)
    assert in_time >= {IBM.high, IBM.low, AAPL.high, AAPL.low}


@given(seeds)
@settings(max_examples=examples(20))
def test_without_delays_trades_arrive_in_order_of_event_time(seed: int) -> None:
    trades = list(Simulation(seed=seed, trades_per_day=200).trades([IBM, AAPL]))
    assert not behind(trades)
    assert {trade.ticker for trade in trades} == {"AAPL", "IBM"}


def test_days_are_simulated_in_order_whatever_the_order_of_their_prices() -> None:
    later = DailyPrice("IBM", date(2012, 5, 21), 195.5, 198.09, 195.1, 197.76, 5143600)
    trades = list(DENSE.trades([later, AAPL, IBM]))
    simulated = [day for day, _ in groupby(datetime.fromtimestamp(trade.timestamp / 1000, UTC).date() for trade in trades)]
    assert simulated == [date(2012, 5, 18), date(2012, 5, 21)]
    assert len(trades) == 3 * 2000


def test_the_same_seed_gives_the_same_trades_and_another_seed_different_ones() -> None:
    assert list(DENSE.trades([IBM])) == list(DENSE.trades([IBM]))
    other = Simulation(seed=2, trades_per_day=2000)
    assert list(other.trades([IBM])) != list(Simulation(seed=1, trades_per_day=2000).trades([IBM]))


@pytest.mark.parametrize(
    ("simulation", "checksum"),
    [(Simulation(seed=1), "4d1c0f8716c53861"), (DENSE, "e99c9b6a09deea0c"), (CROWDED, "96f66524d22efe17")],
    ids=["in order", "dense", "crowded"],
)
def test_a_seed_gives_the_same_trades_in_every_version(simulation: Simulation, checksum: str) -> None:
    """Set the new checksum after an intended change of the simulation, and mention it in the changelog."""
    trades = "\n".join(map(repr, simulation.trades([IBM, AAPL])))
    assert sha256(trades.encode()).hexdigest()[:16] == checksum


def test_trades_of_the_same_millisecond_do_not_overtake_each_other() -> None:
    trades = list(CROWDED.trades([IBM]))
    assert len({trade.timestamp for trade in trades}) < len(trades)
    assert len(behind(trades)) == 0.4 * len(trades)


def test_delays_change_neither_the_event_times_of_trades_nor_their_prices() -> None:
    in_order = list(replace(DENSE, out_of_order=0.0, late=0.0).trades([IBM]))
    delayed = sorted(DENSE.trades([IBM]), key=lambda trade: trade.timestamp)
    assert [(trade.timestamp, trade.trade.price) for trade in delayed] == [
        (trade.timestamp, trade.trade.price) for trade in in_order
    ]


def test_trades_are_spread_evenly_over_the_session() -> None:
    start, end = session(IBM.date)
    half_hours = Counter((trade.timestamp - start) // 1_800_000 for trade in DENSE.trades([IBM]) if trade.timestamp < end)
    assert half_hours.keys() == set(range(13))
    assert all(100 < count < 210 for count in half_hours.values())


def test_lots_are_multiples_of_a_hundred_up_to_a_thousand_shares() -> None:
    sizes = Counter(trade.trade.size for trade in DENSE.trades([IBM]))
    assert sizes.keys() == set(range(100, 1_001, 100))
    assert all(150 < count < 250 for count in sizes.values())


@pytest.mark.parametrize(("drawn", "from_start", "size"), [(0.0, 1, 100), (1 - 2**-53, 6.5 * 3_600_000 - 1, 1_000)])
def test_no_random_number_moves_a_trade_outside_the_session_or_makes_its_lot_too_large(
    drawn: float, from_start: float, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Fixed(random.Random):
        getrandbits = random.Random.getrandbits

        def random(self) -> float:
            return drawn

    monkeypatch.setattr(random, "Random", Fixed)
    trades = list(Simulation(trades_per_day=50).trades([IBM]))
    start, _ = session(IBM.date)
    assert {trade.timestamp - start for trade in trades[1:-1]} == {from_start}
    assert {trade.trade.size for trade in trades} == {size}


def test_the_highest_and_lowest_trade_may_be_at_any_index_between_the_first_and_the_last() -> None:
    indexes = set()
    for seed in range(100):
        prices = [trade.trade.price for trade in Simulation(seed=seed, trades_per_day=5).trades([AAPL])]
        indexes.add((prices.index(AAPL.high), prices.index(AAPL.low)))
    assert indexes == set(permutations((1, 2, 3), 2))


def deviations(prices: list[float]) -> list[float]:
    """Return how far prices, as fractions of the day's range, are from the straight lines between open, high, low and close."""
    anchors = sorted((0, prices.index(1.0), prices.index(0.0), len(prices) - 1))
    return [
        prices[index] - prices[left] - (prices[right] - prices[left]) * (index - left) / (right - left)
        for left, right in pairwise(anchors)
        for index in range(left + 1, right)
    ]


def test_prices_deviate_randomly_from_the_straight_lines_between_open_high_low_and_close() -> None:
    found = []
    for seed in range(500):
        trades = Simulation(seed=seed, trades_per_day=60).trades([AAPL])
        prices = [(trade.trade.price - AAPL.low) / (AAPL.high - AAPL.low) for trade in trades]
        if prices.count(1.0) == prices.count(0.0) == 1:
            found += deviations(prices)
    assert len(found) > 500
    assert abs(fmean(found)) < 0.01
    assert 0.06 < pstdev(found) < 0.08


def test_prices_change_in_small_steps_except_next_to_a_given_price() -> None:
    prices = [trade.trade.price for trade in Simulation(seed=1, trades_per_day=2000).trades([AAPL])]
    given = {AAPL.open, AAPL.high, AAPL.low, AAPL.close}
    steps = [abs(later - earlier) for earlier, later in pairwise(prices) if not given & {earlier, later}]
    assert 0.05 < max(steps) / (AAPL.high - AAPL.low) < 0.1


def test_prices_are_in_whole_cents() -> None:
    prices = [trade.trade.price for trade in DENSE.trades([AAPL])]
    assert all(round(price, 2) == price for price in prices)
    assert len(set(prices)) > 500


@pytest.mark.parametrize("late", [0.0, 0.1])
def test_the_greatest_delay_is_close_to_the_configured_maximum_and_never_above_it(late: float) -> None:
    most = 600_000 if late else 60_000
    lags = []
    for seed in range(5):
        simulation = replace(DENSE, seed=seed, out_of_order=0.1 - late, late=late)
        lags += behind(list(simulation.trades([IBM])))
    assert 0.9 * most < max(lags) <= most


def test_a_late_trade_exceeds_the_delay_of_trades_out_of_order_unless_the_day_ends_before() -> None:
    simulation = replace(DENSE, out_of_order=0.0, late=0.1, out_of_order_ms=300_000)
    lags = sorted(behind(list(simulation.trades([IBM]))))
    assert len(lags) == 200
    assert lags[10] > 300_000 - 60_000


def test_fewer_trades_are_delayed_where_they_are_too_far_apart() -> None:
    sparse = Simulation(trades_per_day=20, out_of_order=0.4)
    assert not behind(list(sparse.trades([IBM])))


def test_every_trade_is_an_offer() -> None:
    assert {trade.trade.type for trade in DENSE.trades([IBM])} == {"ASK"}


def test_shares_and_days_with_equal_prices_have_different_trades() -> None:
    other = DailyPrice("MSFT", IBM.date, IBM.open, IBM.high, IBM.low, IBM.close, IBM.volume)
    later = DailyPrice("IBM", date(2012, 5, 21), IBM.open, IBM.high, IBM.low, IBM.close, IBM.volume)
    simulated = [[trade.trade.price for trade in DENSE.trades([day])] for day in (IBM, other, later)]
    assert simulated[0] != simulated[1]
    assert simulated[0] != simulated[2]


def test_the_first_and_last_trade_of_a_day_are_at_the_start_and_end_of_the_session() -> None:
    trades = list(DENSE.trades([IBM]))
    assert (trades[0].timestamp, trades[-1].timestamp) == session(IBM.date)


def test_the_trades_of_a_share_do_not_depend_on_those_of_other_shares() -> None:
    alone = list(DENSE.trades([IBM]))
    other = [trade for trade in DENSE.trades([AAPL, IBM]) if trade.ticker == "IBM"]
    assert alone == other


@pytest.mark.parametrize(
    ("day", "opens"),
    [(date(2012, 5, 18), "13:30"), (date(2012, 1, 18), "14:30")],
    ids=["daylight saving time", "standard time"],
)
def test_a_session_lasts_from_9_30_to_16_00_in_new_york(day: date, opens: str) -> None:
    start, end = session(day)
    assert datetime.fromtimestamp(start / 1000, UTC).isoformat(timespec="minutes")[:16] == f"{day}T{opens}"
    assert end - start == timedelta(hours=6, minutes=30) / timedelta(milliseconds=1)
