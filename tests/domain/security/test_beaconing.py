from collections.abc import Callable
from functools import reduce
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.security import MAX_CALLS, Beacon, BeaconRules, Calls, Connection, KnownDestination, Route

ROUTE = Route("pc-7", "evil.example")
RULES = BeaconRules(least_calls=5, most_variation=0.1)
times = st.lists(st.integers(0, 10_000))


def calls(at: list[int]) -> Calls:
    return reduce(Calls.add, [Connection("evil.example", time) for time in at], Calls())


def beacon(at: list[int], *, least_calls: int = 5, most_variation: float = 0.1) -> Beacon | None:
    return calls(at).beacon(ROUTE, BeaconRules(least_calls, most_variation))


def test_calls_at_equal_intervals_are_a_beacon() -> None:
    assert beacon([0, 60, 120, 180, 240]) == Beacon("pc-7", "evil.example", 5, 60.0, 0.0, 0, 240)


def test_fewer_calls_than_required_are_no_beacon() -> None:
    assert beacon([0, 60, 120, 180]) is None


def test_two_calls_are_never_a_beacon_since_one_interval_is_always_regular() -> None:
    assert beacon([0, 60], least_calls=2) is None
    assert beacon([0, 60, 120], least_calls=2) is not None


def test_calls_at_the_same_time_are_no_beacon() -> None:
    assert beacon([7, 7, 7, 7, 7]) is None


def test_the_variation_is_the_standard_deviation_of_the_intervals_as_a_fraction_of_their_mean() -> None:
    found = beacon([0, 90, 200, 290, 400], most_variation=0.1)
    assert found is not None
    assert found.interval_ms == 100.0
    assert found.variation == pytest.approx(0.1)
    assert beacon([0, 90, 200, 290, 400], most_variation=0.099) is None


@given(times)
def test_calls_are_kept_in_order_of_time_whatever_their_order_of_arrival(at: list[int]) -> None:
    assert calls(at) == Calls(len(at), tuple(sorted(at)))


@given(times, times, times)
def test_calls_are_a_monoid(one: list[int], two: list[int], three: list[int]) -> None:
    a, b, c = calls(one), calls(two), calls(three)
    assert a.merge(b).merge(c) == a.merge(b.merge(c)) == calls([*one, *two, *three])
    assert a.merge(Calls()) == a == Calls().merge(a)


def test_only_the_number_of_more_calls_than_the_maximum_is_kept() -> None:
    full = Calls(MAX_CALLS, tuple(range(MAX_CALLS)))
    assert full.beacon(ROUTE, RULES) is not None
    over = full.add(Connection("evil.example", MAX_CALLS))
    assert over == Calls(MAX_CALLS + 1) == full.merge(calls([5]))
    assert over.add(Connection("evil.example", 0)) == Calls(MAX_CALLS + 2)
    assert over.merge(calls([1])) == Calls(MAX_CALLS + 2)
    assert over.beacon(ROUTE, RULES) is None
    almost = Calls(MAX_CALLS - 1, tuple(range(MAX_CALLS - 1)))
    assert almost.add(Connection("evil.example", MAX_CALLS - 1)) == full == almost.merge(calls([MAX_CALLS - 1]))


@given(st.integers(1, 1_000_000), st.integers(5, 50), st.data())
def test_calls_with_little_jitter_are_a_beacon(interval: int, count: int, data: st.DataObject) -> None:
    jitter = data.draw(st.lists(st.integers(0, interval // 30), min_size=count, max_size=count))
    found = beacon([number * interval + late for number, late in enumerate(jitter)])
    assert found is not None
    assert found.interval_ms == pytest.approx(interval, rel=0.05)


@given(st.lists(st.integers(0, 10_000), min_size=5, max_size=40))
def test_the_intervals_of_a_beacon_deviate_no_more_than_its_variation_allows(at: list[int]) -> None:
    found = beacon(at, most_variation=0.2)
    if found is not None:
        intervals = [later - earlier for earlier, later in pairwise(sorted(at))]
        most = 0.2 * found.interval_ms * len(intervals) ** 0.5
        assert all(abs(interval - found.interval_ms) <= most + 1e-6 for interval in intervals)


@pytest.mark.parametrize(
    ("create", "reason"),
    [
        (lambda: Connection("", 1), "destination is ''; it must be a text that is not empty"),
        (lambda: Connection("a.example", -1), "at is -1; it must be a whole number of at least 0"),
        (lambda: KnownDestination(" "), "owner is ' '; it must be a text that is not empty"),
        (lambda: BeaconRules(0, 0.1), "least_calls is 0; it must be a whole number of at least 1"),
        (lambda: BeaconRules(3, -0.1), "most_variation is -0.1; it must be a number of at least 0"),
    ],
)
def test_what_cannot_be_true_cannot_be_created(create: Callable[[], object], reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        create()
