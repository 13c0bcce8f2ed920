"""Aggregation in sliding windows."""

from typing import Any

from eddyline.application.topology import TopologyBuilder, sliding
from tests.operators.counting import counting, pipe
from tests.operators.running import engine_for


def test_windows_end_at_an_event_or_start_one_millisecond_after_one() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(sliding(10, grace=0)).count())
    assert pipe(engine, "a", 80) == [("a", 70, 80, 1, 80)]
    assert pipe(engine, "a", 82) == [("a", 81, 91, 1, 82), ("a", 72, 82, 2, 82)]
    assert pipe(engine, "a", 91) == [("a", 83, 93, 1, 91), ("a", 81, 91, 2, 91)][::-1]


def test_an_event_before_others_creates_its_right_window() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(sliding(10, grace=50)).count())
    pipe(engine, "a", 105)
    assert pipe(engine, "a", 100) == [("a", 95, 105, 2, 105), ("a", 90, 100, 1, 100), ("a", 101, 111, 1, 105)]


def test_events_with_the_same_timestamp_share_their_windows() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(sliding(10, grace=0)).count())
    pipe(engine, "a", 50)
    assert pipe(engine, "a", 50) == [("a", 40, 50, 2, 50)]


def test_events_near_the_epoch_share_the_window_that_starts_there() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(sliding(10, grace=0)).count())
    assert pipe(engine, "a", 3) == [("a", 0, 10, 1, 3)]
    assert pipe(engine, "a", 5) == [("a", 4, 14, 1, 5), ("a", 0, 10, 2, 5)]


def test_a_window_accepts_events_until_its_grace_period_is_over() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(sliding(10, grace=5)).count(store="counts"))
    pipe(engine, "a", 100)
    pipe(engine, "b", 105)
    assert pipe(engine, "a", 100) == [("a", 90, 100, 2, 100)]
    pipe(engine, "b", 106)
    assert pipe(engine, "a", 100) == []
    assert pipe(engine, "a", 90) == []
    assert engine.drops == {("counts-count", "late"): 2}


def test_null_keys_and_null_values_are_dropped() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(sliding(10, grace=0)).count(store="counts"))
    assert pipe(engine, None, 900) == pipe(engine, "a", 900, None) == []
    assert pipe(engine, "a", 50) == [("a", 40, 50, 1, 50)]
    assert engine.drops == {("counts-count", "null-key"): 1, ("counts-count", "null-value"): 1}


def test_a_window_that_two_events_define_is_emitted_twice_and_counted_once() -> None:
    def define(builder: TopologyBuilder) -> None:
        counts = builder.stream("in", key=str, value=str).group_by_key().windowed_by(sliding(10, grace=50)).count()
        counts.to_stream().to("out")
        by_key = counts.group_by(lambda windowed, count: (windowed.key, count), key=str, value=int)
        by_key.reduce(lambda total, count: total + count, lambda total, count: total - count, store="totals")

    engine = engine_for(define)
    pipe(engine, "a", 100)
    pipe(engine, "a", 105)
    assert pipe(engine, "a", 116) == [("a", 106, 116, 1, 116)] * 2
    assert [(row.key, row.value) for row in engine.store("totals")] == [("a", 1 + 2 + 1 + 1)]


def test_the_adder_can_take_the_key_and_may_end_a_window() -> None:
    def add(key: str, total: str, value: int) -> Any:
        return None if value == 0 else f"{total}{key}{value}"

    engine = engine_for(
        lambda builder: (
            builder.stream("in", key=str, value=int)
            .group_by_key()
            .windowed_by(sliding(10, grace=50))
            .aggregate(str, add, with_key=True, value=str, store="texts")
        )
    )
    engine.pipe("in", "a", 1, 100)
    engine.pipe("in", "a", 2, 105)
    assert [(row.key, row.value) for row in engine.store("texts")] == [("a", "a1"), ("a", "a1a2"), ("a", "a2")]
    engine.pipe("in", "a", 0, 105)
    assert [(row.key, row.value) for row in engine.store("texts")] == [("a", "a1")]


def test_the_window_that_an_earlier_event_creates_has_the_headers_of_that_event() -> None:
    engine = engine_for(
        lambda builder: (
            builder.stream("in", key=str, value=int)
            .group_by_key()
            .windowed_by(sliding(10, grace=50))
            .count()
            .to_stream()
            .to("out")
        )
    )
    engine.pipe("in", "a", 1, 105, (("trace", b"first"),))
    engine.take_outputs()
    engine.pipe("in", "a", 1, 100, (("trace", b"second"),))
    assert {output.headers for output in engine.outputs("out")} == {(("trace", b"second"),)}
