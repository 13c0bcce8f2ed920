from collections import Counter

from eddyline.application.samples.simulation.events import MINUTE
from tests.samples.simulated import SEEDS, last_values, run, simulate


@SEEDS
def test_users_who_closed_are_notified_at_every_tick(seed: int) -> None:
    last_actions: dict[str | None, str] = {}
    expected = []
    for event in (events := simulate("fb-notifications", seed=seed)):
        if event.topic == "user-actions":
            last_actions[event.key] = event.value
        elif last_actions.get(event.key) == "Close":
            expected.append((event.key, event.timestamp))
    notifications = run("fb-notifications", events).outputs("notifications")
    assert [(output.key, output.timestamp) for output in notifications] == expected
    assert expected


@SEEDS
def test_late_notifications_count_within_the_grace_period_and_are_dropped_after_it(seed: int) -> None:
    events = simulate("notification-metrics", seed=seed)
    windows = Counter(
        (event.key, start)
        for event in events
        for start in range((event.timestamp // MINUTE - 9) * MINUTE, event.timestamp + 1, MINUTE)
    )
    with_grace = run("notification-metrics", events, grace_ms=15 * MINUTE)
    counts = last_values(with_grace, "notification-metrics")
    assert {(key.key, key.window.start): count for key, count in counts.items()} == windows
    assert not with_grace.drops
    assert run("notification-metrics", events, grace_ms=0).drops
