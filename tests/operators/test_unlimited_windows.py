"""Folding in one window without end."""

from eddyline.application.topology import unlimited
from tests.operators.counting import after, counting

FOREVER = (1 << 63) - 1


def test_everything_from_the_start_on_is_of_one_window_however_late() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(unlimited(start=10)).count(store="counts"))
    after(engine, "a", 1 << 50)
    assert after(engine, "a", 10) == [("a", 10, FOREVER, 2, 1 << 50)]
    assert [(row.window, row.value) for row in engine.store("counts")] == [((10, FOREVER), 2)]


def test_what_comes_from_before_the_start_is_dropped_with_the_reason() -> None:
    engine = counting(lambda grouped: grouped.windowed_by(unlimited(start=10)).count(store="counts"))
    assert after(engine, "a", 9) == []
    assert engine.drops == {("counts-count", "no-window"): 1}
