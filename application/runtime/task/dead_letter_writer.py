"""Writes the records that a task cannot process as dead letters, and counts them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Final, TypeAlias

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

_NEAR: Final = 1_000
"""The number of offsets that are read rather than skipped."""

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
        found = {Position(*position): drop for position, drop in first_drops(dropped).items()}
        new = [position for position in found if position not in self._dropped and not self._is_written(*position)]
        self._dropped.update(new)
        for position, records in self._as_received(new, received):
            for record in records:
                self._write(record, drop_error(found[position]))

    def failed(self, failures: Iterable[Failure], received: Received) -> None:
        """Write the records that failed, as they were received, if the response is `dead-letter`.

        What failed without a record, as in punctuation, is written without key, value and position.
        """
        failed = [failure for failure in failures if failure.response == "dead-letter"]
        positions = [_position_of(context) for context, _, _ in failed]
        sought = [position for position in positions if position is not None and not self._is_written(*position)]
        found = dict(self._as_received(sought, received))
        for (context, error, _), position in zip(failed, positions, strict=True):
            if position is None:
                now = self._task.wall_clock_ms
                self.count += 1
                self._collector.send(failure_letter(context, error, self._plan.options.application_id, now))
            for record in found.get(position, ()) if position is not None else ():
                self._write(record, error, context)

    def counted(self, drops: Mapping[tuple[str, str], int]) -> Counter[tuple[str, str]]:
        """Return what the task has dropped, by node and reason, without what another task counts."""
        return self.drops + Counter({at: count for at, count in drops.items() if at[0] not in self._elsewhere})

    def _is_written(self, topic: str, partition: int, offset: int) -> bool:
        if topic not in self._plan.global_topics:
            return False
        is_elsewhere = self._plan.sources[topic].name in self._elsewhere
        return is_elsewhere or offset < self.reported.get(TopicPartition(topic, partition), 0)

    def _as_received(self, positions: Sequence[Position], received: Received) -> Iterator[tuple[Position, Sequence[LogRecord]]]:
        """Yield the records of positions as they were received; what is not kept is read from the log again, in ranges."""
        kept = {position: received(position) for position in positions}
        read = self._read_again([position for position, record in kept.items() if record is None])
        for position, record in kept.items():
            if record is None:
                yield position, read.get(position, ())
            elif position.topic in self._plan.readers:
                yield position, (record._replace(topic=self._plan.internal_topic(position.topic), offset=NO_OFFSET),)
            else:
                yield position, (record,)

    def _read_again(self, positions: Sequence[Position]) -> Mapping[Position, Sequence[LogRecord]]:
        found: dict[Position, Sequence[LogRecord]] = {}
        sought = sorted(positions)
        ends = [index for index, pair in enumerate(pairwise(sought), 1) if not _are_near(*pair)]
        for first, after in pairwise((0, *ends, len(sought))) if sought else ():
            wanted = set(sought[first:after])
            topic, partition, start = sought[first]
            for record in chain.from_iterable(self._plan.ports.log.read(topic, partition, start, sought[after - 1].offset + 1)):
                position = Position(topic, partition, record.offset)
                if position in wanted:
                    found[position] = (record,)
        return found

    def _write(self, record: LogRecord, error: Exception, context: ErrorContext | None = None) -> None:
        self.count += 1
        letter = dead_letter(record, error, self._plan.options.application_id, self._task.wall_clock_ms, context)
        self._collector.send(letter, NO_ARRIVAL if record.arrival is None else record.arrival)


def _position_of(context: ErrorContext) -> Position | None:
    """Return the position of the record that failed, None if there was none."""
    if context.topic is None or context.partition is None or context.offset is None:
        return None
    return Position(context.topic, context.partition, context.offset)


def _are_near(one: Position, other: Position) -> bool:
    """Return whether reading what is between two positions takes less time than another read."""
    return one[:2] == other[:2] and other.offset - one.offset <= _NEAR
