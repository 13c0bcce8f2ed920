from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.retail import ProductOrders, ProductsOfTheWeek, WeekOfOrders, week_of

orders = st.lists(st.builds(ProductOrders, st.sampled_from("abc"), st.integers(1, 9)))


@pytest.mark.parametrize(
    ("at", "zone", "week"),
    [
        (datetime(2026, 1, 4, 23, 59, tzinfo=UTC), "UTC", "2026-W01"),
        (datetime(2026, 1, 5, tzinfo=UTC), "UTC", "2026-W02"),
        (datetime(2026, 1, 4, 23, 0, tzinfo=UTC), "Europe/Berlin", "2026-W02"),
        (datetime(2027, 1, 1, tzinfo=UTC), "UTC", "2026-W53"),
    ],
)
def test_a_week_is_from_monday_to_sunday_in_its_zone(at: datetime, zone: str, week: str) -> None:
    assert week_of(int(at.timestamp()) * 1_000, zone) == week


@given(orders, orders)
def test_what_is_subtracted_was_never_there(kept: list[ProductOrders], replaced: list[ProductOrders]) -> None:
    expected, week = WeekOfOrders(), WeekOfOrders()
    for each in replaced:
        week = week.add(each)
    for each in kept:
        expected, week = expected.add(each), week.add(each)
    for each in replaced:
        week = week.subtract(each)
    assert week == expected


def test_equally_good_products_are_in_the_order_of_their_names() -> None:
    week = WeekOfOrders({"tea": 2, "salt": 5, "rice": 2})
    assert week.best("w", 2) == ProductsOfTheWeek("w", 9, (ProductOrders("salt", 5), ProductOrders("rice", 2)))
