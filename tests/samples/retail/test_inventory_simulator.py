from collections import Counter

import pytest

from eddyline.application.samples.simulation.events import MINUTE, START_MS
from tests.samples.events import gaps
from tests.samples.simulated import simulate

SALES = 5_000


def test_every_store_starts_with_fifty_pieces_of_every_sku() -> None:
    events = simulate("inventory", stores=3, skus=4, out_of_order=0.9)[:12]
    assert {(event.key, event.value.sku) for event in events} == {
        (f"store-{store}", f"sku-{sku}") for store in range(1, 4) for sku in range(1, 5)
    }
    assert {(event.timestamp, event.value.quantity, event.value.type) for event in events} == {(START_MS, 50, "RESTOCK")}


def test_the_key_of_an_item_is_its_store() -> None:
    assert all(event.key == event.value.store_name for event in simulate("inventory"))


@pytest.mark.parametrize("spoilt", [0.0, 0.2, 1.0])
def test_the_fraction_of_spoilt_sales_is_the_configured_one(spoilt: float) -> None:
    types = Counter(event.value.type for event in simulate("inventory", sales=SALES, spoilt=spoilt))
    assert types["SALE"] + types["RETURN"] == SALES
    assert types["RETURN"] / SALES == pytest.approx(spoilt, abs=0.02)


def test_a_sale_is_of_one_to_eight_pieces_and_up_to_five_seconds_after_the_previous_one() -> None:
    sales = [event for event in simulate("inventory", sales=20_000, spoilt=0.0) if event.value.type == "SALE"]
    assert {event.value.quantity for event in sales} == set(range(1, 9))
    assert (min(gaps(sales)), max(gaps(sales))) == (100, 5_000)
    assert sales[0].timestamp > START_MS


def test_a_sku_with_fewer_than_ten_pieces_is_restocked_with_twenty_to_sixty() -> None:
    events = simulate("inventory", sales=20_000, spoilt=0.0)
    stock = Counter[tuple[str | None, str | None]]()
    for event in events:
        stock[event.key, event.value.sku] += event.value.change
    restocks = [event for event in events if event.value.type == "RESTOCK" and event.timestamp > START_MS]
    assert {event.value.quantity for event in restocks} == set(range(20, 61))
    assert min(stock.values()) >= 10
    assert max(stock.values()) <= 9 + 60


def test_a_sku_is_restocked_within_an_hour_of_the_sale_that_made_it_run_low() -> None:
    waits = []
    for seed in range(200):
        events = simulate("inventory", seed=seed, stores=1, skus=1, sales=12, spoilt=0.0)
        left, restocks = 50, [event.timestamp for event in events[1:] if event.value.type == "RESTOCK"]
        for sale in (event for event in events if event.value.type == "SALE"):
            left -= sale.value.quantity
            if left < 10:
                waits.append(restocks[0] - sale.timestamp)
                break
        else:
            assert not restocks
    assert len(waits) > 150
    assert 0 < min(waits) < 2 * MINUTE
    assert 58 * MINUTE < max(waits) <= 60 * MINUTE
