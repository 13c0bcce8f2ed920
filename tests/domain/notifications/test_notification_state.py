from typing import Any

import pytest

from eddyline.domain.notifications import NOT_VIEWING, Notification, NotificationState, Notified, StillLooking, Unknown

NEW = NotificationState()
CLOSED = NEW.act("Open").act("Close")
OPEN = CLOSED.act("Open")


def test_the_state_is_the_last_action() -> None:
    assert NotificationState("Close") == CLOSED
    assert NotificationState("Open") == OPEN


@pytest.mark.parametrize("message", ["", " ", None, 7])
def test_a_notification_has_a_message(message: Any) -> None:
    with pytest.raises(ValueError, match=f"^message is {message!r}; it must be a text that is not empty$"):
        Notification(message)


def test_a_user_who_closed_is_notified() -> None:
    assert CLOSED.decide() == Notified(NOT_VIEWING)
    assert Notification("You are not currently viewing Facebook.") == NOT_VIEWING


def test_a_user_who_opened_is_still_looking() -> None:
    assert OPEN.decide() == StillLooking("Open")


def test_the_actions_after_which_a_user_is_notified_can_be_chosen() -> None:
    decisions = {action: NotificationState(action).decide(["Open", "Idle"]) for action in ("Open", "Idle", "Close")}
    assert decisions == {"Open": Notified(NOT_VIEWING), "Idle": Notified(NOT_VIEWING), "Close": StillLooking("Close")}


def test_a_user_who_has_not_acted_is_notified_only_on_request() -> None:
    assert NEW.decide() == Unknown()
    assert NEW.decide(notify_unknown=True) == Notified(NOT_VIEWING)


def test_a_user_who_is_looking_is_not_notified_with_those_who_have_not_acted() -> None:
    assert OPEN.decide(notify_unknown=True) == StillLooking("Open")
