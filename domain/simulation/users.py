"""What users of an application do: they come and go, are notified, and prove that they are no robots."""

from collections.abc import Iterator
from random import Random
from typing import Annotated

from eddyline.domain.notifications import Notification
from eddyline.domain.simulation.events import (
    HOUR,
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
    dice,
    names,
)

_SOLVES_AFTER = 5
_MESSAGES = ("Ann likes your photo", "Bob wrote to you", "3 new posts in Gardening", "It is Cleo's birthday")


def fb_notifications(
    *,
    seed: Seed = 0,
    start_ms: Start = START_MS,
    users: Annotated[int, "How many users there are."] = 10,
    minutes: Annotated[int, "For how long."] = 30,
    tick_ms: Annotated[int, "How often each user is looked at, in ms."] = 30 * SECOND,
) -> Iterator[SimulatedEvent]:
    """Users open the application for minutes and close it for minutes; ticks go on. Raises SimulationError."""
    check_at_least("users", users, 1)
    check_at_least("minutes", minutes, 0)
    check_at_least("tick_ms", tick_ms, 1)
    rng = dice("fb-notifications", seed)
    timeline, end = Timeline(rng), start_ms + minutes * MINUTE
    for user in names("user", users):
        at, action = start_ms + rng.randint(0, 5 * MINUTE), "Open"
        while at < end:
            timeline.add("user-actions", user, action, at)
            at, action = at + rng.randint(20 * SECOND, 6 * MINUTE), "Close" if action == "Open" else "Open"
        for tick in range(start_ms + rng.randint(0, tick_ms), end, tick_ms):
            timeline.add("ticks", user, {}, tick)
    return timeline.events()


def notification_metrics(
    *,
    seed: Seed = 0,
    start_ms: Start = START_MS,
    users: Annotated[int, "How many users are notified."] = 20,
    hours: Annotated[int, "For how long."] = 2,
    out_of_order: OutOfOrder = 0.02,
    delay_ms: Delay = 15 * MINUTE,
) -> Iterator[SimulatedEvent]:
    """Notifications in bursts; those to phones that were off arrive late. Raises SimulationError."""
    check_at_least("users", users, 1)
    check_at_least("hours", hours, 0)
    rng = dice("notification-metrics", seed)
    timeline, end = Timeline(rng, out_of_order, delay_ms), start_ms + hours * HOUR
    for user in names("user", users):
        at = start_ms + rng.randint(0, 20 * MINUTE)
        while at < end:
            for _ in range(rng.randint(1, 6)):
                timeline.add("notifications", user, Notification(rng.choice(_MESSAGES)), min(at, end - 1))
                at += rng.randint(SECOND, 20 * SECOND)
            at += rng.randint(2 * MINUTE, 25 * MINUTE)
    return timeline.events()


def captcha(
    *,
    seed: Seed = 0,
    start_ms: Start = START_MS,
    humans: Annotated[int, "How many browsers people use."] = 10,
    robots: Annotated[int, "How many browsers robots use."] = 3,
) -> Iterator[SimulatedEvent]:
    """People act every few seconds and solve a captcha after their fifth action; robots act many times a second and solve none.

    Raises SimulationError.
    """
    check_at_least("humans", humans, 0)
    check_at_least("robots", robots, 0)
    rng = dice("captcha", seed)
    timeline = Timeline(rng)
    for browser in names("browser", humans):
        at = start_ms + rng.randint(0, 5 * MINUTE)
        for number in range(1, rng.randint(3, 15)):
            timeline.add("actions", browser, _action(rng), at)
            if number == _SOLVES_AFTER:
                timeline.add("captchas-solved", browser, {"seconds": rng.randint(4, 30)}, at + 1)
            at += rng.randint(2 * SECOND, 40 * SECOND)
    for browser in names("robot", robots):
        at = start_ms + rng.randint(0, 5 * MINUTE)
        for _ in range(rng.randint(30, 120)):
            timeline.add("actions", browser, _action(rng), at)
            at += rng.randint(20, 300)
    return timeline.events()


def _action(rng: Random) -> dict[str, str]:
    return {"action": rng.choice(("open", "like", "comment", "follow"))}
