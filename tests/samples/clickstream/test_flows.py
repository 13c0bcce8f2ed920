from collections import Counter

import pytest

from eddyline.application.samples.simulation.events import SECOND
from eddyline.application.topology.types import Emit
from tests.samples.simulated import EMITS, SEEDS, run, simulate


@SEEDS
def test_clicks_are_joined_with_the_searches_within_a_second(seed: int) -> None:
    events = simulate("clickstream", seed=seed)
    searches = [event for event in events if event.topic == "searches"]
    expected = Counter(
        (click.key, click.timestamp, click.value.page, search.value.search_terms)
        for click in events
        if click.topic == "clicks"
        for search in searches
        if search.key == click.key and abs(search.timestamp - click.timestamp) <= SECOND
    )
    activities = run("clickstream", events).outputs("user-activity")
    assert (
        Counter(
            (activity.key, activity.timestamp, activity.value.page, activity.value.search_term)
            for activity in activities
            if activity.value.search_term
        )
        == expected
    )
    assert len(expected) > 50
    named = sum(activity.value.user_name != "" for activity in activities)
    assert 0 < named < len(activities)


@pytest.mark.extensive
@SEEDS
@EMITS
def test_there_is_one_alert_per_page_with_a_thousand_views(seed: int, emit: Emit) -> None:
    views = simulate("popular-products", seed=seed)
    counts = Counter(view.value.page for view in views if isinstance(view.value.page, str))
    alerts = run("popular-products", views, partitions=3, emit=emit).outputs("popular-alerts")
    assert sorted(alert.key for alert in alerts) == sorted(page for page, count in counts.items() if count >= 1_000)
    assert alerts
