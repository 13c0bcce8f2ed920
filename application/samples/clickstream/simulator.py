"""Simulated visitors of a site, who click, search and view pages."""

from collections.abc import Iterator
from random import Random
from typing import Annotated

from eddyline.application.samples.clickstream import lenient as written
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
    weights_by_rank,
)
from eddyline.domain.clickstream import Click, PageView, Profile, Search

_INTERESTS = ("books", "garden", "music", "shoes", "travel", "cooking", "cycling")
_TERMS = ("red shoes", "tent", "novel", "guitar", "wok", "tulips", "winter tyres", "rain coat")
_PAGES = ("/home", "/sale", "/shoes", "/books", "/garden", "/music", "/travel", "/basket", "/pay")
_NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gül", "Hana", "Ivo", "Jun")


def simulate_clickstream(
    *,
    seed: Seed = 0,
    start_ms: Start = START_MS,
    users: Annotated[int, "Number of users."] = 20,
    visits: Annotated[int, "Number of visits per user, one per hour."] = 3,
    out_of_order: OutOfOrder = 0.0,
    delay_ms: Delay = 2 * SECOND,
) -> Iterator[SimulatedEvent]:
    """Simulate visits of several clicks; a third of the clicks follow a search within a second.

    Most users have a profile, which some of them change later.

    Raises:
        SimulationError: A setting is out of range.
    """
    check_at_least("users", users, 1)
    check_at_least("visits", visits, 0)
    rng = random_numbers("clickstream", seed)
    timeline = Timeline(rng, out_of_order, delay_ms)
    for user in names("user", users):
        if happens(rng, 0.8):
            timeline.add_delayed("profiles", user, _profile(rng), start_ms, 0)
        for visit in range(visits):
            at = start_ms + visit * 60 * MINUTE + rng.randint(0, 40 * MINUTE)
            _visit(timeline, rng, user, at)
            if happens(rng, 0.1):
                timeline.add("profiles", user, _profile(rng), at + MINUTE)
    return timeline.events()


def _visit(timeline: Timeline, rng: Random, user: str, at: int) -> None:
    for _ in range(rng.randint(2, 12)):
        at += rng.randint(3 * SECOND, 90 * SECOND)
        if happens(rng, 0.33):
            timeline.add("searches", user, Search(rng.choice(_TERMS)), at - rng.randint(100, 900))
        timeline.add("clicks", user, Click(user, rng.choice(_PAGES)), at)


def _profile(rng: Random) -> Profile:
    name, zipcode = rng.choice(_NAMES), f"{rng.randint(10_000, 99_999)}"
    return Profile(name, zipcode, tuple(rng.sample(_INTERESTS, rng.randint(0, 3))))


def simulate_popular_products(
    *,
    seed: Seed = 0,
    start_ms: Start = START_MS,
    views: Annotated[int, "Number of page views."] = 20_000,
    pages: Annotated[int, "Number of pages."] = 100,
    users: Annotated[int, "Number of users."] = 200,
    spoilt: Annotated[float, "Fraction of views that name no page, from 0 to 1."] = 0.0,
) -> Iterator[SimulatedEvent]:
    """Simulate views of pages, few of which are popular.

    Raises:
        SimulationError: A setting is out of range.
    """
    check_at_least("views", views, 0)
    check_at_least("pages", pages, 1)
    check_at_least("users", users, 1)
    check_fraction("spoilt", spoilt)
    rng = random_numbers("popular-products", seed)
    timeline, weights, at = Timeline(rng), weights_by_rank(pages), start_ms
    products, visitors = names("/products/item", pages), names("user", users)
    for _ in range(views):
        view: PageView | written.PageView
        if happens(rng, spoilt):
            view = written.PageView(rng.choice((None, 404, {"path": "/"})))
        else:
            view = PageView(rng.choices(products, weights)[0])
        timeline.add("page-views", rng.choice(visitors), view, at)
        at += rng.randint(0, 100)
    return timeline.events()
