from collections import Counter

import pytest

from eddyline.application.samples.simulation.events import START_MS
from tests.samples.events import gaps
from tests.samples.simulated import simulate


def test_views_of_products_last_up_to_a_minute_and_are_up_to_200_ms_apart() -> None:
    views = simulate("product-counter", views=10_000, withdrawn=0.0)
    assert len(views) == 10_000
    assert views[0].timestamp == START_MS
    assert set(gaps(views)) == set(range(201))
    assert {view.value["seconds"] for view in views} == set(range(1, 61))


def test_the_first_product_is_twice_as_popular_as_the_second() -> None:
    views = Counter(view.key for view in simulate("product-counter", views=10_000))
    assert views.keys() == {f"product-{number:02}" for number in range(1, 21)}
    assert views["product-01"] / views["product-02"] == pytest.approx(2, rel=0.1)


@pytest.mark.parametrize("withdrawn", [0.0, 0.1, 1.0])
def test_a_withdrawn_product_has_a_record_without_a_value(withdrawn: float) -> None:
    views = simulate("product-counter", views=5_000, withdrawn=withdrawn)
    assert sum(view.value is None for view in views) / len(views) == pytest.approx(withdrawn, abs=0.02)
