"""What users of an application do: they come and go, are notified, and prove that they are no robots."""

from collections.abc import Iterator
from typing import Annotated

from eddyline.application.samples.simulation.events import (
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
    names,
    random_numbers,
)
from eddyline.domain.notifications import Notification

_MESSAGES = ("Ann likes your photo", "Bob wrote to you", "3 new posts in Gardening", "It is Cleo's birthday")


def simulate_fb_notifications(
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
    rng = random_numbers("fb-notifications", seed)
    timeline, end = Timeline(rng), start_ms + minutes * MINUTE
    for user in names("user", users):
        at, action = start_ms + rng.randint(0, 5 * MINUTE), "Open"
        while at < end:
            timeline.add("user-actions", user, action, at)
            at, action = at + rng.randint(20 * SECOND, 6 * MINUTE), "Close" if action == "Open" else "Open"
        for tick in range(start_ms + rng.randint(0, tick_ms), end, tick_ms):
            timeline.add("ticks", user, {}, tick)
    return timeline.events()


def simulate_notification_metrics(
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
    rng = random_numbers("notification-metrics", seed)
    timeline, end = Timeline(rng, out_of_order, delay_ms), start_ms + hours * HOUR
    for user in names("user", users):
        at = start_ms + rng.randint(0, 20 * MINUTE)
        while at < end:
            for _ in range(rng.randint(1, 6)):
                timeline.add("notifications", user, Notification(rng.choice(_MESSAGES)), min(at, end - 1))
                at += rng.randint(SECOND, 20 * SECOND)
            at += rng.randint(2 * MINUTE, 25 * MINUTE)
    return timeline.events()
