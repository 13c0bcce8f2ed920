"""The simulated input of the demonstration of all flows: written when its time comes, or the run ends."""

import threading
import time

import pytest

from eddyline.adapters.cli.errors import CommandError
from eddyline.adapters.cli.live_demonstration import live_input
from eddyline.adapters.cli.requests import requested_together
from eddyline.adapters.container import Container
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.settings import Settings
from eddyline.application.flows.service import Service


class FullDisk(MemoryEventSink):
    """A sink that cannot write."""

    def write(self, *_of_a_batch: object) -> bool:
        raise OSError(28, "No space left on device")


def test_a_run_ends_when_its_input_cannot_be_written() -> None:
    container = Container(settings=Settings.load({"log": "memory"}))
    requests = requested_together(Service("demo", flows=["log-triage"]), log="memory")
    stopped = threading.Event()
    with (
        container.sink.override(FullDisk(container.memory_log())),
        pytest.raises(CommandError, match=r"simulated input cannot be written: .*no space left"),
        live_input(container, requests, stopped.set, history=True),
    ):
        assert stopped.wait(60)


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
