"""Simulated stores, which sell and restock, customers, whose database emits change events, and views and orders of products."""

from dataclasses import replace
from random import Random
from typing import Annotated

from eddyline.application.samples.retail import lenient as written
from eddyline.application.samples.retail.debezium import ChangeSource, CustomerChange
from eddyline.application.samples.simulation.events import (
    HOUR,
    MINUTE,
    SECOND,
    START_MS,
    Least,
    Timeline,
    happens,
    names,
    spread,
    weights_by_rank,
)
from eddyline.domain.retail import Customer, Item, Order, Purchase, ShoeTransaction

_NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gül", "Hana", "Ivo", "Jun")
_CITIES = ("Bergen", "Graz", "Lyon", "Oslo", "Porto", "Rome", "Turku")
_ITEMS = ("lamp", "rug", "chair", "kettle", "clock", "mirror")
_REPEATED = 5
"""How many records are sent again after a restart."""

_FIRST_STOCK = 50
_LOW = 10

_HYPE = 0.8
"""The fraction of orders that a product gets while everybody wants it."""


def simulate_cdc_table(
    timeline: Timeline,
    *,
    customers: Annotated[int, "Number of customers in the initial snapshot.", Least(1)] = 50,
    steps: Annotated[int, "Number of changes and purchases after the snapshot."] = 1_000,
    restarts: Annotated[float, "Fraction of steps at which the reader restarts and repeats changes, from 0 to 1."] = 0.005,
    spoilt: Annotated[float, "Fraction of steps, evenly spread, after which an invalid change is sent, from 0 to 1."] = 0.0,
) -> None:
    """Simulate a snapshot of the table, then changes of it and purchases; after a restart the last few changes are repeated.

    Some purchases are made by customers who are not in the table any more.
    """
    rng, start_ms = timeline.rng, timeline.start_ms
    table = _Table(rng, timeline, 1_000 + start_ms - START_MS)
    for _ in range(customers):
        table.insert("r", start_ms)
    at = start_ms
    for number in range(steps):
        at += rng.randint(50, 10 * SECOND)
        if happens(rng, 0.7):
            purchase = Purchase(rng.choice(table.ever_inserted), rng.choice(_ITEMS), round(rng.uniform(5, 300), 2))
            table.timeline.add("purchases", f"p{number:06}", purchase, at)
        else:
            table.change(at)
        if happens(rng, restarts):
            table.restart(at)
        if int((number + 1) * spoilt) > int(number * spoilt):
            table.send_invalid(at)


class _Table:
    """The table in the database, and the change events sent so far."""

    def __init__(self, rng: Random, timeline: Timeline, lsn: int) -> None:
        self.timeline = timeline
        self.ever_inserted: list[str] = []
        self._rng = rng
        self._rows: dict[str, Customer] = {}
        self._sent: list[tuple[str, CustomerChange | None]] = []
        self._lsn = lsn

    def insert(self, op: str, at: int) -> None:
        """Insert a row: a created one (`op` c), or one of the snapshot (`op` r)."""
        customer = f"c{len(self.ever_inserted) + 1:04}"
        name = self._rng.choice(_NAMES)
        row = Customer(customer, name, f"{name.lower()}.{customer}@example.org", self._rng.choice(_CITIES))
        self.ever_inserted.append(customer)
        self._rows[customer] = row
        self._emit(customer, op, None, row, at)

    def change(self, at: int) -> None:
        """Update or delete a random row, or insert one."""
        if happens(self._rng, 0.2) or not self._rows:
            self.insert("c", at)
            return
        customer = self._rng.choice(list(self._rows))
        before = self._rows[customer]
        if happens(self._rng, 0.15):
            del self._rows[customer]
            self._emit(customer, "d", before, None, at)
            self._send(customer, None, at)
        else:
            self._rows[customer] = after = replace(before, city=self._rng.choice(_CITIES))
            self._emit(customer, "u", before, after, at)

    def restart(self, at: int) -> None:
        """Send the last few records again."""
        for customer, change in self._sent[-_REPEATED:]:
            self.timeline.add("customer-changes", customer, change, at)

    def send_invalid(self, at: int) -> None:
        """Send a change of a customer that does not say what the row is after it."""
        self._emit(self._rng.choice(self.ever_inserted), "u", None, None, at)

    def _emit(self, customer: str, op: str, before: Customer | None, after: Customer | None, at: int) -> None:
        self._lsn += self._rng.randint(8, 400)
        self._send(customer, CustomerChange(op, ChangeSource(self._lsn), before, after, at), at)

    def _send(self, customer: str, change: CustomerChange | None, at: int) -> None:
        self._sent.append((customer, change))
        self.timeline.add("customer-changes", customer, change, at)


def simulate_inventory(
    timeline: Timeline,
    *,
    stores: Annotated[int, "Number of stores.", Least(1)] = 4,
    skus: Annotated[int, "Number of SKUs per store.", Least(1)] = 10,
    sales: Annotated[int, "Number of sales in all stores."] = 1_000,
    spoilt: Annotated[float, "Fraction of sales with an invalid type, from 0 to 1."] = 0.0,
) -> None:
    """Simulate stores that sell and restock their SKUs when they run low, sometimes too late."""
    rng, start_ms = timeline.rng, timeline.start_ms
    store_names, sku_names = names("store", stores), names("sku", skus)
    stock = {(store, sku): _FIRST_STOCK for store in store_names for sku in sku_names}
    for store, sku in stock:
        timeline.add_delayed("items", store, Item(store, sku, _FIRST_STOCK, "RESTOCK"), start_ms, 0)
    at = start_ms
    for _ in range(sales):
        at += rng.randint(100, 5_000)
        store, sku, quantity = rng.choice(store_names), rng.choice(sku_names), rng.randint(1, 8)
        if happens(rng, spoilt):
            timeline.add("items", store, written.Item(store, sku, quantity, "RETURN"), at)
        else:
            timeline.add("items", store, Item(store, sku, quantity, "SALE"), at)
            stock[store, sku] -= quantity
        if stock[store, sku] < _LOW:
            more = rng.randint(20, 60)
            timeline.add("items", store, Item(store, sku, more, "RESTOCK"), at + rng.randint(1, 60 * MINUTE))
            stock[store, sku] += more


def simulate_product_counter(
    timeline: Timeline,
    *,
    views: Annotated[int, "Number of product views."] = 2_000,
    products: Annotated[int, "Number of products.", Least(1)] = 20,
    withdrawn: Annotated[float, "Fraction of records that withdraw a product, from 0 to 1."] = 0.002,
) -> None:
    """Simulate views of products; sometimes a record without a value withdraws a product."""
    rng, start_ms = timeline.rng, timeline.start_ms
    weights, at = weights_by_rank(products), start_ms
    product_names = names("product", products)
    for _ in range(views):
        product = rng.choices(product_names, weights)[0]
        timeline.add("product-views", product, None if happens(rng, withdrawn) else {"seconds": rng.randint(1, 60)}, at)
        at += rng.randint(0, 200)


def simulate_shoe_store(
    timeline: Timeline,
    *,
    stores: Annotated[int, "Number of stores.", Least(1)] = 3,
    shoes: Annotated[int, "Number of shoes that each store sells.", Least(1)] = 6,
    sales: Annotated[int, "Number of sales in all stores."] = 1_000,
    returned: Annotated[float, "Fraction of sales that are returned within half an hour, from 0 to 1."] = 0.1,
    frauds: Annotated[float, "Fraction of sales after which somebody returns shoes that were never sold, from 0 to 1."] = 0.01,
) -> None:
    """Simulate shipments, sales and returns of shoes; a store orders more when it runs low, and gets them within 10 minutes."""
    rng, start_ms = timeline.rng, timeline.start_ms
    at, topic = start_ms, "shoe-transactions"
    prices = {shoe: rng.randint(30, 180) * 100 for shoe in names("shoe", shoes)}
    stock = {(store, shoe): _FIRST_STOCK for store in names("store", stores) for shoe in prices}
    for store, shoe in stock:
        timeline.add(topic, store, ShoeTransaction("SHIPMENT", shoe, _FIRST_STOCK, prices[shoe] // 2), start_ms)
    for _ in range(sales):
        at += rng.randint(100, 5_000)
        (store, shoe), pairs = rng.choice(list(stock)), rng.randint(1, 2)
        price = prices[shoe]
        timeline.add(topic, store, ShoeTransaction("SALE", shoe, pairs, price), at)
        stock[store, shoe] -= pairs
        if happens(rng, returned):
            timeline.add(topic, store, ShoeTransaction("RETURN", shoe, pairs, price), at + rng.randint(MINUTE, 30 * MINUTE))
        if happens(rng, frauds):
            timeline.add(topic, store, ShoeTransaction("RETURN", shoe, rng.randint(1, 9) * 1_000, price), at + SECOND)
        if stock[store, shoe] < _LOW:
            more = rng.randint(20, 60)
            shipment = ShoeTransaction("SHIPMENT", shoe, more, price // 2)
            timeline.add(topic, store, shipment, at + rng.randint(MINUTE, 10 * MINUTE))
            stock[store, shoe] += more


def simulate_weekly_products(
    timeline: Timeline,
    *,
    orders: Annotated[int, "Number of orders."] = 3_000,
    products: Annotated[int, "Number of products.", Least(1)] = 20,
    hours: Annotated[int, "Duration, in hours.", Least(1)] = 3 * 7 * 24,
    hypes: Annotated[int, "Number of times that suddenly everybody wants one product for a while."] = 3,
) -> None:
    """Simulate orders of products, few of which are popular, until suddenly everybody wants another one."""
    rng, start_ms = timeline.rng, timeline.start_ms
    weights, lasts = weights_by_rank(products), hours * HOUR
    product_names = names("product", products)
    wanted = [(at, rng.choice(product_names[products // 2 :])) for at in spread(start_ms, lasts, hypes)]
    for number in range(orders):
        at = start_ms + number * lasts // orders
        hyped = [product for since, product in wanted if since <= at < since + lasts // (2 * hypes)]
        product = hyped[0] if hyped and happens(rng, _HYPE) else rng.choices(product_names, weights)[0]
        timeline.add("orders", f"o{number:06}", Order(product, rng.randint(1, 5)), at)
