"""A punctuation is due at multiples of its interval; those that were missed are skipped."""

import pytest

from eddyline.application.operators.context import Cell
from eddyline.application.runtime.punctuation import Punctuation


@pytest.mark.parametrize(
    ("now", "is_due", "next_due"), [(9, False, 10), (10, True, 20), (19, True, 20), (20, True, 30), (47, True, 50)]
)
def test_a_call_is_made_when_it_is_due_and_the_next_one_follows_after_now(now: int, is_due: bool, next_due: int) -> None:
    called: list[int] = []
    punctuation = Punctuation(10, called.append, Cell(10))
    assert punctuation.fire_if_due(now) is is_due
    assert (called, punctuation.due.value) == ([now] if is_due else [], next_due)


def test_a_cancelled_punctuation_is_never_due() -> None:
    called: list[int] = []
    punctuation = Punctuation(10, called.append, Cell(10))
    punctuation.cancel()
    assert not punctuation.fire_if_due(30)
    assert (called, punctuation.due.value) == ([], 10)


def test_a_call_sees_its_next_time_already_scheduled() -> None:
    seen: list[int] = []
    due = Cell(10)
    Punctuation(10, lambda _now: seen.append(due.value), due).fire_if_due(10)
    assert seen == [20]
