from collections import Counter, defaultdict
from typing import Any

from eddyline.application.samples.retail.debezium import CustomerChange
from eddyline.domain.retail import Customer, Inventory, Purchase
from tests.samples.simulated import SEEDS, last_values, run, simulate


@SEEDS
def test_the_inventory_is_the_sum_of_all_items_and_may_be_negative(seed: int) -> None:
    inventories: dict[Any, Inventory] = defaultdict(Inventory)
    lowest = 0
    for event in (events := simulate("inventory", seed=seed, out_of_order=0.05)):
        inventories[event.key] = inventories[event.key].apply(event.value)
        lowest = min(lowest, *inventories[event.key].stock.values())
    published = last_values(run("inventory", events, partitions=3), "store-inventory")
    assert published == {store: inventory.of_store(store) for store, inventory in inventories.items()}
    assert lowest < 0


@SEEDS
def test_purchases_are_joined_with_the_current_row_of_the_customer(seed: int) -> None:
    rows: dict[str | None, tuple[int, Customer | None]] = {}
    expected = []
    for event in (events := simulate("cdc-table", seed=seed, restarts=0.05)):
        if isinstance(event.value, CustomerChange):
            rows[event.key] = max(
                rows.get(event.key, (-1, None)), (event.value.source.lsn, event.value.after), key=lambda row: row[0]
            )
        elif isinstance(event.value, Purchase):
            _, customer = rows.get(event.value.customer, (-1, None))
            expected.append((event.value.customer, customer and customer.name, customer and customer.city))
    engine = run("cdc-table", events)
    purchases = [(output.key, output.value.name, output.value.city) for output in engine.outputs("customer-purchases")]
    assert purchases == expected
    assert any(name is None for _, name, _ in purchases)
    assert not engine.outputs("rejected-changes")


@SEEDS
def test_views_of_products_are_counted_and_counts_of_withdrawn_products_deleted(seed: int) -> None:
    counts: Counter[str | None] = Counter()
    for event in (events := simulate("product-counter", seed=seed)):
        counts[event.key] = 0 if event.value is None else counts[event.key] + 1
    stored = {row.key: row.value.count for row in run("product-counter", events).store("Counts")}
    assert stored == +counts
