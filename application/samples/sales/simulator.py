"""Simulated sales, a few of them large, by sales people of whom the last one is new."""

from typing import Annotated

from eddyline.application.samples.simulation.events import (
    SECOND,
    START_MS,
    Least,
    Timeline,
    happens,
    names,
)
from eddyline.domain.sales import Sale, SalesPerson

_NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana", "Ivy", "Joe")
_CUSTOMERS = names("customer", 80)
_REPEATED = 0.02


def simulate_large_sales(
    timeline: Timeline,
    *,
    people: Annotated[int, "Number of sales people; the mail of the last one is not known yet.", Least(1)] = 8,
    sales: Annotated[int, "Number of sales of small amounts."] = 1_000,
    large: Annotated[int, "Number of sales over 10,000."] = 25,
) -> None:
    """Simulate sales, some of which are reported twice."""
    rng, start_ms = timeline.rng, timeline.start_ms
    sold_by = names("sales", people)
    for number, person in enumerate(sold_by[:-1]):
        name = _NAMES[number % len(_NAMES)]
        timeline.add("sales-people", person, SalesPerson(name, f"{name.lower()}-{person}@example.org"), start_ms)
    sizes = [False] * sales
    for number in range(large):
        sizes.insert((2 * number + 1) * (sales + large) // (2 * large), True)
    at = start_ms
    for number, is_large in enumerate(sizes, start_ms - START_MS):
        at += rng.randint(0, 2 * SECOND)
        amount = rng.uniform(10_001, 90_000) if is_large else rng.uniform(20, 9_999)
        person, sale = rng.choice(sold_by), Sale(f"s{number:07}", rng.choice(_CUSTOMERS), round(amount, 2))
        timeline.add("sales", person, sale, at)
        if happens(rng, _REPEATED):
            timeline.add("sales", person, sale, at + rng.randint(1, SECOND))
