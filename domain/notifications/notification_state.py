"""Whether a user is notified: a user's last action shows whether the user is still looking."""

from collections.abc import Collection
from typing import TypeAlias

from eddyline.domain.value import not_empty, value

NOTIFY_WHEN = ("Close",)
"""The last actions after which a user is notified by default."""


@value
class Notification:
    """The message to a user."""

    message: str

    def __post_init__(self) -> None:
        not_empty(message=self.message)


NOT_VIEWING = Notification("You are not currently viewing Facebook.")
"""The notification to a user who is not looking."""


@value
class Notified:
    """The user is not looking and is notified."""

    notification: Notification


@value
class StillLooking:
    """The user is looking, as the last action shows."""

    last_action: str


@value
class Unknown:
    """The user has not acted yet, so nobody knows whether the user is looking."""


Decision: TypeAlias = Notified | StillLooking | Unknown
"""What follows from a user's state."""


@value
class NotificationState:
    """A user's last action, None before the first. The last action to arrive counts, whatever its time."""

    last_action: str | None = None

    def act(self, action: str) -> "NotificationState":
        """Return the state after an action."""
        return NotificationState(action)

    def decide(self, notify_when: Collection[str] = NOTIFY_WHEN, *, notify_unknown: bool = False) -> Decision:
        """Decide whether to notify the user.

        Args:
            notify_when: The last actions after which the user is notified.
            notify_unknown: Whether a user who has not acted yet is notified too.
        """
        if self.last_action is None:
            return Notified(NOT_VIEWING) if notify_unknown else Unknown()
        if self.last_action in notify_when:
            return Notified(NOT_VIEWING)
        return StillLooking(self.last_action)
