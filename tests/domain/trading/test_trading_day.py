from functools import reduce
from zoneinfo import ZoneInfoNotFoundError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.trading import DayOpenClose, Mover, Price, date_of

prices = st.lists(st.floats(0.25, 1000).map(Price))


def day_of(some: list[Price]) -> DayOpenClose:
    return reduce(DayOpenClose.add, some, DayOpenClose())


@given(prices)
def test_a_day_opens_with_the_first_price_to_arrive_and_closes_with_the_last(some: list[Price]) -> None:
    expected = DayOpenClose(some[0].price, some[-1].price) if some else DayOpenClose()
    assert day_of(some) == expected


@given(prices, prices, prices)
def test_merging_the_parts_of_a_day_gives_the_day(some: list[Price], more: list[Price], most: list[Price]) -> None:
    parts = [day_of(run) for run in (some, more, most)]
    together = day_of(some + more + most)
    assert parts[0].merge(parts[1]).merge(parts[2]) == together == parts[0].merge(parts[1].merge(parts[2]))
    assert together.merge(DayOpenClose()) == together == DayOpenClose().merge(together)


def test_the_move_of_a_day_is_from_its_open_to_its_close() -> None:
    assert day_of([Price(10.0), Price(50.0), Price(12.0)]).mover("A") == Mover("A", 10.0, 12.0, 20.0)


def test_a_day_without_prices_has_no_move() -> None:
    assert DayOpenClose().mover("A") == Mover("A", 0.0, 0.0, 0.0)


def test_dates_are_in_utc_by_default() -> None:
    assert (date_of(1704153600000 - 1), date_of(1704153600000)) == ("2024-01-01", "2024-01-02")


@pytest.mark.parametrize(
    ("timestamp", "zone", "date"),
    [
        (0, "UTC", "1970-01-01"),
        (1704153600000, "UTC", "2024-01-02"),
        (1704153599999, "UTC", "2024-01-01"),
        (1711839600000, "Europe/Berlin", "2024-03-31"),
        (1711922399999, "Europe/Berlin", "2024-03-31"),
        (1711922400000, "Europe/Berlin", "2024-04-01"),
        (-1, "UTC", "1969-12-31"),
    ],
)
def test_a_date_is_that_of_the_time_zone(timestamp: int, zone: str, date: str) -> None:
    assert date_of(timestamp, zone) == date


def test_the_error_names_an_unknown_time_zone() -> None:
    with pytest.raises(ZoneInfoNotFoundError, match="Mars/Olympus"):
        date_of(0, "Mars/Olympus")
