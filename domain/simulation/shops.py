"""What shops do: they restock and sell."""

from collections.abc import Iterator
from typing import Annotated

from eddyline.domain.inventory import Item
from eddyline.domain.simulation.events import (
    MINUTE,
    START_MS,
    Delay,
    OutOfOrder,
    Seed,
    SimulatedEvent,
    Start,
    Timeline,
    check_at_least,
    check_part,
    dice,
    happens,
    names,
)

_FIRST_STOCK = 50
_LOW = 10


def inventory(
    *,
    seed: Seed = 0,
    start_ms: Start = START_MS,
    stores: Annotated[int, "How many stores there are."] = 4,
    skus: Annotated[int, "How many kinds of things each of them sells."] = 10,
    sales: Annotated[int, "How many sales there are in all."] = 1_000,
    spoilt: Annotated[float, "The part of records with another type than a sale's, 0 to 1."] = 0.01,
    out_of_order: OutOfOrder = 0.0,
    delay_ms: Delay = MINUTE,
) -> Iterator[SimulatedEvent]:
    """Every store is stocked, sells, and restocks what runs low, now and then too late. Raises SimulationError."""
    check_at_least("stores", stores, 1)
    check_at_least("skus", skus, 1)
    check_at_least("sales", sales, 0)
    check_part("spoilt", spoilt)
    rng = dice("inventory", seed)
    timeline = Timeline(rng, out_of_order, delay_ms)
    shops, things = names("store", stores), names("sku", skus)
    stock = {(shop, sku): _FIRST_STOCK for shop in shops for sku in things}
    for shop, sku in stock:
        timeline.add_late("items", shop, Item(shop, sku, _FIRST_STOCK, "RESTOCK"), start_ms, 0)
    at = start_ms
    for _ in range(sales):
        at += rng.randint(100, 5_000)
        shop, sku, quantity = rng.choice(shops), rng.choice(things), rng.randint(1, 8)
        kind = "RETURN" if happens(rng, spoilt) else "SALE"
        timeline.add("items", shop, Item(shop, sku, quantity, kind), at)
        if kind == "SALE":
            stock[shop, sku] -= quantity
        if stock[shop, sku] < _LOW:
            more = rng.randint(20, 60)
            timeline.add("items", shop, Item(shop, sku, more, "RESTOCK"), at + rng.randint(1, 60 * MINUTE))
            stock[shop, sku] += more
    return timeline.events()
