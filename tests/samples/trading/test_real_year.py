"""On Spark, flows compute the real high, low and gain of every day from the simulated trades of a year."""

import json
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.market.daily_prices import daily_prices
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.samples.trading.simulator import Simulation
from eddyline.domain.trading import Price
from tests.adapters.spark.running import Workspace, updates

pytestmark = pytest.mark.spark

YEAR = 2012
"""The only year with prices of all five companies; the last of them has prices from 18 May on."""
ZONE = "America/New_York"
TRADES_PER_DAY = 6


@pytest.fixture(scope="module")
def year() -> pd.DataFrame:
    """Return the rows of the year from the file of bokeh_sampledata: ticker, date, open, high, low, close."""
    with as_file(files("bokeh_sampledata") / "_data" / "stocks.csv.gz") as file:
        rows = pd.read_csv(file, parse_dates=["Date"]).rename(columns=str.lower)
    of_year: pd.DataFrame = rows[rows["date"].dt.year == YEAR]
    return of_year


def simulated(topic: str) -> Iterator[SinkRecord]:
    """Return the trades of the year as prices, a fifth of them out of order."""
    encode = JsonCodecs().for_value(topic, Price).encode
    days = [price for price in daily_prices() if price.date.year == YEAR]
    for trade in Simulation(trades_per_day=TRADES_PER_DAY, out_of_order=0.2, out_of_order_ms=7_000_000, late_ms=8_000_000).trades(
        days
    ):
        yield SinkRecord(topic, trade.ticker.encode(), encode(Price(trade.trade.price)), trade.timestamp)


def last_updates(tmp_path: Path, spark: SparkSession, flow: str, source: str, sink: str, **settings: Any) -> dict[str, Any]:
    """Run the flow in several batches and return the last value of each key."""
    workspace = Workspace(tmp_path)
    workspace.append(source, 3, simulated(source))
    report = workspace.engine(find_flow(flow).topology(zone=ZONE, **settings), spark, max_batch_records=4_000).run_available_now()
    assert not report.drops
    assert not report.dead_letters
    return {(key or b"").decode(): values[-1][1] for key, values in updates(workspace.records(sink)).items()}


def test_the_range_of_every_day_is_the_real_high_and_low(tmp_path: Path, spark: SparkSession, year: pd.DataFrame) -> None:
    found = last_updates(tmp_path, spark, "daily-range", "prices", "daily-ranges")
    midnights = year["date"].dt.tz_localize(ZONE).map(lambda midnight: int(midnight.timestamp() * 1_000))
    assert len(year) > 1_000
    days = {(key["key"], key["window"]["start"]): day for key, day in ((json.loads(key), day) for key, day in found.items())}
    assert {key: (day["min"], day["max"], day["count"]) for key, day in days.items()} == {
        (ticker, midnight): (low, high, TRADES_PER_DAY)
        for ticker, midnight, low, high in zip(year["ticker"], midnights, year["low"], year["high"], strict=True)
    }


@pytest.mark.slow
def test_the_movers_of_every_day_have_the_real_gain_and_are_ordered_by_it(
    tmp_path: Path, spark: SparkSession, year: pd.DataFrame
) -> None:
    found = last_updates(tmp_path, spark, "top-movers", "daily-prices", "top-movers", kind="ticks")
    gains = year.assign(gain=(year["close"] - year["open"]) / year["open"] * 100, date=year["date"].dt.strftime("%Y-%m-%d"))
    gains = gains.assign(move=gains["gain"].abs()).sort_values(["date", "move", "ticker"], ascending=[True, False, True])
    expected: dict[str, list[tuple[str, float]]] = {}
    for date, ticker, gain in zip(gains["date"], gains["ticker"], gains["gain"], strict=True):
        expected.setdefault(date, []).append((ticker, gain))
    assert len(expected) == 250
    assert {date: [(share["symbol"], share["changePercent"]) for share in shares] for date, shares in found.items()} == expected
