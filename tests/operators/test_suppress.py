"""Holding a table's updates back."""

from typing import Any

import pytest

from eddyline.application.operators.suppress import BufferFullError
from eddyline.application.topology import TopologyBuilder, session, sliding, tumbling, until_time_limit, until_window_closes
from eddyline.application.topology.suppressed import UntilTimeLimit
from tests.operators.counting import after, counting
from tests.operators.running import engine_for, seen


def held_counts(until: UntilTimeLimit) -> Any:
    def define(builder: TopologyBuilder) -> None:
        builder.stream("in", key=str, value=str).group_by_key().count().suppress(until).to_stream().to("out")

    return engine_for(define)


def test_a_windows_result_leaves_once_when_stream_time_reaches_its_end_and_grace() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(tumbling(10, grace=3)).count().suppress(until_window_closes()))
    assert after(engine, "a", 1) == after(engine, "a", 12) == after(engine, "a", 2) == []
    assert after(engine, "b", 13) == [("a", 0, 10, 2, 2)]


def test_results_leave_by_window_end_then_key() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(tumbling(10, grace=50)).count().suppress(until_window_closes()))
    for key, timestamp in (("é", 1), ("b", 11), ("z", 2), ("a", 12), ("a", 3)):
        after(engine, key, timestamp)
    assert [shown[:2] for shown in after(engine, "a", 100)] == [("a", 0), ("z", 0), ("é", 0), ("a", 10), ("b", 10)]


def test_sessions_that_were_merged_never_leave() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(session(10, grace=0)).count().suppress(until_window_closes()))
    after(engine, "a", 0)
    after(engine, "a", 8)
    assert after(engine, "b", 18) == [("a", 0, 8, 2, 8)]


def test_a_sliding_window_leaves_only_when_it_can_change_no_more() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(sliding(10, grace=0)).count().suppress(until_window_closes()))
    after(engine, "a", 50)
    assert after(engine, "a", 50) == []
    assert after(engine, "b", 51) == [("a", 40, 50, 2, 50)]


def test_the_clock_on_the_wall_lets_nothing_out() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(tumbling(10, grace=0)).count().suppress(until_window_closes()))
    after(engine, "a", 1)
    engine.advance_wall_clock(1_000_000)
    assert engine.outputs() == []


def test_values_may_be_made_anew_between_the_fold_and_the_wait() -> None:
    engine = counting(
        lambda grouped: (
            grouped.windowed_by(tumbling(10, grace=5))
            .count()
            .map_values(lambda count: f"{count} times", value=str)
            .suppress(until_window_closes())
        )
    )
    after(engine, "a", 1)
    assert after(engine, "a", 15) == [("a", 0, 10, "1 times", 1)]


def test_the_latest_update_leaves_a_time_after_the_first_that_was_held() -> None:
    engine = held_counts(until_time_limit(10))
    for timestamp in (0, 4, 9):
        engine.pipe("in", "a", "x", timestamp)
    engine.pipe("in", "b", "x", 10)
    engine.pipe("in", "a", "x", 11)
    engine.pipe("in", "b", "x", 21)
    assert seen(engine) == [("a", 3, 9), ("b", 2, 21), ("a", 4, 11)]


def test_the_oldest_leave_early_when_the_buffer_is_full() -> None:
    engine = held_counts(until_time_limit(1_000, max_records=2))
    for key, timestamp in (("c", 1), ("a", 2), ("c", 3), ("b", 4)):
        engine.pipe("in", key, "x", timestamp)
    assert seen(engine) == [("c", 2, 3)]


def test_a_full_buffer_may_stop_the_task_with_an_error_that_names_the_cure() -> None:
    engine = held_counts(until_time_limit(1_000, max_records=1, when_full="shut-down"))
    engine.pipe("in", "a", "x", 1)
    with pytest.raises(BufferFullError, match=r"step 'in-count-suppress' holds 2 keys back, but may hold 1; .* max_records"):
        engine.pipe("in", "b", "x", 2)


def test_results_that_must_be_final_stop_the_task_rather_than_leave_early() -> None:
    engine = counting(
        lambda grouped: grouped.windowed_by(tumbling(10, grace=0)).count().suppress(until_window_closes(max_records=1))
    )
    after(engine, "a", 1)
    with pytest.raises(BufferFullError):
        after(engine, "b", 2)


def test_what_hears_a_table_that_is_held_back_sees_each_value_replace_the_one_that_left_before() -> None:
    def define(builder: TopologyBuilder) -> None:
        counts = builder.stream("in", key=str, value=str).group_by_key().count().suppress(until_time_limit(10))
        grouped = counts.group_by(lambda _key, count: ("all", count), key=str, value=int)
        grouped.reduce(lambda total, count: total + count, lambda total, count: total - count, store="total")

    engine = engine_for(define)
    for timestamp in (0, 1, 10, 11, 12, 30):
        engine.pipe("in", "a", "x", timestamp)
    assert [(row.key, row.value) for row in engine.store("total")] == [("all", 6)]


def test_a_join_reads_from_a_table_that_is_held_back_what_has_left_it() -> None:
    def define(builder: TopologyBuilder) -> None:
        names = builder.table("names", key=str, value=str, store="names").suppress(until_time_limit(10))
        joined = builder.table("in", key=str, value=str, store="in").left_join(names, lambda value, name: f"{value} {name}")
        joined.to_stream().to("out")

    engine = engine_for(define)
    engine.pipe("names", "a", "Ann", 0)
    engine.pipe("in", "a", "before", 5)
    engine.pipe("names", "b", "Bob", 10)
    engine.pipe("names", "a", "Anna", 11)
    engine.pipe("in", "a", "after", 12)
    assert [value for _, value, _ in seen(engine)] == ["before None", "before Ann", "after Ann"]
