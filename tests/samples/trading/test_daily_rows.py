from datetime import date

from eddyline.application.samples.simulation import SimulatedEvent
from eddyline.application.samples.trading.simulator import daily_rows, session
from eddyline.domain.trading import DailyPrice


def price(ticker: str, day: date, opened: float, closed: float) -> DailyPrice:
    return DailyPrice(ticker, day, opened, max(opened, closed), min(opened, closed), closed, 100)


def test_the_row_of_a_share_is_sent_at_the_close_of_each_day_ordered_by_day_and_share() -> None:
    friday, monday = date(2012, 5, 18), date(2012, 5, 21)
    prices = [price("MSFT", monday, 3.0, 4.0), price("MSFT", friday, 2.0, 3.0), price("IBM", monday, 9.0, 8.0)]
    assert list(daily_rows(prices)) == [
        SimulatedEvent("daily-prices", "MSFT", {"open": 2.0, "close": 3.0, "date": "2012-05-18"}, session(friday)[1]),
        SimulatedEvent("daily-prices", "IBM", {"open": 9.0, "close": 8.0, "date": "2012-05-21"}, session(monday)[1]),
        SimulatedEvent("daily-prices", "MSFT", {"open": 3.0, "close": 4.0, "date": "2012-05-21"}, session(monday)[1]),
    ]
