from collections import Counter
from itertools import pairwise

import pytest

from eddyline.application.samples.simulation.events import HOUR, MINUTE, SECOND, START_MS
from eddyline.domain.clickstream import PageView
from tests.samples.events import by_key, gaps
from tests.samples.simulated import simulate

MANY = 300


def test_a_visit_has_two_to_twelve_clicks_at_intervals_of_seconds() -> None:
    clicks = by_key(simulate("clickstream", users=MANY, visits=1), "clicks")
    between = [gap for of_user in clicks.values() for gap in gaps(of_user)]
    assert {len(of_user) for of_user in clicks.values()} == set(range(2, 13))
    assert all(click.value.user_id == user for user, of_user in clicks.items() for click in of_user)
    assert 3 * SECOND <= min(between) < 4 * SECOND
    assert 89 * SECOND < max(between) <= 90 * SECOND


def test_users_visit_once_per_hour_within_its_first_forty_minutes() -> None:
    for of_user in by_key(simulate("clickstream", users=MANY, visits=3), "clicks").values():
        starts = [of_user[0], *(click for before, click in pairwise(of_user) if click.timestamp - before.timestamp > 2 * MINUTE)]
        hours = [divmod(click.timestamp - START_MS, HOUR) for click in starts]
        assert [hour for hour, _ in hours] == [0, 1, 2]
        assert all(minutes <= 40 * MINUTE + 90 * SECOND for _, minutes in hours)
    firsts = [of_user[0].timestamp for of_user in by_key(simulate("clickstream", users=MANY, visits=1), "clicks").values()]
    assert 39 * MINUTE < max(firsts) - START_MS <= 40 * MINUTE + 90 * SECOND


def test_a_third_of_the_clicks_follow_a_search_within_a_second() -> None:
    events = simulate("clickstream", users=MANY, visits=10)
    clicks, searches = by_key(events, "clicks"), by_key(events, "searches")
    before = [
        min(click.timestamp - search.timestamp for click in clicks[user] if click.timestamp > search.timestamp)
        for user, of_user in searches.items()
        for search in of_user
    ]
    assert set(before) == set(range(100, 901))
    assert len(before) / sum(map(len, clicks.values())) == pytest.approx(0.33, abs=0.01)
    assert len({search.value.search_terms for of_user in searches.values() for search in of_user}) == 8


def test_four_of_five_users_have_a_profile_at_the_start() -> None:
    profiles = by_key(simulate("clickstream", users=1_000, visits=0, out_of_order=0.5), "profiles")
    assert all(profile.timestamp == START_MS for (profile,) in profiles.values())
    assert len(profiles) == pytest.approx(800, abs=40)


def test_one_of_ten_visits_changes_the_profile_a_minute_after_its_start() -> None:
    changed = [
        profile.timestamp - START_MS
        for of_user in by_key(simulate("clickstream", users=2_000, visits=1), "profiles").values()
        for profile in of_user
        if profile.timestamp > START_MS
    ]
    assert len(changed) == pytest.approx(200, abs=30)
    assert min(changed) >= MINUTE
    assert 40 * MINUTE < max(changed) <= 41 * MINUTE


def test_a_profile_has_a_name_a_zip_code_of_five_digits_and_up_to_three_interests() -> None:
    profiles = [of_user[0].value for of_user in by_key(simulate("clickstream", users=1_000, visits=0), "profiles").values()]
    assert {len(profile.interests) for profile in profiles} == {0, 1, 2, 3}
    assert all(len(set(profile.interests)) == len(profile.interests) for profile in profiles)
    assert all(len(profile.zipcode) == 5 and profile.zipcode.isdecimal() for profile in profiles)
    assert min(profile.zipcode for profile in profiles) < "11000"
    assert max(profile.zipcode for profile in profiles) > "99000"
    assert len({profile.user_name for profile in profiles}) == 10


def test_the_first_page_is_twice_as_popular_as_the_second_and_ten_times_as_popular_as_the_tenth() -> None:
    views = Counter(view.value.page for view in simulate("popular-products", spoilt=0.0))
    assert len(views) == 100
    assert views["/products/item-001"] / views["/products/item-002"] == pytest.approx(2, rel=0.1)
    assert views["/products/item-001"] / views["/products/item-010"] == pytest.approx(10, rel=0.2)


def test_all_users_view_pages_and_views_are_up_to_100_ms_apart() -> None:
    views = simulate("popular-products", views=5_000, users=20)
    assert views[0].timestamp == START_MS
    assert set(gaps(views)) == set(range(101))
    assert Counter(view.key for view in views).keys() == {f"user-{number:02}" for number in range(1, 21)}


@pytest.mark.parametrize("spoilt", [0.0, 0.1, 1.0])
def test_a_spoilt_view_names_no_page(spoilt: float) -> None:
    views = simulate("popular-products", views=5_000, spoilt=spoilt)
    nameless = [view.value.page for view in views if not isinstance(view.value, PageView)]
    assert len(nameless) / len(views) == pytest.approx(spoilt, abs=0.02)
    assert len({str(page) for page in nameless}) == (3 if spoilt else 0)
