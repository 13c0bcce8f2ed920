"""Simulated users of an application, who come and go and get notifications."""

from typing import Annotated

from eddyline.application.samples.simulation.events import (
    HOUR,
    MINUTE,
    SECOND,
    Least,
    Timeline,
    names,
)
from eddyline.domain.notifications import Notification

_MESSAGES = ("Ann likes your photo", "Bob wrote to you", "3 new posts in Gardening", "It is Cleo's birthday")


def simulate_fb_notifications(
    timeline: Timeline,
    *,
    users: Annotated[int, "Number of users.", Least(1)] = 10,
    minutes: Annotated[int, "Duration, in minutes."] = 30,
    tick_ms: Annotated[int, "Interval between the ticks of a user, in ms.", Least(1)] = 30 * SECOND,
) -> None:
    """Simulate users who open and close an application at intervals of minutes, and ticks at a fixed interval."""
    rng, start_ms = timeline.rng, timeline.start_ms
    end = start_ms + minutes * MINUTE
    for user in names("user", users):
        at, action = start_ms + rng.randint(0, 5 * MINUTE), "Open"
        while at < end:
            timeline.add("user-actions", user, action, at)
            at, action = at + rng.randint(20 * SECOND, 6 * MINUTE), "Close" if action == "Open" else "Open"
        for tick in range(start_ms + rng.randint(0, tick_ms), end, tick_ms):
            timeline.add("ticks", user, {}, tick)


def simulate_notification_metrics(
    timeline: Timeline,
    *,
    users: Annotated[int, "Number of users who get notifications.", Least(1)] = 20,
    hours: Annotated[int, "Duration, in hours."] = 2,
) -> None:
    """Simulate bursts of notifications, some of which arrive late, as those to phones that were off."""
    rng, start_ms = timeline.rng, timeline.start_ms
    end = start_ms + hours * HOUR
    for user in names("user", users):
        at = start_ms + rng.randint(0, 20 * MINUTE)
        while at < end:
            for _ in range(rng.randint(1, 6)):
                timeline.add("notifications", user, Notification(rng.choice(_MESSAGES)), min(at, end - 1))
                at += rng.randint(SECOND, 20 * SECOND)
            at += rng.randint(2 * MINUTE, 25 * MINUTE)
