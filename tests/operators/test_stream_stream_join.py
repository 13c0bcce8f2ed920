"""join, left_join and outer_join of two streams in windows."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.topology import JoinWindows, TopologyBuilder, join_windows
from tests.operators.join_model import Model
from tests.operators.running import engine_for, seen

TEN = join_windows(before=10, after=10, grace=0)


def pair(left: str | None, right: str | None) -> tuple[str | None, str | None]:
    return left, right


def joining(verb: str, windows: JoinWindows = TEN, **options: Any) -> MemoryEngine:
    def define(builder: TopologyBuilder) -> None:
        left = builder.stream("left", key=str, value=str)
        right = builder.stream("right", key=str, value=str)
        getattr(left, verb)(right, pair, windows=windows, name="both").to("out")

    return engine_for(define, **options)


def test_both_ends_of_the_window_belong_to_it_and_a_pair_has_the_greater_time() -> None:
    engine = joining("join", join_windows(before=10, after=20, grace=100))
    engine.pipe("left", "a", "l", 50)
    for time in (39, 40, 70, 71):
        engine.pipe("right", "a", f"r{time}", time)
    assert seen(engine) == [("a", ("l", "r40"), 50), ("a", ("l", "r70"), 70)]


def test_partners_come_by_time_then_by_arrival_each_pair_once() -> None:
    engine = joining("join")
    for value, time in [("r1", 9), ("r2", 5), ("r3", 9)]:
        engine.pipe("right", "a", value, time)
    engine.pipe("left", "a", "l", 8)
    assert [right for _, (_, right), _ in seen(engine)] == ["r2", "r1", "r3"]


def test_an_unmatched_record_comes_out_when_its_window_and_the_grace_have_passed() -> None:
    engine = joining("left_join", join_windows(before=10, after=10, grace=5))
    engine.pipe("left", "a", "l", 100)
    engine.pipe("right", "b", "r", 115)
    assert seen(engine) == []
    engine.pipe("right", "b", "r", 116)
    assert seen(engine) == [("a", ("l", None), 100)]


def test_unmatched_records_of_a_time_come_right_before_left_then_by_key() -> None:
    engine = joining("outer_join")
    for side, key in [("left", "b"), ("right", "c"), ("left", "a"), ("right", "é"), ("left", "a")]:
        engine.pipe(side, key, side, 100)
    engine.pipe("left", "z", "end", 1_000)
    assert [(key, values) for key, values, _ in seen(engine)] == [
        ("c", (None, "right")),
        ("é", (None, "right")),
        ("a", ("left", None)),
        ("a", ("left", None)),
        ("b", ("left", None)),
    ]


def test_a_null_key_has_no_partner_and_a_null_value_is_no_record() -> None:
    engine = joining("left_join")
    for side, key, value in [("left", None, "l"), ("left", "a", None), ("right", None, "r"), ("right", "a", None)]:
        engine.pipe(side, key, value, 0)
    assert seen(engine) == [(None, ("l", None), 0)]
    assert engine.drops == {("both", "null-value"): 2, ("both", "null-key"): 1}


def test_records_at_one_moment_join_in_a_window_of_no_length() -> None:
    engine = joining("join", join_windows(before=0, after=0, grace=0))
    for side in ("left", "left", "right"):
        engine.pipe(side, "a", side, 7)
    assert seen(engine) == [("a", ("left", "right"), 7)] * 2


def test_the_emit_interval_keeps_looks_apart_by_the_wall_clock() -> None:
    engine = joining("left_join", join_windows(before=10, after=10, grace=0, emit_interval=1_000))
    engine.pipe("left", "a", "l1", 100)
    engine.pipe("left", "b", "l2", 200)
    assert seen(engine) == []
    engine.advance_wall_clock(1_000)
    engine.pipe("left", "c", "l3", 201)
    assert [key for key, _, _ in seen(engine)] == ["a"]


def test_a_rekeyed_side_moves_through_a_topic_named_after_the_step() -> None:
    def first(_key: str, value: str) -> Any:
        return value[:1] or None

    def define(builder: TopologyBuilder) -> None:
        left = builder.stream("left", key=str, value=str).select_key(first, key=str)
        right = builder.stream("right", key=str, value=str)
        left.left_join(right, pair, windows=TEN, name="both").to("out")

    engine = engine_for(define, partitions=3)
    assert list(engine.topology.repartition_topics) == ["both-left-repartition"]
    engine.pipe("right", "x", "r", 5)
    engine.pipe("left", "k", "xl", 5)
    engine.pipe("left", "k", "", 6)
    assert seen(engine) == [("x", ("xl", "r"), 5), (None, ("", None), 6)]


RECORDS = st.lists(
    st.tuples(
        st.booleans(),
        st.sampled_from(["a", "b", None]) | st.just("a"),
        st.sampled_from(["x", "y"]) | st.none() | st.just("z"),
        st.integers(0, 120),
    ),
    max_size=40,
)
WINDOWS = st.builds(
    join_windows,
    before=st.sampled_from([0, 5, 20]),
    after=st.sampled_from([0, 5, 20]),
    grace=st.sampled_from([0, 3, 50]),
)


@pytest.mark.parametrize("verb", ["join", "left_join", "outer_join"])
@given(windows=WINDOWS, records=RECORDS)
@settings(max_examples=200)
def test_every_record_brings_what_the_rules_say(
    verb: str, windows: JoinWindows, records: list[tuple[bool, str | None, str | None, int]]
) -> None:
    engine = joining(verb, windows)
    model = Model(verb, windows.before_ms, windows.after_ms, windows.grace_ms)
    for left, key, value, time in records:
        engine.pipe("left" if left else "right", key, value, time)
        given = [(output.key, output.value, output.timestamp) for output in engine.take_outputs()]
        assert given == model.take(left, key, value, time)


@pytest.mark.parametrize("verb", ["join", "left_join", "outer_join"])
@given(records=RECORDS)
@settings(max_examples=60)
def test_pairs_are_the_same_with_several_partitions(verb: str, records: list[tuple[bool, str | None, str | None, int]]) -> None:
    wide = join_windows(before=20, after=5, grace=1_000)
    found = []
    for partitions in (1, 3):
        engine = joining(verb, wide, partitions=partitions)
        for left, key, value, time in records:
            engine.pipe("left" if left else "right", key, value, time)
        found.append(sorted(record for record in seen(engine) if None not in record[1]))
    assert found[0] == found[1]
