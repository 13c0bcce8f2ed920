from datetime import date

import pytest

from eddyline.domain.trading import DailyPrice, NoSuchDayError, common_days


def priced(ticker: str, *days: int) -> list[DailyPrice]:
    return [DailyPrice(ticker, date(2012, 5, day), 1.0, 2.0, 0.5, 1.5, 100) for day in days]


def chosen(prices: list[DailyPrice]) -> list[tuple[int, str]]:
    return [(price.date.day, price.ticker) for price in prices]


PRICES = [*priced("IBM", 1, 2, 3, 4), *priced("FB", 4, 2, 3)]


def test_only_days_on_which_every_share_has_a_price_are_kept_by_date_and_ticker() -> None:
    assert chosen(common_days(PRICES)) == [(2, "FB"), (2, "IBM"), (3, "FB"), (3, "IBM"), (4, "FB"), (4, "IBM")]


def test_days_are_counted_from_the_start() -> None:
    assert chosen(common_days(PRICES, start=date(2012, 5, 3), days=1)) == [(3, "FB"), (3, "IBM")]


def test_too_few_days_are_an_error_that_names_what_there_is() -> None:
    with pytest.raises(NoSuchDayError) as error:
        common_days(PRICES, start=date(2012, 5, 3), days=5)
    assert str(error.value) == (
        "2 of the 5 days asked for have a price of every share (FB, IBM) from 2012-05-03 on;"
        " there are 3, 2012-05-02 to 2012-05-04: ask for fewer days or start earlier"
    )


def test_shares_without_a_common_day_are_an_error_that_names_them() -> None:
    with pytest.raises(NoSuchDayError, match="no day on which all have a price: FB, IBM; ask for fewer shares"):
        common_days([*priced("IBM", 1), *priced("FB", 2)])


def test_one_common_day_is_enough_when_no_number_of_days_is_asked_for() -> None:
    assert chosen(common_days(PRICES, start=date(2012, 5, 4))) == [(4, "FB"), (4, "IBM")]


@pytest.mark.parametrize(
    ("start", "days", "message"),
    [
        (None, 4, "3 of the 4 days asked for have a price of every share (FB, IBM); there are 3, 2012-05-02 to 2012-05-04:"),
        (
            date(2012, 5, 5),
            None,
            "0 of the 1 days asked for have a price of every share (FB, IBM) from 2012-05-05 on; there are 3,",
        ),
    ],
    ids=["no start", "no number"],
)
def test_an_error_names_what_was_asked_for_and_nothing_else(start: date | None, days: int | None, message: str) -> None:
    with pytest.raises(NoSuchDayError) as error:
        common_days(PRICES, start=start, days=days)
    assert str(error.value).startswith(message)


def test_prices_of_no_share_are_an_error_that_says_so() -> None:
    with pytest.raises(NoSuchDayError, match="on which all have a price: no share; ask"):
        common_days([])
