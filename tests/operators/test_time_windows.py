"""Folding in windows that begin at multiples of a length: tumbling and hopping ones."""

import pytest

from eddyline.application.topology import hopping, tumbling
from tests.operators.counting import after, counting


def test_a_window_holds_its_start_and_not_its_end() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(tumbling(10, grace=100)).count())
    assert after(engine, "a", 10) == [("a", 10, 20, 1, 10)]
    assert after(engine, "a", 19) == [("a", 10, 20, 2, 19)]
    assert after(engine, "a", 20) == [("a", 20, 30, 1, 20)]


def test_hopping_windows_overlap_and_change_oldest_first() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(hopping(10, advance=5, grace=0)).count())
    assert after(engine, "a", 12) == [("a", 5, 15, 1, 12), ("a", 10, 20, 1, 12)]


def test_no_window_begins_before_the_epoch() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(hopping(10, advance=5, grace=0)).count())
    assert after(engine, "a", 3) == [("a", 0, 10, 1, 3)]


def test_a_result_carries_the_greatest_timestamp_of_its_records() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(tumbling(10, grace=0)).count())
    after(engine, "a", 8)
    assert after(engine, "a", 2) == [("a", 0, 10, 2, 8)]


def test_a_late_record_is_taken_until_the_grace_is_over_and_dropped_once_for_each_window_then() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(hopping(10, advance=5, grace=3), retention_ms=50).count(store="counts"))
    after(engine, "b", 17)
    assert after(engine, "a", 9) == [("a", 5, 15, 1, 9)]
    after(engine, "b", 18)
    assert after(engine, "a", 9) == []
    assert engine.drops == {("counts-count", "late"): 3}


def test_time_stands_still_for_records_without_a_key() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(tumbling(10, grace=0)).count(store="counts"))
    assert after(engine, None, 500) == []
    assert after(engine, "a", 5) == [("a", 0, 10, 1, 5)]
    assert engine.drops == {("counts-count", "null-key"): 1}


def test_null_values_count() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(tumbling(10, grace=0)).count())
    assert after(engine, "a", 5, None) == [("a", 0, 10, 1, 5)]


@pytest.mark.parametrize(("retention_ms", "starts"), [(None, [20]), (11, [10, 20]), (21, [0, 10, 20])])
def test_a_store_keeps_windows_for_its_retention(retention_ms: int | None, starts: list[int]) -> None:
    engine = counting(lambda grouped: grouped.windowed_by(tumbling(10, grace=0), retention_ms=retention_ms).count(store="counts"))
    for timestamp in (0, 10, 20):
        after(engine, "a", timestamp)
    assert [row.window.start for row in engine.store("counts") if row.window] == starts
