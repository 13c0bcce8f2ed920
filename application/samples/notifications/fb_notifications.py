"""The flow fb-notifications: notifications to users who are not looking."""

from collections.abc import Sequence
from typing import Literal, cast

from eddyline import Stream, TopologyBuilder
from eddyline.domain.notifications import NOT_VIEWING, NOTIFY_WHEN, Decision, Notification, NotificationState, Notified


def fb_notifications(
    builder: TopologyBuilder,
    *,
    kind: Literal["stateful", "stateless"] = "stateful",
    notify_when: Sequence[str] = NOTIFY_WHEN,
    notify_unknown: bool = False,
) -> None:
    """Notify users whose last action is one of `notify_when`.

    Input: `user-actions`, and `ticks` with kind stateful, keyed by user. Output: `notifications`.

    With `kind` stateful, a user is notified at each tick, also one who has not acted yet if `notify_unknown` is set. With `kind`
    stateless, a user is notified at each such action, and there are no ticks.
    """

    def decide(_tick: object, last_action: str | None) -> Decision:
        return NotificationState(last_action).decide(notify_when, notify_unknown=notify_unknown)

    def is_notified_at_once(user: str, action: str) -> bool:
        return _is_notified(user, decide(None, action))

    notifications: Stream[str, Notification]
    if kind == "stateful":
        last_actions = builder.table("user-actions", key=str, value=str, store="user-state")
        decisions = builder.stream("ticks", key=str, value=object).left_join(last_actions, decide)
        notifications = decisions.filter(_is_notified).map_values(_notification)
    else:
        actions = builder.stream("user-actions", key=str, value=str).filter(_is_action, drop_reason="null-value")
        notifications = actions.filter(is_notified_at_once).map_values(_not_viewing)
    notifications.to("notifications")


def _is_action(_user: str, action: str | None) -> bool:
    return action is not None


def _is_notified(_user: str, decision: Decision) -> bool:
    return isinstance(decision, Notified)


def _notification(decision: Decision) -> Notification:
    return cast("Notified", decision).notification


def _not_viewing(_action: str) -> Notification:
    return NOT_VIEWING
