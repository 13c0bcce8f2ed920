"""The work of an answer is limited, stopped by others, and gives way to them."""

import time

import pytest

from eddyline.application.lineage.limits import ReplayStoppedError
from eddyline.application.ports.event_log import Position
from tests.lineage.explaining import Input, Ran
from tests.lineage.test_long_logs import counting, limited


def flow_of(records: int) -> Ran:
    return Ran(counting(), [Input("a", "x", 1, number) for number in range(records)])


@pytest.mark.parametrize("topic", ["a", "out"])
def test_an_answer_counts_its_records_and_can_be_stopped(topic: str) -> None:
    flow = flow_of(50)
    effort = flow.lineage.effort()
    explain = flow.lineage.within(effort).explain_missing if topic == "a" else flow.lineage.within(effort).explain_output
    effort.spend(lambda: explain(Position(topic, 0, 40)))
    assert effort.replayed >= 50
    stopped = flow.lineage.effort()
    stopped.stop()
    lineage = flow.lineage.within(stopped)
    explain = lineage.explain_missing if topic == "a" else lineage.explain_output
    with pytest.raises(ReplayStoppedError, match="the replay was stopped after 1 record"):
        stopped.spend(lambda: explain(Position(topic, 0, 40)))


def test_an_answer_that_takes_too_long_says_what_has_no_limit() -> None:
    lineage = limited(flow_of(50), seconds=0)
    effort = lineage.effort()
    with pytest.raises(ReplayStoppedError, match="limit of 0 s; 'eddyline why' has none"):
        effort.spend(lambda: lineage.within(effort).explain_output(Position("out", 0, 40)))


def test_an_answer_uses_its_share_of_the_time_only() -> None:
    lineage = limited(flow_of(3_000), share=0.1)
    effort = lineage.effort()
    began, worked = time.monotonic(), time.thread_time()
    effort.spend(lambda: lineage.within(effort).explain_missing(Position("a", 0, 7)))
    assert time.thread_time() - worked < 0.5 * (time.monotonic() - began)
