from eddyline.domain.notifications import NOT_VIEWING, Notification, NotificationState, Notified, StillLooking, Unknown

NEW = NotificationState()
CLOSED = NEW.act("Open", 10).act("Close", 20)
OPEN = CLOSED.act("Open", 30)


def test_the_state_is_the_last_action_and_its_time() -> None:
    assert NotificationState("Close", 20) == CLOSED
    assert NotificationState("Open", 30) == OPEN


def test_the_last_action_to_arrive_counts_although_it_happened_earlier() -> None:
    assert OPEN.act("Close", 5) == NotificationState("Close", 5)


def test_the_time_of_an_action_may_be_unknown() -> None:
    assert NEW.act("Close") == NotificationState("Close", None)


def test_withdrawing_the_last_action_leaves_a_user_who_has_not_acted() -> None:
    assert CLOSED.act(None, 40) == NEW


def test_a_user_who_closed_is_notified() -> None:
    assert CLOSED.decide() == Notified(NOT_VIEWING, since=20)
    assert Notification("You are not currently viewing Facebook.") == NOT_VIEWING


def test_a_user_who_opened_is_still_looking() -> None:
    assert OPEN.decide() == StillLooking("Open", since=30)


def test_the_actions_after_which_a_user_is_notified_can_be_chosen() -> None:
    decisions = {action: NotificationState(action).decide(["Open", "Idle"]) for action in ("Open", "Idle", "Close")}
    assert decisions == {"Open": Notified(NOT_VIEWING), "Idle": Notified(NOT_VIEWING), "Close": StillLooking("Close")}


def test_a_user_who_has_not_acted_is_notified_only_on_request() -> None:
    assert NEW.decide() == Unknown()
    assert NEW.decide(notify_unknown=True) == Notified(NOT_VIEWING)


def test_a_user_who_is_looking_is_not_notified_with_those_who_have_not_acted() -> None:
    assert OPEN.decide(notify_unknown=True) == StillLooking("Open", since=30)
