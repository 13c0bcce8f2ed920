"""Which record a task takes next from its queues: the one with the lowest event time, or the first to arrive."""

from collections.abc import Callable
from operator import attrgetter

from eddyline.application.runtime.record_queue import IncomingRecord, timestamp_of
from eddyline.application.runtime.run_plan import RunPlan
from eddyline.application.runtime.task import Task
from eddyline.application.topology.records import SourceRecord

_arrival_of: Callable[[IncomingRecord], int] = attrgetter("arrival")

_FIRST = -1
"""The order of records without a valid event time, which are taken before all others."""


def record_order(plan: RunPlan, task: Task) -> Callable[[IncomingRecord], int]:
    """Return the function by whose results the records of a task are ordered."""
    if plan.options.order == "arrival":
        return _arrival_of
    if all(node.timestamp_extractor is None for node in plan.sources.values()):
        return timestamp_of

    def event_time_of(record: IncomingRecord) -> int:
        topic, partition, offset, timestamp, key, value, headers, _ = record
        try:
            found = task.event_time(SourceRecord(topic, partition, offset, timestamp, key, value, headers))
        except Exception:  # noqa: BLE001 - taken next, the record fails again, as one that is processed
            return _FIRST
        return _FIRST if found is None else found

    return event_time_of
