"""The flow fb-notifications: notifications to users who are not looking."""

from collections.abc import Sequence
from typing import Literal, cast

from eddyline import Stream, TopologyBuilder
from eddyline.domain.notifications import NOTIFY_WHEN, Decision, Notification, NotificationState, Notified

_NEW = NotificationState()


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

    def decide(state: NotificationState) -> Decision:
        return state.decide(notify_when, notify_unknown=notify_unknown)

    def decide_at_tick(_tick: object, state: NotificationState | None) -> Decision:
        return decide(_NEW if state is None else state)

    decisions: Stream[str, Decision]
    if kind == "stateful":
        actions = builder.table("user-actions", key=str, value=str)
        states = actions.map_values(_NEW.act, value=NotificationState, store="user-state")
        decisions = builder.stream("ticks", key=str, value=object).left_join(states, decide_at_tick)
    else:
        made = builder.stream("user-actions", key=str, value=str).filter(_is_action, drop_reason="null-value")
        decisions = made.map_values(_NEW.act, value=NotificationState).map_values(decide)
    decisions.filter(_is_notified).map_values(_notification).to("notifications")


def _is_action(_user: str, action: str | None) -> bool:
    return action is not None


def _is_notified(_user: str, decision: Decision) -> bool:
    return isinstance(decision, Notified)


def _notification(decision: Decision) -> Notification:
    return cast("Notified", decision).notification
