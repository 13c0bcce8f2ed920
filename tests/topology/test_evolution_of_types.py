"""Whether values that were stored with one type can be read as another."""

from typing import Any

import pytest

from eddyline.application.topology.evolution.shapes import compare_shapes, shape_of
from tests.topology.evolving_types import (
    Box,
    Color,
    Count,
    Model,
    ModelWithTotal,
    MoreColors,
    Options,
    Outer,
    OuterWithTotal,
    Pair,
    RenamedBox,
    RenamedModel,
    RenamedOptions,
    RenamedPair,
    Stats,
    StatsWithTotal,
    Swapped,
    Text,
    Tree,
    Triple,
)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (Color, MoreColors, ""),
        (MoreColors, Color, "'BLUE' cannot be read"),
        (int, int | None, ""),
        (int | None, int, "the type was None | int and is int now"),
        (int, int | str, ""),
        (int | None, int | Stats | None, ""),
        (Stats, Stats | int, "the type was {count: int} and is int | Stats now"),
        (list[Stats], list[StatsWithTotal], ""),
        (dict[str, int], dict[str, str], "field '[]' was int and is str now"),
        (Outer, OuterWithTotal, ""),
        (OuterWithTotal, Outer, "field 'inner.total' is gone"),
        (tuple[int, str], Pair, ""),
        (tuple[int, ...], list[int], "the type was tuple[int, ...] and is list[int] now"),
        (Tree, Tree, ""),
        (Model, ModelWithTotal, ""),
        (Model, RenamedModel, "field 'count' is gone"),
        (list[Model], list[RenamedModel], "field '[].count' is gone"),
        (Box[int], RenamedBox[int], "field 'content' is gone"),
        (Box[int], Box[str], "field 'content' was int and is str now"),
        (Pair, RenamedPair, ""),
        (Pair, Swapped, "field 'right' is at another position"),
        (Pair, Triple, ""),
        (Triple, Pair, "the type was"),
        (Pair, tuple[int, str], ""),
        (Pair, tuple[int, ...], "the type was"),
        (Options, RenamedOptions, "field 'depth' is gone"),
        (Count, int, ""),
        (Count, Text, "the type was int and is str now"),
        (Any, int, ""),
        (Any, Stats, "the type was unknown"),
    ],
)
def test_old_values_can_be_read_or_there_is_a_reason(old: Any, new: Any, problem: str) -> None:
    problems = compare_shapes(shape_of(old), shape_of(new)).problems
    assert (problem in problems[0]) if problem else problems == ()


@pytest.mark.parametrize(("old", "new", "field"), [(Pair, Triple, "middle"), (list[Pair], list[Triple], "[].middle")])
def test_a_field_that_is_added_at_the_end_is_named(old: Any, new: Any, field: str) -> None:
    additions = compare_shapes(shape_of(old), shape_of(new)).additions
    assert additions == (f"field '{field}' is new; it has its default in old entries",)
