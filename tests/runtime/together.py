"""Tasks that process the same records together and one by one, to compare them."""

from collections.abc import Callable
from typing import Any

from eddyline import TopologyBuilder
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.ports.event_log import Headers
from eddyline.application.runtime.record_queue import NO_ARRIVAL, IncomingRecord
from eddyline.application.runtime.task import Task
from tests.adapters.memory.running import built


def new_task(define: Callable[[TopologyBuilder], None], **options: Any) -> Task:
    """Return a new task of the topology that a function defines, with stores in memory."""
    return Task(built(define), 0, 0, stores=MemoryStateStores(), **options)


def incoming(offset: int, key: str | None, value: Any, timestamp: int, headers: Headers = ()) -> IncomingRecord:
    """Return a record of the topic `in`."""
    return IncomingRecord("in", 0, offset, timestamp, key, value, headers, NO_ARRIVAL)


def observed(task: Task) -> tuple[Any, ...]:
    """Return the output of a task since the last call, its drops, its times, and the entries of its store `s`."""
    outputs = [output[:5] for output in task.take_output()]
    return outputs, task.take_drops(), task.stream_time, task.numbers(), list(task.stores["s"].snapshot())
