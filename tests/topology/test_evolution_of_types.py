"""Whether values that were stored with one type can be read as another."""

from typing import Any

import pytest

from eddyline.application.topology.evolution.shapes import compare_shapes, shape_of
from tests.topology.evolving_types import Color, MoreColors, Outer, OuterWithTotal, Pair, Stats, StatsWithTotal, Tree


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (Color, MoreColors, ""),
        (MoreColors, Color, "'BLUE' cannot be read"),
        (int, int | None, ""),
        (int | None, int, "the type was None | int and is int now"),
        (list[Stats], list[StatsWithTotal], ""),
        (dict[str, int], dict[str, str], "field '[]' was int and is str now"),
        (Outer, OuterWithTotal, ""),
        (OuterWithTotal, Outer, "field 'inner.total' is gone"),
        (tuple[int, str], Pair, ""),
        (tuple[int, ...], list[int], "the type was tuple[int, ...] and is list[int] now"),
        (Tree, Tree, ""),
        (Any, int, ""),
        (Any, Stats, "the type was unknown"),
    ],
)
def test_old_values_can_be_read_or_there_is_a_reason(old: Any, new: Any, problem: str) -> None:
    problems = compare_shapes(shape_of(old), shape_of(new)).problems
    assert (problem in problems[0]) if problem else problems == ()
