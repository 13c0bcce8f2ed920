"""A punctuation is due at multiples of its interval; those that were missed are skipped."""

import pytest

from eddyline.application.operators.context import Cell
from eddyline.application.runtime.task.context import Punctuation


def every_ten(due: int) -> Punctuation:
    return Punctuation("node", 10, lambda _now: None, Cell(due))


@pytest.mark.parametrize(
    ("now", "is_due", "next_due"), [(9, False, 10), (10, True, 20), (19, True, 20), (20, True, 30), (47, True, 50)]
)
def test_a_call_is_due_from_its_time_on_and_the_next_one_follows_after_now(now: int, is_due: bool, next_due: int) -> None:
    punctuation = every_ten(10)
    assert punctuation.take_due(now) is is_due
    assert punctuation.due.value == next_due


def test_a_cancelled_punctuation_is_never_due() -> None:
    punctuation = every_ten(10)
    punctuation.cancel()
    assert not punctuation.take_due(30)
    assert punctuation.due.value == 10


@pytest.mark.parametrize(("now", "next_due"), [(90, 100), (89, 90), (80, 90), (79, 80), (75, 80), (100, 100)])
def test_after_the_clock_was_set_back_the_next_call_is_at_most_an_interval_away(now: int, next_due: int) -> None:
    punctuation = every_ten(100)
    punctuation.realign(now)
    assert punctuation.due.value == next_due
