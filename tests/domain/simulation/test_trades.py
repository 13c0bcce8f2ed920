from datetime import UTC, date, datetime, timedelta
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.market import DailyPrice
from domain.simulation import SimulatedTrade, Simulation, SimulationError, session

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


def behind(trades: list[SimulatedTrade]) -> list[int]:
    """By how much the event time of each trade that is out of order lies behind the greatest one before it."""
    found, newest = [], 0
    for trade in trades:
        if trade.timestamp < newest:
            found.append(newest - trade.timestamp)
        newest = max(newest, trade.timestamp)
    return found


@given(days(), seeds, st.integers(4, 300), st.floats(0, 0.2), st.floats(0, 0.2))
def test_first_highest_lowest_and_last_trade_of_a_day_are_the_real_ones(
    day: DailyPrice, seed: int, count: int, out_of_order: float, late: float
) -> None:
    simulation = Simulation(seed=seed, trades_per_day=count, out_of_order=out_of_order, late=late, late_ms=3_600_000)
    arrived = list(simulation.trades([day]))
    for trades in (arrived, sorted(arrived, key=lambda trade: trade.timestamp)):
        prices = [trade.trade.price for trade in trades]
        assert (prices[0], max(prices), min(prices), prices[-1]) == (day.open, day.high, day.low, day.close)


@given(days(), seeds, st.integers(4, 300), st.floats(0, 0.2), st.floats(0, 0.2))
def test_there_are_as_many_trades_as_asked_for_all_within_the_session(
    day: DailyPrice, seed: int, count: int, out_of_order: float, late: float
) -> None:
    trades = list(Simulation(seed=seed, trades_per_day=count, out_of_order=out_of_order, late=late).trades([day]))
    start, end = session(day.date)
    assert len(trades) == count
    assert all(start <= trade.timestamp <= end for trade in trades)
    assert all(trade.ticker == trade.trade.ticker == "IBM" and trade.trade.size > 0 for trade in trades)


@given(days(), seeds)
@settings(max_examples=20)
def test_a_grace_as_long_as_the_greatest_delay_covers_every_trade(day: DailyPrice, seed: int) -> None:
    simulation = Simulation(seed=seed, trades_per_day=500, out_of_order=0.1, late=0.1, out_of_order_ms=90_000, late_ms=900_000)
    assert max(behind(list(simulation.trades([day])))) <= 900_000


@given(seeds)
@settings(max_examples=20)
def test_the_parts_out_of_order_and_late_are_those_asked_for(seed: int) -> None:
    simulation = Simulation(seed=seed, trades_per_day=2000, out_of_order=0.05, late=0.02, out_of_order_ms=60_000, late_ms=600_000)
    trades = list(simulation.trades([IBM]))
    lags = behind(trades)
    assert len(lags) == 0.05 * 2000 + 0.02 * 2000
    assert sum(lag > 60_000 for lag in lags) <= 0.02 * 2000


def test_late_trades_are_later_than_the_grace_for_trades_out_of_order_covers() -> None:
    assert any(lag > DENSE.out_of_order_ms for lag in behind(list(DENSE.trades([IBM]))))


@given(seeds)
@settings(max_examples=20)
def test_highest_and_lowest_trade_of_a_day_arrive_in_time_whatever_is_late(seed: int) -> None:
    simulation = Simulation(seed=seed, trades_per_day=500, out_of_order=0.1, late=0.3, out_of_order_ms=90_000, late_ms=9_000_000)
    newest, in_time = 0, set()
    for trade in simulation.trades([IBM, AAPL]):
        if trade.timestamp >= newest:
            newest = trade.timestamp
            in_time.add(trade.trade.price)
    assert in_time >= {IBM.high, IBM.low, AAPL.high, AAPL.low}


@given(seeds)
@settings(max_examples=20)
def test_without_disorder_trades_arrive_by_event_time(seed: int) -> None:
    trades = list(Simulation(seed=seed, trades_per_day=200).trades([IBM, AAPL]))
    assert not behind(trades)
    assert {trade.ticker for trade in trades} == {"AAPL", "IBM"}


def test_days_are_played_one_after_the_other_whatever_order_they_are_given_in() -> None:
    later = DailyPrice("IBM", date(2012, 5, 21), 195.5, 198.09, 195.1, 197.76, 5143600)
    trades = list(DENSE.trades([later, AAPL, IBM]))
    played = [day for day, _ in groupby(datetime.fromtimestamp(trade.timestamp / 1000, UTC).date() for trade in trades)]
    assert played == [date(2012, 5, 18), date(2012, 5, 21)]
    assert len(trades) == 3 * 2000


def test_the_same_seed_gives_the_same_trades_and_another_seed_others() -> None:
    assert list(DENSE.trades([IBM])) == list(DENSE.trades([IBM]))
    other = Simulation(seed=2, trades_per_day=2000)
    assert list(other.trades([IBM])) != list(Simulation(seed=1, trades_per_day=2000).trades([IBM]))


def test_shares_and_days_with_equal_prices_are_played_differently() -> None:
    beside = DailyPrice("MSFT", IBM.date, IBM.open, IBM.high, IBM.low, IBM.close, IBM.volume)
    later = DailyPrice("IBM", date(2012, 5, 21), IBM.open, IBM.high, IBM.low, IBM.close, IBM.volume)
    played = [[trade.trade.price for trade in DENSE.trades([day])] for day in (IBM, beside, later)]
    assert played[0] != played[1]
    assert played[0] != played[2]


def test_a_day_begins_with_its_session_and_ends_with_it() -> None:
    trades = list(DENSE.trades([IBM]))
    assert (trades[0].timestamp, trades[-1].timestamp) == session(IBM.date)


def test_what_a_share_does_does_not_depend_on_what_is_played_beside_it() -> None:
    alone = list(DENSE.trades([IBM]))
    beside = [trade for trade in DENSE.trades([AAPL, IBM]) if trade.ticker == "IBM"]
    assert alone == beside


@pytest.mark.parametrize(
    ("day", "opens"),
    [(date(2012, 5, 18), "13:30"), (date(2012, 1, 18), "14:30")],
    ids=["daylight saving time", "standard time"],
)
def test_a_session_lasts_from_half_past_nine_to_four_in_new_york(day: date, opens: str) -> None:
    start, end = session(day)
    assert datetime.fromtimestamp(start / 1000, UTC).isoformat(timespec="minutes")[:16] == f"{day}T{opens}"
    assert end - start == timedelta(hours=6, minutes=30) / timedelta(milliseconds=1)


@pytest.mark.parametrize(
    ("simulation", "message"),
    [
        (Simulation(trades_per_day=3), "trades_per_day is 3; open, high, low and close need at least 4"),
        (Simulation(out_of_order=-0.1), "out_of_order is -0.1; it is a part of the trades: give a number from 0 to 0.4"),
        (Simulation(late=-1), "late is -1; it is a part of the trades: give a number from 0 to 0.4"),
        (
            Simulation(out_of_order=0.3, late=0.2),
            "out_of_order and late are 0.3 and 0.2, together more than 0.4; one is out of order only beside others: delay fewer",
        ),
        (
            Simulation(out_of_order_ms=60_000),
            "out_of_order_ms is 60000 and late_ms 60000; choose the former above 0 and below the latter",
        ),
    ],
    ids=["trades_per_day", "out_of_order", "late", "both", "delays"],
)
def test_a_setting_that_cannot_be_followed_is_named_with_what_is_allowed(simulation: Simulation, message: str) -> None:
    with pytest.raises(SimulationError) as error:
        list(simulation.trades([IBM]))
    assert str(error.value) == message
