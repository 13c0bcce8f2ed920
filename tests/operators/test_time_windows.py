"""Aggregation in tumbling and hopping windows."""

import pytest

from eddyline.application.topology import hopping, tumbling
from tests.operators.counting import counting, pipe


def test_the_start_of_a_window_is_inclusive_and_its_end_exclusive() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(tumbling(10, grace=100)).count())
    assert pipe(engine, "a", 10) == [("a", 10, 20, 1, 10)]
    assert pipe(engine, "a", 19) == [("a", 10, 20, 2, 19)]
    assert pipe(engine, "a", 20) == [("a", 20, 30, 1, 20)]


def test_hopping_windows_overlap_and_are_updated_oldest_first() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(hopping(10, advance=5, grace=0)).count())
    assert pipe(engine, "a", 12) == [("a", 5, 15, 1, 12), ("a", 10, 20, 1, 12)]


def test_no_window_starts_before_the_epoch() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(hopping(10, advance=5, grace=0)).count())
    assert pipe(engine, "a", 3) == [("a", 0, 10, 1, 3)]


def test_a_result_has_the_greatest_timestamp_of_its_records() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(tumbling(10, grace=0)).count())
    pipe(engine, "a", 8)
    assert pipe(engine, "a", 2) == [("a", 0, 10, 2, 8)]


def test_a_late_record_is_accepted_during_the_grace_period_and_then_dropped_once() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(hopping(10, advance=5, grace=3), retention_ms=50).count(store="counts"))
    pipe(engine, "b", 17)
    assert pipe(engine, "a", 9) == [("a", 5, 15, 1, 9)]
    pipe(engine, "b", 18)
    assert pipe(engine, "a", 9) == []
    assert engine.drops == {("counts-count", "late"): 2}


def test_records_without_a_key_do_not_advance_stream_time() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(tumbling(10, grace=0)).count(store="counts"))
    assert pipe(engine, None, 500) == []
    assert pipe(engine, "a", 5) == [("a", 0, 10, 1, 5)]
    assert engine.drops == {("counts-count", "null-key"): 1}


def test_records_with_null_values_are_counted() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(tumbling(10, grace=0)).count())
    assert pipe(engine, "a", 5, None) == [("a", 0, 10, 1, 5)]


@pytest.mark.parametrize(("retention_ms", "starts"), [(None, [20]), (11, [10, 20]), (21, [0, 10, 20])])
def test_a_store_keeps_windows_for_its_retention(retention_ms: int | None, starts: list[int]) -> None:
    engine = counting(lambda grouped: grouped.windowed_by(tumbling(10, grace=0), retention_ms=retention_ms).count(store="counts"))
    for timestamp in (0, 10, 20):
        pipe(engine, "a", timestamp)
    assert [row.window.start for row in engine.store("counts") if row.window] == starts
