"""The simulated input of the demonstration of all flows: written when its time comes, or the run ends."""

import threading
import time
from collections.abc import Sequence
from typing import Any, Final

import pytest

from eddyline.adapters.cli.errors import CommandError
from eddyline.adapters.cli.live_demonstration import live_input
from eddyline.adapters.cli.requests import requested_together
from eddyline.adapters.container import Container
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.settings import Settings
from eddyline.application.flows.service import Service
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.input.offsets import batches_of

TOPICS: Final = ("ticks", "user-actions")


class FullDisk(MemoryEventSink):
    """A sink that cannot write any more after a number of batches."""

    def __init__(self, log: MemoryEventLog, batches: int) -> None:
        super().__init__(log)
        self.left = batches

    def write(self, *of_a_batch: Any) -> bool:
        if not self.left:
            raise OSError(28, "No space left on device")
        self.left -= 1
        return super().write(*of_a_batch)


class NotedSink(MemoryEventSink):
    """A sink that notes what is written, up to and including the records of both topics of fb-notifications."""

    def __init__(self, log: MemoryEventLog) -> None:
        super().__init__(log)
        self.batches: list[Sequence[SinkRecord]] = []
        self.has_both = threading.Event()

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        self.batches.append(records)
        if {record.topic for found in self.batches for record in found} == set(TOPICS):
            self.has_both.set()
        return super().write(writer, slot, batch, records)


@pytest.mark.parametrize("batches", [0, 1])
def test_a_run_ends_when_its_input_cannot_be_written(batches: int) -> None:
    container = Container(settings=Settings.load({"log": "memory"}))
    requests = requested_together(Service("demo", flows=["log-triage"]), log="memory")
    stopped = threading.Event()
    with (
        container.sink.override(FullDisk(container.memory_log(), batches)),
        pytest.raises(CommandError, match=r"simulated input cannot be written: .*no space left"),
        live_input(container, requests, stopped.set, history=True),
    ):
        assert stopped.wait(60)


def test_flows_find_the_history_of_all_their_topics_when_they_start() -> None:
    container = Container(settings=Settings.load({"log": "memory"}))
    requests = requested_together(Service("demo", flows=["fb-notifications"]), log="memory")
    clock = MemoryClock(1_800_000_000_000)
    with container.clock.override(clock), live_input(container, requests, pytest.fail, history=True):
        found = {topic: [record for batch in batches_of(container.log(), topic, 0) for record in batch] for topic in TOPICS}
    for records in found.values():
        assert records[0].timestamp < clock.now_ms() - 60_000
        assert clock.now_ms() - 300_000 < records[-1].timestamp <= clock.now_ms()


def test_events_of_several_topics_are_written_in_the_order_in_which_they_happen() -> None:
    container = Container(settings=Settings.load({"log": "memory"}))
    requests = requested_together(Service("demo", flows=["fb-notifications"]), log="memory")
    clock, sink = MemoryClock(), NotedSink(container.memory_log())
    with (
        container.clock.override(clock),
        container.sink.override(sink),
        live_input(container, requests, pytest.fail, history=False),
    ):
        clock.advance(600_000)
        assert sink.has_both.wait(60)
    times = [record.timestamp for records in sink.batches for record in records]
    assert times == sorted(times)
    assert all(len({record.topic for record in records}) == 1 for records in sink.batches)


def test_input_that_another_flow_writes_is_not_simulated() -> None:
    container = Container(settings=Settings.load({"log": "memory"}))
    requests = requested_together(Service("demo", flows=["fb-notifications", "notification-metrics"]), log="memory")
    log = container.log()
    with live_input(container, requests, pytest.fail, history=True):
        deadline = time.monotonic() + 60
        while not log.end_offset("user-actions", 0):
            assert time.monotonic() < deadline
            time.sleep(0.01)
    assert log.end_offset("notifications", 0) == 0
