"""join of two streams in windows whose ends follow from the left values."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.application.topology import TopologyBuilder, TopologyError, join_windows
from eddyline.application.topology.joins import stream_joined
from eddyline.application.topology.stores import window_store
from eddyline.testing import MemoryEngine
from tests.fixtures.examples import examples
from tests.operators.running import emitted, engine_for


def pair(left: int, right: str) -> tuple[int, str]:
    return left, right


def joining(before: int = 0, grace: int = 0, **options: Any) -> MemoryEngine:
    """Return an engine that joins left records, whose value is the end of their window, with right ones."""

    def define(builder: TopologyBuilder) -> None:
        left = builder.stream("left", key=str, value=int)
        right = builder.stream("right", key=str, value=str)
        windows = join_windows(before=before, until=int, grace=grace)
        left.join(right, pair, windows=windows, name="both", **options).to("out")

    return engine_for(define)


def test_each_left_record_has_its_own_end_and_both_bounds_are_inclusive() -> None:
    engine = joining(before=5)
    engine.pipe("left", "a", 30, 20)
    engine.pipe("left", "a", 22, 20)
    for time in (22, 23, 30, 31):
        engine.pipe("right", "a", f"r{time}", time)
    assert emitted(engine) == [("a", (30, "r22"), 22), ("a", (22, "r22"), 22), ("a", (30, "r23"), 23), ("a", (30, "r30"), 30)]


def test_right_records_that_come_first_are_joined_from_before_the_left_timestamp_on() -> None:
    engine = joining(before=5, grace=100)
    for time in (30, 24, 25, 14):
        engine.pipe("right", "a", f"r{time}", time)
    engine.pipe("left", "a", 29, 20)
    engine.pipe("left", "a", 10, 20)
    assert emitted(engine) == [("a", (29, "r24"), 24), ("a", (29, "r25"), 25)]


def test_a_condition_limits_the_matches() -> None:
    engine = joining(condition=lambda left, right: str(left) == right)
    engine.pipe("left", "a", 10, 0)
    for value in ("9", "10"):
        engine.pipe("right", "a", value, 5)
    assert emitted(engine) == [("a", (10, "10"), 5)]


def test_records_with_a_null_key_or_value_are_dropped() -> None:
    engine = joining()
    for side, key, value in [("left", None, 9), ("left", "a", None), ("right", None, "r"), ("right", "a", None)]:
        engine.pipe(side, key, value, 0)
    assert emitted(engine) == []
    assert engine.drops == {("both", "null-key"): 2, ("both", "null-value"): 2}


def test_a_left_record_is_kept_until_its_end_and_the_grace_period_are_over() -> None:
    engine = joining(grace=5)
    engine.pipe("left", "a", 10, 0)
    engine.pipe("right", "b", "r", 15)
    engine.pipe("right", "a", "in time", 10)
    engine.pipe("right", "b", "r", 16)
    engine.pipe("right", "a", "late", 10)
    assert emitted(engine) == [("a", (10, "in time"), 10)]


def test_the_state_ends_with_the_windows() -> None:
    engine = joining(before=2, grace=3)
    for number in range(100):
        engine.pipe("left", f"k{number % 7}", number * 10 + 20, number * 10)
        engine.pipe("right", f"k{number % 3}", "r", number * 10)
    assert [row.value for row in engine.store("both-left-store")] == [[(980, 1000, 1000)], [(990, 1010, 1010)], [(970, 990, 990)]]
    assert len(engine.store("both-ends-store")) == 3
    assert len(engine.store("both-right-store")) == 1


RECORDS = st.lists(st.tuples(st.booleans(), st.sampled_from("ab"), st.integers(-20, 60), st.integers(0, 9)), max_size=40)


@given(records=RECORDS, before=st.integers(-5, 20), lateness=st.integers(0, 30))
@settings(max_examples=examples(200))
def test_all_pairs_are_joined_if_no_record_is_later_than_the_grace_period(
    records: list[tuple[bool, str, int, int]], before: int, lateness: int
) -> None:
    engine = joining(before=before, grace=lateness)
    lefts: list[tuple[str, int, int]] = []
    rights: list[tuple[str, str, int]] = []
    stream_time = 0
    for number, (left, key, length, step) in enumerate(records):
        time = max(0, stream_time + step - lateness)
        stream_time = max(stream_time, time) + (step if lateness == 0 else 1)
        time = max(time, stream_time - lateness)
        if left:
            lefts.append((key, time + length, time))
        else:
            rights.append((key, f"r{number}", time))
        engine.pipe("left" if left else "right", key, time + length if left else f"r{number}", time)
    expected = [
        (key, (end, value), max(time, other_time))
        for key, end, time in lefts
        for other, value, other_time in rights
        if key == other and time - before <= other_time <= end
    ]
    assert sorted(emitted(engine)) == sorted(expected)


def test_the_ends_must_be_a_function_of_the_value_instead_of_a_length() -> None:
    with pytest.raises(TopologyError, match="a join window has both after= and until=; pass after="):
        join_windows(before=0, after=1, until=int, grace=0)
    with pytest.raises(TopologyError, match="a join window has neither after= nor until=; pass after="):
        join_windows(before=0, grace=0)


def test_a_function_of_more_than_the_value_is_refused() -> None:
    builder = TopologyBuilder()
    stream = builder.stream("in", key=str, value=str)
    windows = join_windows(before=0, until=lambda _key, value: int(value), grace=0)  # type: ignore[misc,arg-type]
    with pytest.raises(TopologyError, match=r"until= of the join window of operator 'both' is called with \(left\)"):
        stream.join(stream, lambda one, _other: one, windows=windows, name="both")


def test_its_stores_hold_left_records_by_key_their_ends_and_right_records_for_before_and_grace() -> None:
    stores = joining(before=10, grace=5).topology.stores
    assert {name: (spec.kind.value, spec.key_type, spec.value_type, spec.retention_ms) for name, spec in stores.items()} == {
        "both-left-store": ("key-value", str, list[tuple[int, int, int]], None),
        "both-ends-store": ("key-value", tuple[int, str], bool, None),
        "both-right-store": ("window", str, list[str], 16),
    }


def test_its_stores_can_be_named_but_not_replaced() -> None:
    assert list(joining(joined=stream_joined(store_name="bids")).topology.stores) == [
        "bids-left-store",
        "bids-ends-store",
        "bids-right-store",
    ]
    store = window_store("mine", key=str, value=int, retention=1, window_size=1)
    with pytest.raises(
        TopologyError, match="join 'both' has until= and chooses its stores itself, but got store 'mine'; pass st"
    ):
        joining(joined=stream_joined(this_store=store))
