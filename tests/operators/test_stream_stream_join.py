"""join, left_join and outer_join of two streams in windows."""

from typing import Any

import pytest
from hypothesis import given, settings

from eddyline.application.topology import JoinWindows, TopologyBuilder, join_windows
from eddyline.testing import MemoryEngine
from tests.fixtures.examples import examples
from tests.operators.join_model import RECORDS, WINDOWS, JoinModel, SideRecord
from tests.operators.running import emitted, engine_for

TEN = join_windows(before=10, after=10, grace=0)


def pair(left: str | None, right: str | None) -> tuple[str | None, str | None]:
    return left, right


def joining(operator: str, windows: JoinWindows = TEN, **options: Any) -> MemoryEngine:
    def define(builder: TopologyBuilder) -> None:
        left = builder.stream("left", key=str, value=str)
        right = builder.stream("right", key=str, value=str)
        getattr(left, operator)(right, pair, windows=windows, name="both").to("out")

    return engine_for(define, **options)


def test_both_bounds_of_the_window_are_inclusive_and_the_result_has_the_greater_timestamp() -> None:
    engine = joining("join", join_windows(before=10, after=20, grace=100))
    engine.pipe("left", "a", "l", 50)
    for time in (39, 40, 70, 71):
        engine.pipe("right", "a", f"r{time}", time)
    assert emitted(engine) == [("a", ("l", "r40"), 50), ("a", ("l", "r70"), 70)]


def test_matches_are_joined_by_timestamp_then_by_arrival() -> None:
    engine = joining("join")
    for value, time in [("r1", 9), ("r2", 5), ("r3", 9)]:
        engine.pipe("right", "a", value, time)
    engine.pipe("left", "a", "l", 8)
    assert [right for _, (_, right), _ in emitted(engine)] == ["r2", "r1", "r3"]


def test_an_unmatched_record_is_emitted_when_its_window_and_the_grace_period_are_over() -> None:
    engine = joining("left_join", join_windows(before=10, after=10, grace=5))
    engine.pipe("left", "a", "l", 100)
    engine.pipe("right", "b", "r", 115)
    assert emitted(engine) == []
    engine.pipe("right", "b", "r", 116)
    assert emitted(engine) == [("a", ("l", None), 100)]


def test_unmatched_records_of_a_timestamp_are_emitted_right_before_left_then_by_key() -> None:
    engine = joining("outer_join")
    for side, key in [("left", "b"), ("right", "c"), ("left", "a"), ("right", "é"), ("left", "a")]:
        engine.pipe(side, key, side, 100)
    engine.pipe("left", "z", "end", 1_000)
    assert [(key, values) for key, values, _ in emitted(engine)] == [
        ("c", (None, "right")),
        ("é", (None, "right")),
        ("a", ("left", None)),
        ("a", ("left", None)),
        ("b", ("left", None)),
    ]


def test_a_record_with_a_null_key_has_no_match_and_one_with_a_null_value_is_dropped() -> None:
    engine = joining("left_join")
    for side, key, value in [("left", None, "l"), ("left", "a", None), ("right", None, "r"), ("right", "a", None)]:
        engine.pipe(side, key, value, 0)
    assert emitted(engine) == [(None, ("l", None), 0)]
    assert engine.drops == {("both", "null-value"): 2, ("both", "null-key"): 1}


def test_records_with_the_same_timestamp_are_joined_in_a_window_of_zero_length() -> None:
    engine = joining("join", join_windows(before=0, after=0, grace=0))
    for side in ("left", "left", "right"):
        engine.pipe(side, "a", side, 7)
    assert emitted(engine) == [("a", ("left", "right"), 7)] * 2


def test_the_emit_interval_is_the_minimum_wall_clock_time_between_two_emissions() -> None:
    engine = joining("left_join", join_windows(before=10, after=10, grace=0, emit_interval=1_000))
    engine.pipe("left", "a", "l1", 100)
    engine.pipe("left", "b", "l2", 200)
    assert emitted(engine) == []
    engine.advance_wall_clock(1_000)
    engine.pipe("left", "c", "l3", 201)
    assert [key for key, _, _ in emitted(engine)] == ["a"]


def test_a_side_with_new_keys_is_repartitioned_through_a_topic_named_after_the_operator() -> None:
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
    assert emitted(engine) == [("x", ("xl", "r"), 5), (None, ("", None), 6)]


@pytest.mark.parametrize("operator", ["join", "left_join", "outer_join"])
@given(windows=WINDOWS, records=RECORDS)
@settings(max_examples=examples(200))
def test_every_record_emits_what_the_rules_define(operator: str, windows: JoinWindows, records: list[SideRecord]) -> None:
    JoinModel(operator, windows).check(joining(operator, windows), records)


@pytest.mark.parametrize("operator", ["join", "left_join", "outer_join"])
@given(records=RECORDS)
@settings(max_examples=examples(60))
def test_joined_pairs_do_not_depend_on_the_number_of_partitions(operator: str, records: list[SideRecord]) -> None:
    wide = join_windows(before=20, after=5, grace=1_000)
    found = []
    for partitions in (1, 3):
        engine = joining(operator, wide, partitions=partitions)
        for left, key, value, time in records:
            engine.pipe("left" if left else "right", key, value, time)
        found.append(sorted(record for record in emitted(engine) if None not in record[1]))
    assert found[0] == found[1]


def test_a_record_at_time_zero_is_not_joined_with_one_after_its_window() -> None:
    engine = joining("join", join_windows(before=0, after=0, grace=10))
    engine.pipe("right", "a", "r", 1)
    engine.pipe("left", "a", "l", 0)
    assert emitted(engine) == []


def test_the_joiner_gets_the_key_of_unmatched_records_of_both_sides() -> None:
    def define(builder: TopologyBuilder) -> None:
        left = builder.stream("left", key=str, value=str)
        right = builder.stream("right", key=str, value=str)
        left.outer_join(right, lambda key, one, other: (key, one, other), windows=TEN, with_key=True, value=tuple).to("out")

    engine = engine_for(define)
    engine.pipe("left", "a", "l", 0)
    engine.pipe("right", "b", "r", 0)
    engine.pipe("right", "c", "end", 100)
    assert emitted(engine) == [("b", ("b", None, "r"), 0), ("a", ("a", "l", None), 0)]
