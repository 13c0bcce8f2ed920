"""Simulated visitors of a site, who click, search and view pages."""

from collections.abc import Sequence
from random import Random
from typing import Annotated

from eddyline.application.samples.clickstream import lenient as written
from eddyline.application.samples.simulation.events import (
    MINUTE,
    SECOND,
    Least,
    Timeline,
    happens,
    names,
    spread,
    weights_by_rank,
)
from eddyline.domain.clickstream import Click, PageView, Profile, Search

_INTERESTS = ("books", "garden", "music", "shoes", "travel", "cooking", "cycling")
_TERMS = ("red shoes", "tent", "novel", "guitar", "wok", "tulips", "winter tyres", "rain coat")
_PAGES = ("/home", "/sale", "/shoes", "/books", "/garden", "/music", "/travel", "/basket", "/pay")
_TREND = "eclipse glasses"
_TREND_MS = 20 * SECOND
_ROBOT_MS = 20 * SECOND
_NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gül", "Hana", "Ivo", "Jun")


def simulate_clickstream(
    timeline: Timeline,
    *,
    users: Annotated[int, "Number of users.", Least(1)] = 20,
    visits: Annotated[int, "Number of visits per user, one per hour."] = 3,
) -> None:
    """Simulate visits of several clicks; a third of the clicks follow a search within a second.

    Most users have a profile, which some of them change later.
    """
    rng, start_ms = timeline.rng, timeline.start_ms
    for user in names("user", users):
        if happens(rng, 0.8):
            timeline.add_delayed("profiles", user, _profile(rng), start_ms, 0)
        for visit in range(visits):
            at = start_ms + visit * 60 * MINUTE + rng.randint(0, 40 * MINUTE)
            _visit(timeline, rng, user, at)
            if happens(rng, 0.1):
                timeline.add("profiles", user, _profile(rng), at + MINUTE)


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
    timeline: Timeline,
    *,
    views: Annotated[int, "Number of page views."] = 20_000,
    pages: Annotated[int, "Number of pages.", Least(1)] = 100,
    users: Annotated[int, "Number of users.", Least(1)] = 200,
    spoilt: Annotated[float, "Fraction of views that name no page, from 0 to 1."] = 0.0,
) -> None:
    """Simulate views of pages, few of which are popular."""
    rng, start_ms = timeline.rng, timeline.start_ms
    weights, at = weights_by_rank(pages), start_ms
    products, visitors = names("/products/item", pages), names("user", users)
    for _ in range(views):
        view: PageView | written.PageView
        if happens(rng, spoilt):
            view = written.PageView(rng.choice((None, 404, {"path": "/"})))
        else:
            view = PageView(rng.choices(products, weights)[0])
        timeline.add("page-views", rng.choice(visitors), view, at)
        at += rng.randint(0, 100)


def simulate_search_results(
    timeline: Timeline,
    *,
    users: Annotated[int, "Number of users.", Least(1)] = 200,
    minutes: Annotated[int, "Duration, in minutes; there is about one search per second."] = 20,
    trends: Annotated[int, "Number of times that for 20 seconds most users search for what the site does not have."] = 3,
) -> None:
    """Simulate searches; most are followed by clicks on the first results, those for what the site does not have by none."""
    rng, start_ms = timeline.rng, timeline.start_ms
    at, end = start_ms, start_ms + minutes * MINUTE
    visitors, weights = names("user", users), weights_by_rank(len(_TERMS))
    _add_profiles(timeline, rng, visitors, start_ms)
    trending = spread(start_ms, end - start_ms, trends)
    while (at := at + rng.randint(0, 2 * SECOND)) < end:
        user, query = rng.choice(visitors), rng.choices(_TERMS, weights)[0]
        if any(since <= at < since + _TREND_MS for since in trending) and happens(rng, 0.8):
            query = _TREND
        timeline.add("searches", user, Search(query.upper() if happens(rng, 0.1) else query), at)
        for _ in range(0 if query == _TREND else rng.choice((0, 1, 1, 1, 2))):
            result = rng.choices(range(1, 6), weights_by_rank(5))[0]
            page = f"/{query.replace(' ', '-')}/{result}"
            timeline.add("clicks", user, Click(user, page), at + rng.randint(SECOND, 10 * SECOND))


def simulate_user_360(
    timeline: Timeline,
    *,
    users: Annotated[int, "Number of users.", Least(1)] = 30,
    minutes: Annotated[int, "Duration, in minutes."] = 30,
    robots: Annotated[int, "Number of robots, each of which clicks several times per second for 20 seconds."] = 3,
) -> None:
    """Simulate users who click and search now and then, most of whom have a profile, and robots, which have none."""
    rng, start_ms = timeline.rng, timeline.start_ms
    end = start_ms + minutes * MINUTE
    visitors = names("user", users)
    _add_profiles(timeline, rng, visitors, start_ms)
    for user in visitors:
        at = start_ms
        while (at := at + rng.randint(3 * SECOND, MINUTE)) < end:
            if happens(rng, 0.3):
                timeline.add("searches", user, Search(rng.choice(_TERMS)), at)
            else:
                timeline.add("clicks", user, Click(user, rng.choice(_PAGES)), at)
    for robot, since in zip(names("robot", robots), spread(start_ms, end - start_ms, robots), strict=True):
        at = since
        while (at := at + rng.randint(100, 400)) < min(end, since + _ROBOT_MS):
            timeline.add("clicks", robot, Click(robot, rng.choice(_PAGES)), at)


def _add_profiles(timeline: Timeline, rng: Random, users: Sequence[str], at: int) -> None:
    for user in users:
        if happens(rng, 0.8):
            timeline.add_delayed("profiles", user, _profile(rng), at, 0)
