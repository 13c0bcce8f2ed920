"""The flow daily-range computes the real highs and lows from simulated trades."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.adapters.market.daily_prices import daily_prices
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.samples.trading.simulator import Simulation
from eddyline.application.topology.types import Emit
from eddyline.domain.trading import Price, common_days
from eddyline.testing import MemoryEngine
from tests.fixtures.examples import examples

REAL_DAYS = common_days(daily_prices(), start=date(2012, 6, 1), days=4)


@pytest.mark.parametrize("emit", ["every-update", "latest"])
@given(seed=st.integers(0, 2**32), trades_per_day=st.integers(4, 60), out_of_order=st.floats(0, 0.2), late=st.floats(0, 0.2))
@settings(max_examples=examples(20))
def test_the_daily_range_of_simulated_trades_is_the_real_high_and_low(
    emit: Emit, seed: int, trades_per_day: int, out_of_order: float, late: float
) -> None:
    simulation = Simulation(seed=seed, trades_per_day=trades_per_day, out_of_order=out_of_order, late=late)
    engine = MemoryEngine(find_flow("daily-range").topology(zone="America/New_York"), emit=emit)
    engine.pipe_all(("prices", trade.ticker, Price(trade.trade.price), trade.timestamp) for trade in simulation.trades(REAL_DAYS))
    last = {output.key: output.value for output in engine.outputs("daily-ranges")}
    ranges = sorted((key.key, key.window.start, summary.min, summary.max, summary.count) for key, summary in last.items())
    assert [(ticker, low, high, count) for ticker, _, low, high, count in ranges] == [
        (price.ticker, price.low, price.high, trades_per_day)
        for price in sorted(REAL_DAYS, key=lambda day: (day.ticker, day.date))
    ]
    assert not engine.drops
