import subprocess
import sys
from datetime import date

import pytest

from eddyline.adapters.market.daily_prices import TICKERS, NoMarketDataError, UnknownTickerError, daily_prices
from eddyline.application.samples.trading.simulator import Simulation
from eddyline.domain.trading import DailyPrice, common_days


def test_five_companies_have_prices_from_2000_to_2013() -> None:
    prices = daily_prices()
    assert {ticker: sum(price.ticker == ticker for price in prices) for ticker in TICKERS} == {
        "AAPL": 3270,
        "FB": 196,
        "GOOG": 2148,
        "IBM": 3270,
        "MSFT": 3270,
    }
    assert prices[0] == DailyPrice("AAPL", date(2000, 3, 1), 118.56, 132.06, 118.5, 130.31, 9616100)
    assert {max(price.date for price in prices if price.ticker == ticker) for ticker in TICKERS} == {date(2013, 3, 1)}


def test_the_days_of_a_company_are_unique_and_in_order() -> None:
    for ticker in TICKERS:
        days = [price.date for price in daily_prices([ticker])]
        assert days == sorted(set(days))


def test_open_and_close_are_between_low_and_high() -> None:
    assert all(
        price.low <= min(price.open, price.close) <= max(price.open, price.close) <= price.high for price in daily_prices()
    )


def test_companies_are_returned_once_each_in_the_requested_order() -> None:
    assert list(dict.fromkeys(price.ticker for price in daily_prices(["MSFT", "FB", "MSFT"]))) == ["MSFT", "FB"]
    assert len(daily_prices(["FB", "FB"])) == 196


def test_the_error_for_an_unknown_company_names_the_choices() -> None:
    with pytest.raises(UnknownTickerError) as error:
        daily_prices(["IBM", "ACME"])
    assert str(error.value) == "unknown ticker 'ACME'; choose one of: AAPL, FB, GOOG, IBM, MSFT"


def test_the_error_for_missing_data_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bokeh_sampledata", None)
    with pytest.raises(NoMarketDataError, match=r"pip install 'eddyline\[simulate\]'"):
        daily_prices()


def test_reading_prices_does_not_import_pandas() -> None:
    script = (
        "import sys; from eddyline.adapters.market.daily_prices import daily_prices; "
        "daily_prices(); print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_simulated_trades_of_the_first_four_days_of_all_companies_have_the_real_prices() -> None:
    days = common_days(daily_prices(), days=4)
    trades = list(Simulation(seed=7, trades_per_day=500, out_of_order=0.05, late=0.01).trades(days))
    assert len(trades) == 4 * 5 * 500
    assert days[0].date == date(2012, 5, 18)
    for at, day in enumerate(days):
        of_date = trades[at // 5 * 2500 : (at // 5 + 1) * 2500]
        simulated = [trade.trade.price for trade in of_date if trade.ticker == day.ticker]
        assert (simulated[0], max(simulated), min(simulated), simulated[-1]) == (day.open, day.high, day.low, day.close)
