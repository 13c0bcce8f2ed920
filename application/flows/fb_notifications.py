"""Notifies users who are not looking."""

from collections.abc import Sequence
from typing import Literal

from eddyline.application.topology import Stream, TopologyBuilder
from eddyline.domain.notifications import NOT_VIEWING, NOTIFY_WHEN, Notification, should_notify


def fb_notifications(
    builder: TopologyBuilder,
    *,
    kind: Literal["stateful", "stateless"] = "stateful",
    notify_when: Sequence[str] = NOTIFY_WHEN,
    notify_unknown: bool = False,
) -> None:
    """Actions of users in, and ticks; notifications out, to users whose last action is one of `notify_when`.

    `kind` stateful notifies at each tick, users who never acted too with `notify_unknown`; stateless notifies at each such
    action and needs no ticks.
    """

    def is_notified(_user: str, state: str | None) -> bool:
        return should_notify(state, notify_when, notify_unknown=notify_unknown)

    def acted_so(_user: str, action: str | None) -> bool:
        return action is not None and should_notify(action, notify_when)

    notified: Stream[str, Notification]
    if kind == "stateful":
        last_actions = builder.table("user-actions", key=str, value=str, store="user-state")
        states = builder.stream("ticks", key=str, value=object).left_join(last_actions, _state)
        notified = states.filter(is_notified).map_values(_notification)
    else:
        notified = builder.stream("user-actions", key=str, value=str).filter(acted_so).map_values(_notification)
    notified.to("notifications")


def _state(_tick: object, last_action: str | None) -> str | None:
    return last_action


def _notification(_state: str | None) -> Notification:
    return NOT_VIEWING
