from eddyline.domain.notifications import should_notify


def test_a_user_who_left_is_notified() -> None:
    assert should_notify("Close")
    assert not should_notify("Open")


def test_other_states_may_be_named() -> None:
    assert [state for state in ("Open", "Idle", "Close") if should_notify(state, ["Open", "Idle"])] == ["Open", "Idle"]


def test_a_user_who_never_acted_is_notified_only_when_asked_for() -> None:
    assert not should_notify(None)
    assert should_notify(None, notify_unknown=True)
    assert not should_notify("Open", notify_unknown=True)
