"""Aggregation in one window without end."""

from eddyline.application.topology import unlimited
from tests.operators.counting import counting, pipe

FOREVER = (1 << 63) - 1


def test_all_records_from_the_start_on_share_one_window_however_late() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(unlimited(start=10)).count(store="counts"))
    pipe(engine, "a", 1 << 50)
    assert pipe(engine, "a", 10) == [("a", 10, FOREVER, 2, 1 << 50)]
    assert [(row.window, row.value) for row in engine.store("counts")] == [((10, FOREVER), 2)]


def test_records_before_the_start_are_dropped_with_a_reason() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(unlimited(start=10)).count(store="counts"))
    assert pipe(engine, "a", 9) == []
    assert engine.drops == {("counts-count", "no-window"): 1}
