"""A wall clock that jumps ahead and back silences nothing for longer than one interval."""

import pytest

from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import TopologyBuilder, on_window_close, tumbling
from eddyline.application.topology.processor import Processor, ProcessorContext, PunctuationType, Record

FUTURE = 70 * 365 * 86_400_000


class Ticking(Processor[str, str, str, int]):
    """Forwards the time of every punctuation, every 100 ms of wall-clock time."""

    def init(self, context: ProcessorContext[str, int]) -> None:
        super().init(context)
        context.schedule(100, PunctuationType.WALL_CLOCK_TIME, lambda now: context.forward(Record("tick", now, 0)))

    def process(self, record: Record[str, str]) -> None:
        """Ignore the record."""


def task_of(builder: TopologyBuilder, wall_clock_ms: int) -> Task:
    return Task(builder.build(), 0, 0, stores=MemoryStateStores(), wall_clock_ms=wall_clock_ms)


@pytest.mark.parametrize("jump", [1_000, FUTURE])
def test_punctuation_continues_within_one_interval_at_multiples_of_it(jump: int) -> None:
    builder = TopologyBuilder()
    builder.stream("in", key=str, value=str).process(Ticking).to("out")
    task = task_of(builder, 1_000)
    ticks = []
    for now in (1_100, 1_100 + jump, 1_150, 1_199, 1_200, 1_299, 1_300):
        task.advance_wall_clock(now)
        ticks += [output.value for output in task.take_output()]
    assert ticks == [1_100, 1_100 + jump, 1_200, 1_300]
    assert task.next_wall_clock_due() == 1_400


def test_a_clock_that_is_set_back_by_less_than_the_rest_of_the_interval_changes_nothing() -> None:
    builder = TopologyBuilder()
    builder.stream("in", key=str, value=str).process(Ticking).to("out")
    task = task_of(builder, 1_000)
    for now in (1_050, 1_010):
        task.advance_wall_clock(now)
    assert task.next_wall_clock_due() == 1_100


def test_closed_windows_are_emitted_again_after_the_clock_was_set_back() -> None:
    builder = TopologyBuilder()
    grouped = builder.stream("in", key=str, value=str).group_by_key()
    windowed = grouped.windowed_by(tumbling(10, grace=0), emit_strategy=on_window_close(emit_interval=100))
    windowed.count().to_stream().to("out")
    task = task_of(builder, 1_000)
    task.process("in", "k", "v", 0)
    task.advance_wall_clock(FUTURE)
    task.process("in", "k", "v", 10)
    task.advance_wall_clock(1_000)
    task.process("in", "k", "v", 20)
    assert [output.key.window.start for output in task.take_output()] == [0, 10]
