"""Writes the records that a task cannot process as dead letters, and counts them."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import TypeAlias

from eddyline.application.operators.context import DropReason
from eddyline.application.operators.output import Dropped
from eddyline.application.ports.event_log import LogRecord, Position, TopicPartition
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

    A record of a global table is read by several tasks, and on the engine local again by each run; one of them writes it, once.

    `reported` has the offsets before which earlier runs have written dead letters. `count` is the number of dead letters since
    `begin`, `drops` has that of undecodable records by source node and reason, `by_topic` by topic.
    """

    def __init__(self, plan: RunPlan, task: Task, collector: RecordCollector) -> None:
        self._plan, self._task, self._collector = plan, task, collector
        self._elsewhere = plan.counted_elsewhere(task.sub_topology.index, task.partition)
        self.reported: dict[TopicPartition, int] = {}
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
        if self._is_written(record.topic, record.partition, record.offset):
            return
        self.drops[self._plan.sources[record.topic].name, DropReason.UNDECODABLE] += 1
        self.by_topic[record.topic] += 1
        self._write(record, error)

    def dropped(self, dropped: Iterable[Dropped], received: Received) -> None:
        """Write the records that operators dropped, as they were received, each record once in a batch."""
        for position, found in first_drops(dropped).items():
            if position not in self._dropped and not self._is_written(*position):
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
            position = Position(context.topic, context.partition, context.offset)
            if not self._is_written(*position):
                for record in self._as_received(position, received):
                    self._write(record, error, context)

    def counted(self, drops: Mapping[tuple[str, str], int]) -> Counter[tuple[str, str]]:
        """Return what the task has dropped, by node and reason, without what another task counts."""
        return self.drops + Counter({at: count for at, count in drops.items() if at[0] not in self._elsewhere})

    def _is_written(self, topic: str, partition: int, offset: int) -> bool:
        if topic not in self._plan.global_topics:
            return False
        is_elsewhere = self._plan.sources[topic].name in self._elsewhere
        return is_elsewhere or offset < self.reported.get(TopicPartition(topic, partition), 0)

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
