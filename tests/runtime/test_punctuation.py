"""A punctuation is due at multiples of its interval; those that were missed are skipped."""

import pytest

from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.operators.context import Cell
from eddyline.application.runtime.task.context import Punctuation
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.processor import Processor, ProcessorContext, PunctuationType, Record


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


class Once(Processor[str, str, str, str]):
    """Cancels its punctuation at the first call."""

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        self.punctuation = context.schedule(10, PunctuationType.WALL_CLOCK_TIME, lambda _now: self.punctuation.cancel())

    def process(self, record: Record[str, str]) -> None:
        """Ignore the record."""


def test_a_task_whose_punctuations_are_all_cancelled_waits_for_none() -> None:
    builder = TopologyBuilder()
    builder.stream("in", key=str, value=str).process(Once).to("out")
    task = Task(builder.build(), 0, 0, stores=MemoryStateStores(), wall_clock_ms=5)
    assert task.next_wall_clock_due() == 15
    task.advance_wall_clock(15)
    assert task.next_wall_clock_due() is None
