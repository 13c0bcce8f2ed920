"""Simulated users of an application, who come and go and get notifications."""

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
    users: Annotated[int, "Number of users."] = 10,
    minutes: Annotated[int, "Duration, in minutes."] = 30,
    tick_ms: Annotated[int, "Interval between the ticks of a user, in ms."] = 30 * SECOND,
) -> Iterator[SimulatedEvent]:
    """Simulate users who open and close an application at intervals of minutes, and ticks at a fixed interval.

    Raises:
        SimulationError: A setting is out of range.
    """
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
    users: Annotated[int, "Number of users who get notifications."] = 20,
    hours: Annotated[int, "Duration, in hours."] = 2,
    out_of_order: OutOfOrder = 0.02,
    delay_ms: Delay = 15 * MINUTE,
) -> Iterator[SimulatedEvent]:
    """Simulate bursts of notifications, some of which arrive late, as those to phones that were off.

    Raises:
        SimulationError: A setting is out of range.
    """
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
