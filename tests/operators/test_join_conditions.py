"""join, left_join and outer_join of two streams with a condition, and joins without bounds of time."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.application.topology import JoinWindows, TopologyBuilder, TopologyError, join_windows, unlimited_join_windows
from eddyline.testing import MemoryEngine
from tests.fixtures.examples import examples
from tests.operators.join_model import RECORDS, WINDOWS, JoinModel, SideRecord
from tests.operators.running import emitted, engine_for

TEN = join_windows(before=10, after=10, grace=0)


def pair(left: str | None, right: str | None) -> tuple[str | None, str | None]:
    return left, right


def alphabetical(left: str, right: str) -> bool:
    return left <= right


def joining(operator: str, windows: JoinWindows = TEN, **options: Any) -> MemoryEngine:
    def define(builder: TopologyBuilder) -> None:
        left = builder.stream("left", key=str, value=str)
        right = builder.stream("right", key=str, value=str)
        getattr(left, operator)(right, pair, windows=windows, condition=alphabetical, name="both").to("out")

    return engine_for(define, **options)


def test_only_pairs_that_meet_the_condition_are_joined_whichever_side_comes_first() -> None:
    engine = joining("join")
    for side, value in [("left", "b"), ("right", "a"), ("right", "c"), ("left", "c"), ("left", "d")]:
        engine.pipe(side, "k", value, 0)
    assert [values for _, values, _ in emitted(engine)] == [("b", "c"), ("c", "c")]


def test_a_left_record_without_a_pair_that_meets_the_condition_is_unmatched() -> None:
    engine = joining("left_join")
    engine.pipe("left", "k", "b", 100)
    engine.pipe("right", "k", "a", 100)
    assert emitted(engine) == []
    engine.pipe("left", "x", "end", 111)
    assert emitted(engine) == [("k", ("b", None), 100)]


def test_of_several_records_of_a_timestamp_only_those_that_meet_the_condition_are_matched() -> None:
    engine = joining("outer_join")
    for value in ("a", "c", "b"):
        engine.pipe("left", "k", value, 100)
    engine.pipe("right", "k", "b", 101)
    assert [values for _, values, _ in emitted(engine)] == [("a", "b"), ("b", "b")]
    engine.pipe("right", "x", "end", 1_000)
    assert [values for _, values, _ in emitted(engine)] == [("a", "b"), ("b", "b"), ("c", None)]


def test_a_right_record_that_meets_no_condition_is_emitted_alone_by_an_outer_join() -> None:
    engine = joining("outer_join")
    engine.pipe("left", "k", "b", 100)
    engine.pipe("right", "k", "a", 100)
    engine.pipe("left", "x", "end", 1_000)
    assert [values for _, values, _ in emitted(engine)] == [(None, "a"), ("b", None)]


@pytest.mark.parametrize("operator", ["join", "left_join", "outer_join"])
@given(windows=WINDOWS, records=RECORDS)
@settings(max_examples=examples(200))
def test_every_record_emits_what_the_rules_define(operator: str, windows: JoinWindows, records: list[SideRecord]) -> None:
    JoinModel(operator, windows, alphabetical).check(joining(operator, windows), records)


@given(records=RECORDS, years=st.integers(0, 10_000))
@settings(max_examples=examples(60))
def test_without_bounds_every_pair_of_a_key_that_meets_the_condition_is_joined(records: list[SideRecord], years: int) -> None:
    engine = joining("join", unlimited_join_windows())
    apart = years * 31_536_000_000
    for left, key, value, time in records:
        engine.pipe("left" if left else "right", key, value, time * max(1, apart))
    valid = [record for record in records if None not in record]
    expected = [
        (key, (value, other), max(time, other_time) * max(1, apart))
        for left, key, value, time in valid
        for other_left, other_key, other, other_time in valid
        if left and not other_left and key == other_key and alphabetical(value or "", other or "")
    ]
    assert sorted(emitted(engine)) == sorted(expected)


@pytest.mark.parametrize("operator", ["left_join", "outer_join"])
@pytest.mark.parametrize(
    ("windows", "what"),
    [(unlimited_join_windows(), "without bounds"), (join_windows(before=0, until=len, grace=0), "that ends as until= says")],
)
def test_records_without_a_match_need_a_window_of_fixed_length(operator: str, windows: JoinWindows, what: str) -> None:
    with pytest.raises(TopologyError, match=rf"join 'both' is a (left|outer) join in a window {what}, .*use join\("):
        joining(operator, windows)


def test_a_condition_is_only_for_joins_of_two_streams() -> None:
    builder = TopologyBuilder()
    stream: Any = builder.stream("in", key=str, value=str)
    with pytest.raises(TopologyError, match=r"'in' is joined with table 'rows.*', but condition= .*use \.filter\(…\) on the res"):
        stream.join(builder.table("rows", key=str, value=str), pair, condition=alphabetical)
