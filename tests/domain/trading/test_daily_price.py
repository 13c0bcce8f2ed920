from datetime import date

import pytest

from eddyline.domain.trading import DailyPrice, NoSuchDayError, common_days


def prices_of(ticker: str, *days: int) -> list[DailyPrice]:
    return [DailyPrice(ticker, date(2012, 5, day), 1.0, 2.0, 0.5, 1.5, 100) for day in days]


def days_and_tickers(prices: list[DailyPrice]) -> list[tuple[int, str]]:
    return [(price.date.day, price.ticker) for price in prices]


PRICES = [*prices_of("IBM", 1, 2, 3, 4), *prices_of("FB", 4, 2, 3)]


def test_only_days_on_which_every_share_has_a_price_are_selected_by_date_and_ticker() -> None:
    assert days_and_tickers(common_days(PRICES)) == [(2, "FB"), (2, "IBM"), (3, "FB"), (3, "IBM"), (4, "FB"), (4, "IBM")]


def test_days_are_counted_from_the_start() -> None:
    assert days_and_tickers(common_days(PRICES, start=date(2012, 5, 3), days=1)) == [(3, "FB"), (3, "IBM")]


def test_the_error_for_too_few_days_names_those_that_exist() -> None:
    with pytest.raises(NoSuchDayError) as error:
        common_days(PRICES, start=date(2012, 5, 3), days=5)
    assert str(error.value) == (
        "only 2 of 5 requested days have a price of every share (FB, IBM) from 2012-05-03 on;"
        " there are 3 from 2012-05-02 to 2012-05-04: request fewer days or an earlier start"
    )


def test_the_error_for_shares_without_a_common_day_names_the_shares() -> None:
    with pytest.raises(NoSuchDayError, match=r"no day on which every share has a price \(FB, IBM\); choose fewer shares"):
        common_days([*prices_of("IBM", 1), *prices_of("FB", 2)])


def test_one_common_day_is_enough_when_no_number_of_days_is_requested() -> None:
    assert days_and_tickers(common_days(PRICES, start=date(2012, 5, 4))) == [(4, "FB"), (4, "IBM")]


@pytest.mark.parametrize(
    ("start", "days", "message"),
    [
        (
            None,
            4,
            "only 3 of 4 requested days have a price of every share (FB, IBM); there are 3 from 2012-05-02 to 2012-05-04:",
        ),
        (
            date(2012, 5, 5),
            None,
            "only 0 of 1 requested days have a price of every share (FB, IBM) from 2012-05-05 on; there are 3 ",
        ),
    ],
    ids=["no start", "no number"],
)
def test_the_error_names_what_was_requested_and_nothing_else(start: date | None, days: int | None, message: str) -> None:
    with pytest.raises(NoSuchDayError) as error:
        common_days(PRICES, start=start, days=days)
    assert str(error.value).startswith(message)


def test_the_error_for_no_prices_at_all_says_so() -> None:
    with pytest.raises(NoSuchDayError, match=r"on which every share has a price \(no share\); choose"):
        common_days([])
