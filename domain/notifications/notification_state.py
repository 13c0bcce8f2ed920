"""Notifications to users who are not looking."""

from collections.abc import Collection

from eddyline.domain.value import value

NOTIFY_WHEN = ("Close",)
"""The states in which a user is notified unless others are named: `Close` is the last action of one who left."""


@value
class Notification:
    """What a user is told."""

    message: str | None = None


NOT_VIEWING = Notification("You are not currently viewing Facebook.")
"""The notification to a user who is away."""


def should_notify(state: str | None, notify_when: Collection[str] = NOTIFY_WHEN, *, notify_unknown: bool = False) -> bool:
    """Whether a user is to be notified; the state is the last action, None for a user who never acted."""
    return notify_unknown if state is None else state in notify_when
