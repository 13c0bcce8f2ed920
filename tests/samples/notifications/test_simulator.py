from collections import Counter
from itertools import pairwise

from eddyline.application.samples.simulation.events import HOUR, MINUTE, SECOND, START_MS
from tests.samples.events import by_key, gaps
from tests.samples.simulated import simulate

MANY = 300


def test_users_alternately_open_and_close_the_application() -> None:
    actions = by_key(simulate("fb-notifications", users=MANY), "user-actions")
    assert len(actions) == MANY
    for of_user in actions.values():
        assert [event.value for event in of_user] == (["Open", "Close"] * len(of_user))[: len(of_user)]


def test_users_first_act_within_five_minutes_and_then_again_within_six() -> None:
    actions = by_key(simulate("fb-notifications", users=MANY), "user-actions").values()
    starts = [of_user[0].timestamp - START_MS for of_user in actions]
    between = [gap for of_user in actions for gap in gaps(of_user)]
    assert 4.9 * MINUTE < max(starts) <= 5 * MINUTE
    assert 20 * SECOND <= min(between) < 21 * SECOND
    assert 5.9 * MINUTE < max(between) <= 6 * MINUTE


def test_every_user_has_ticks_at_a_fixed_interval_until_the_end() -> None:
    ticks = by_key(simulate("fb-notifications", users=MANY, minutes=10, tick_ms=7_000), "ticks").values()
    assert len(ticks) == MANY
    for of_user in ticks:
        assert START_MS <= of_user[0].timestamp <= START_MS + 7_000
        assert set(gaps(of_user)) == {7_000}
        assert START_MS + 10 * MINUTE - 7_000 <= of_user[-1].timestamp < START_MS + 10 * MINUTE
        assert all(event.value == {} for event in of_user)


def test_there_are_no_events_after_the_end() -> None:
    assert all(event.timestamp < START_MS + 2 * MINUTE for event in simulate("fb-notifications", users=MANY, minutes=2))


def test_a_burst_has_one_to_six_notifications() -> None:
    bursts = []
    for of_user in by_key(simulate("notification-metrics", users=MANY, out_of_order=0.0), "notifications").values():
        between = gaps(of_user)
        ends = [number for number, gap in enumerate(between) if gap > 20 * SECOND]
        assert all(between[end] >= 2 * MINUTE + SECOND for end in ends)
        bursts += [later - earlier for earlier, later in pairwise([-1, *ends])]
    assert set(bursts) == {1, 2, 3, 4, 5, 6}
    assert len(bursts) > 5 * MANY


def test_notifications_start_within_twenty_minutes_and_pause_for_less_than_half_an_hour() -> None:
    notified = by_key(simulate("notification-metrics", users=MANY, out_of_order=0.0), "notifications").values()
    starts = [of_user[0].timestamp - START_MS for of_user in notified]
    pauses = [gap for of_user in notified for gap in gaps(of_user) if gap > MINUTE]
    within = [gap for of_user in notified for gap in gaps(of_user[:-10]) if gap < MINUTE]
    assert SECOND <= min(within) < 1.1 * SECOND
    assert 19.9 * SECOND < max(within) <= 20 * SECOND
    assert 19 * MINUTE < max(starts) <= 20 * MINUTE
    assert 24 * MINUTE < max(pauses) <= 25 * MINUTE + 20 * SECOND


def test_notifications_of_a_burst_that_exceeds_the_end_are_sent_at_the_last_millisecond() -> None:
    times = [event.timestamp for event in simulate("notification-metrics", users=MANY)]
    assert max(times) == START_MS + 2 * HOUR - 1


def test_all_messages_are_about_equally_frequent() -> None:
    messages = Counter(event.value.message for event in simulate("notification-metrics", users=MANY))
    assert len(messages) == 4
    assert min(messages.values()) > 0.8 * messages.total() / 4
