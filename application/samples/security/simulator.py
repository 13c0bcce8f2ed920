"""Simulated hosts of a network, some with malware, and browsers that people and robots use."""

from random import Random
from typing import Annotated

from eddyline.application.samples.simulation.events import (
    HOUR,
    MINUTE,
    SECOND,
    Least,
    Timeline,
    names,
    weights_by_rank,
)
from eddyline.domain.security import Connection, KnownDestination, SolvedCaptcha

SITES = ("news.example", "mail.example", "search.example", "wiki.example", "video.example", "shop.example", "maps.example")
"""The destinations of people."""

KNOWN = (
    ("updates.example", KnownDestination("IT", "updates of the operating system")),
    ("time.example", KnownDestination("IT", "the clock")),
    ("backup.example", KnownDestination("IT", "backups")),
)
"""The destinations of legitimate programs."""

_SOLVES_AFTER_ACTIONS = 5
_LETTERS = "bcdfghklmnprstvwxz0123456789"


def simulate_beaconing(
    timeline: Timeline,
    *,
    hosts: Annotated[int, "Number of hosts.", Least(1)] = 20,
    infected: Annotated[int, "Number of hosts with malware that calls home."] = 2,
    hours: Annotated[int, "Duration, in hours.", Least(1)] = 12,
) -> None:
    """Simulate the connections of hosts, whose users visit sites and whose programs call known destinations regularly.

    Infected hosts call a destination of their own every 4 to 15 minutes, with a delay of up to a twentieth of that.
    """
    rng, start_ms = timeline.rng, timeline.start_ms
    end = start_ms + hours * HOUR
    for destination, known in KNOWN:
        timeline.add_delayed("known-destinations", destination, known, start_ms, 0)
    for number, host in enumerate(names("host", hosts)):
        _browse(timeline, rng, host, start_ms, end)
        for destination, _ in KNOWN:
            _call_regularly(timeline, rng, (host, destination), start_ms, end)
        if number < infected:
            home = "".join(rng.choices(_LETTERS, k=12)) + ".example"
            _call_regularly(timeline, rng, (host, home), start_ms, end)


def _browse(timeline: Timeline, rng: Random, host: str, start: int, end: int) -> None:
    weights, at = weights_by_rank(len(SITES)), start
    while (at := at + int(rng.expovariate(1 / (8 * MINUTE)))) < end:
        for _ in range(rng.randint(1, 5)):
            site = rng.choices(SITES, weights)[0]
            at += rng.randint(SECOND, MINUTE)
            timeline.add("connections", host, Connection(site, at), at)


def _call_regularly(timeline: Timeline, rng: Random, route: tuple[str, str], start: int, end: int) -> None:
    host, destination = route
    interval = rng.randint(4 * MINUTE, 15 * MINUTE)
    for planned in range(start + rng.randint(0, interval), end, interval):
        at = planned + rng.randint(0, interval // 20)
        timeline.add("connections", host, Connection(destination, at), at)


def simulate_captcha(
    timeline: Timeline,
    *,
    humans: Annotated[int, "Number of browsers that people use."] = 10,
    robots: Annotated[int, "Number of browsers that robots use."] = 3,
) -> None:
    """Simulate people, who solve a captcha after their fifth action, and robots, who act many times per second and solve none."""
    rng, start_ms = timeline.rng, timeline.start_ms
    for browser in names("browser", humans):
        at = start_ms + rng.randint(0, 5 * MINUTE)
        for number in range(1, rng.randint(3, 15)):
            timeline.add("actions", browser, _action(rng), at)
            if number == _SOLVES_AFTER_ACTIONS:
                timeline.add("captchas-solved", browser, SolvedCaptcha(ok=True), at + 1)
            at += rng.randint(2 * SECOND, 40 * SECOND)
    for browser in names("robot", robots):
        at = start_ms + rng.randint(0, 5 * MINUTE)
        for _ in range(rng.randint(30, 120)):
            timeline.add("actions", browser, _action(rng), at)
            at += rng.randint(20, 300)


def _action(rng: Random) -> dict[str, str]:
    return {"action": rng.choice(("open", "like", "comment", "follow"))}
