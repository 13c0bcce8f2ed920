"""Which sources were active: sent along repartition topics, so that tasks downstream know when all their sources are idle."""

import json
from collections.abc import Iterator, Sequence
from typing import Final

from eddyline.application.ports.event_log import LogRecord, TopicPartition
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.ports.log_columns import joined
from eddyline.application.runtime.input.record_queue import NO_ARRIVAL, IncomingRecord
from eddyline.application.runtime.input.task_input import TaskInput
from eddyline.application.runtime.output.record_collector import Outlet
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.runtime.task.idle_sources import Activity
from eddyline.application.runtime.task.task import Task

_SUFFIX: Final = ":activity"
"""What follows the name of a repartition topic; no topic has a colon in its name."""


class ActivityExchange:
    """Sends the activity of a task to the tasks that read its repartition topics, as records of topics of their own."""

    def __init__(self, plan: RunPlan, task: Task, outlet: Outlet) -> None:
        self._plan, self._task, self._outlet = plan, task, outlet

    def send(self, arrival: int) -> None:
        """Send which sources were active since the last call, with the arrival number of the last record."""
        own = (self._task.partition,) if self._plan.options.keep_partition else None
        for topic, activity in self._task.take_activity():
            value = json.dumps(activity).encode()
            for partition in own or range(self._plan.partitions[topic]):
                to = TopicPartition(topic, partition)
                self._outlet.send(SinkRecord(topic + _SUFFIX, None, value, 0, (), partition), arrival, to)


def take_activity(given: TaskInput) -> Iterator[tuple[tuple[str, int], Sequence[LogRecord]]]:
    """Remove the activity of other tasks from the input of a task; yield topic and sender, and the records."""
    for source in [source for source in given.repartitioned if source[0].endswith(_SUFFIX)]:
        yield source, joined(given.repartitioned.pop(source))


def activity_in(record: LogRecord) -> Activity:
    """Return the activity in a record."""
    found: Activity = json.loads(record.value or b"{}")
    return found


def as_of_topic(topic: str, record: LogRecord) -> IncomingRecord:
    """Return the activity in a record as the value of a record of the clock topic, to be taken in the order of arrival."""
    arrival = NO_ARRIVAL if record.arrival is None else record.arrival
    return IncomingRecord(topic, record.partition, record.offset, record.timestamp, None, activity_in(record), (), arrival)
