from collections import Counter

from eddyline.application.samples.simulation.events import MINUTE, SECOND, START_MS
from tests.samples.events import by_key, gaps
from tests.samples.simulated import simulate

MANY = 300


def test_people_act_two_to_fourteen_times_at_intervals_of_seconds() -> None:
    actions = by_key(simulate("captcha", humans=MANY, robots=0), "actions").values()
    between = [gap for of_browser in actions for gap in gaps(of_browser)]
    starts = [of_browser[0].timestamp - START_MS for of_browser in actions]
    assert {len(of_browser) for of_browser in actions} == set(range(2, 15))
    assert 2 * SECOND <= min(between) < 3 * SECOND
    assert 39 * SECOND < max(between) <= 40 * SECOND
    assert 4 * MINUTE < max(starts) <= 5 * MINUTE


def test_people_solve_one_captcha_right_after_their_fifth_action() -> None:
    events = simulate("captcha", humans=MANY, robots=0)
    solved = by_key(events, "captchas-solved")
    for browser, acted in by_key(events, "actions").items():
        after = [event.timestamp for event in solved.get(browser, [])]
        assert after == ([acted[4].timestamp + 1] if len(acted) >= 5 else [])


def test_robots_act_many_times_per_second_and_solve_no_captcha() -> None:
    events = simulate("captcha", humans=0, robots=2 * MANY)
    actions = by_key(events, "actions").values()
    between = Counter(gap for of_browser in actions for gap in gaps(of_browser))
    assert {event.topic for event in events} == {"actions"}
    lengths = {len(of_browser) for of_browser in actions}
    assert (min(lengths), max(lengths)) == (30, 120)
    assert set(between) == set(range(20, 301))
    assert 4 * MINUTE < max(of_browser[0].timestamp - START_MS for of_browser in actions) <= 5 * MINUTE


def test_people_and_robots_have_the_same_kinds_of_actions() -> None:
    for humans, robots in ((MANY, 0), (0, 20)):
        actions = Counter(
            event.value["action"] for event in simulate("captcha", humans=humans, robots=robots) if event.topic == "actions"
        )
        assert set(actions) == {"open", "like", "comment", "follow"}
