"""Writes the records that a task cannot process as dead letters, and counts them."""

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain
from typing import TypeAlias

from eddyline.application.operators.context import DropReason
from eddyline.application.operators.output import Dropped
from eddyline.application.ports.event_log import LogRecord, Position
from eddyline.application.runtime.input.record_queue import NO_ARRIVAL
from eddyline.application.runtime.output.record_collector import RecordCollector
from eddyline.application.runtime.plan.dead_letters import NO_OFFSET, dead_letter, drop_error, failure_letter, first_drops
from eddyline.application.runtime.plan.failures import Failure
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology.exception_handlers import ErrorContext

Received: TypeAlias = Callable[[Position], LogRecord | None]
"""Returns the record of a position as it was received, None if it has to be read from the log again."""


class DeadLetterWriter:
    """Writes the dead letters of one task through its record collector.

    `count` is the number of dead letters since `begin`, `drops` has that of undecodable records by source node and reason,
    `by_topic` by topic.
    """

    def __init__(self, plan: RunPlan, task: Task, collector: RecordCollector) -> None:
        self._plan, self._task, self._collector = plan, task, collector
        self.begin()
        self.begin_batch()

    def begin_batch(self) -> None:
        """Forget which records were dropped."""
        self._dropped: set[tuple[str, int, int]] = set()

    def begin(self) -> None:
        """Reset the counts."""
        self.count = 0
        self.drops = Counter[tuple[str, str]]()
        self.by_topic = Counter[str]()

    def undecodable(self, record: LogRecord, error: Exception) -> None:
        """Write a record that could not be decoded, with the error."""
        self.drops[self._plan.sources[record.topic].name, DropReason.UNDECODABLE] += 1
        self.by_topic[record.topic] += 1
        self._write(record, error)

    def dropped(self, dropped: Iterable[Dropped], received: Received) -> None:
        """Write the records that operators dropped, as they were received, each record once in a batch."""
        for position, found in first_drops(dropped).items():
            if position not in self._dropped:
                self._dropped.add(position)
                for record in self._as_received(Position(*position), received):
                    self._write(record, drop_error(found))

    def failed(self, failures: Iterable[Failure], received: Received) -> None:
        """Write the records that failed, as they were received, if the response is `dead-letter`.

        What failed without a record, as in punctuation, is written without key, value and position.
        """
        for context, error, response in failures:
            if response != "dead-letter":
                continue
            if context.topic is None or context.partition is None or context.offset is None:
                now = self._task.wall_clock_ms
                self.count += 1
                self._collector.send(failure_letter(context, error, self._plan.options.application_id, now))
                continue
            for record in self._as_received(Position(context.topic, context.partition, context.offset), received):
                self._write(record, error, context)

    def _as_received(self, position: Position, received: Received) -> Iterable[LogRecord]:
        record = received(position)
        if record is None:
            topic, partition, offset = position
            return chain.from_iterable(self._plan.ports.log.read(topic, partition, offset, offset + 1))
        if position.topic in self._plan.readers:
            record = record._replace(topic=self._plan.internal_topic(position.topic), offset=NO_OFFSET)
        return (record,)

    def _write(self, record: LogRecord, error: Exception, context: ErrorContext | None = None) -> None:
        self.count += 1
        letter = dead_letter(record, error, self._plan.options.application_id, self._task.wall_clock_ms, context)
        self._collector.send(letter, NO_ARRIVAL if record.arrival is None else record.arrival)
