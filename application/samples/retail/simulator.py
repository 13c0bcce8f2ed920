"""What shops sell and restock, and what the database of their customers tells of its changes."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Annotated

from eddyline.application.samples.simulation.events import (
    MINUTE,
    SECOND,
    START_MS,
    Delay,
    OutOfOrder,
    Seed,
    SimulatedEvent,
    Start,
    Timeline,
    check_at_least,
    check_fraction,
    happens,
    names,
    random_numbers,
)
from eddyline.domain.retail import ChangeSource, Customer, CustomerChange, Item, Purchase

_NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gül", "Hana", "Ivo", "Jun")
_CITIES = ("Bergen", "Graz", "Lyon", "Oslo", "Porto", "Rome", "Turku")
_ITEMS = ("lamp", "rug", "chair", "kettle", "clock", "mirror")
_REREAD = 5


def simulate_cdc_table(
    *,
    seed: Seed = 0,
    start_ms: Start = START_MS,
    customers: Annotated[int, "How many customers there are when reading begins."] = 50,
    steps: Annotated[int, "How many changes and purchases follow."] = 1_000,
    restarts: Annotated[float, "The part of steps at which reading starts again a few changes before, 0 to 1."] = 0.005,
) -> Iterator[SimulatedEvent]:
    """The table as it was found, then changes of it amid purchases; after a restart the last few changes come again.

    Some purchases are of customers who are not in the table any more. Raises SimulationError.
    """
    check_at_least("customers", customers, 1)
    check_at_least("steps", steps, 0)
    check_fraction("restarts", restarts)
    rng = random_numbers("cdc-table", seed)
    table = _Table(rng, Timeline(rng))
    for _ in range(customers):
        table.insert("r", start_ms)
    at = start_ms
    for number in range(steps):
        at += rng.randint(50, 10 * SECOND)
        if happens(rng, 0.7):
            purchase = Purchase(rng.choice(table.ever), rng.choice(_ITEMS), round(rng.uniform(5, 300), 2))
            table.timeline.add("purchases", f"p{number:06}", purchase, at)
        else:
            table.change(at)
        if happens(rng, restarts):
            table.restart(at)
    return table.timeline.events()


class _Table:
    """The table in the database, and what it has told."""

    def __init__(self, rng: Random, timeline: Timeline) -> None:
        self.timeline = timeline
        self.ever: list[str] = []
        self._rng = rng
        self._rows: dict[str, Customer] = {}
        self._told: list[tuple[str, CustomerChange | None]] = []
        self._lsn = 1_000

    def insert(self, op: str, at: int) -> None:
        """A new row, created (c) or found when reading began (r)."""
        customer = f"c{len(self.ever) + 1:04}"
        name = self._rng.choice(_NAMES)
        row = Customer(customer, name, f"{name.lower()}.{customer}@example.org", self._rng.choice(_CITIES))
        self.ever.append(customer)
        self._rows[customer] = row
        self._tell(customer, op, None, row, at)

    def change(self, at: int) -> None:
        """A change: mostly of a row that is there."""
        if happens(self._rng, 0.2) or not self._rows:
            self.insert("c", at)
            return
        customer = self._rng.choice(list(self._rows))
        before = self._rows[customer]
        if happens(self._rng, 0.15):
            del self._rows[customer]
            self._tell(customer, "d", before, None, at)
            self._send(customer, None, at)
        else:
            self._rows[customer] = after = replace(before, city=self._rng.choice(_CITIES))
            self._tell(customer, "u", before, after, at)

    def restart(self, at: int) -> None:
        """The last few records come again, as they were."""
        for customer, change in self._told[-_REREAD:]:
            self.timeline.add("customer-changes", customer, change, at)

    def _tell(self, customer: str, op: str, before: Customer | None, after: Customer | None, at: int) -> None:
        self._lsn += self._rng.randint(8, 400)
        self._send(customer, CustomerChange(op, ChangeSource(self._lsn), before, after, at), at)

    def _send(self, customer: str, change: CustomerChange | None, at: int) -> None:
        self._told.append((customer, change))
        self.timeline.add("customer-changes", customer, change, at)


_FIRST_STOCK = 50
_LOW = 10


def simulate_inventory(
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
    check_fraction("spoilt", spoilt)
    rng = random_numbers("inventory", seed)
    timeline = Timeline(rng, out_of_order, delay_ms)
    shops, things = names("store", stores), names("sku", skus)
    stock = {(shop, sku): _FIRST_STOCK for shop in shops for sku in things}
    for shop, sku in stock:
        timeline.add_delayed("items", shop, Item(shop, sku, _FIRST_STOCK, "RESTOCK"), start_ms, 0)
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
