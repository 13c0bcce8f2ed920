"""The path of many records at once through the stateless operators of a task, up to the one that aggregates them."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from operator import length_hint
from typing import Any, NamedTuple, Self

from eddyline.application.operators.columns import CountedFilter, RecordColumns, Step, counting_step_of
from eddyline.application.operators.context import NO_TIME, Drop, ProcessMany
from eddyline.application.operators.forward_columns import LaterError
from eddyline.application.runtime.downstream import only_child
from eddyline.application.runtime.incoming_columns import Part, columns_by_topic, columns_of
from eddyline.application.runtime.record_queue import IncomingRecord
from eddyline.application.topology.nodes import MergeNode, Node, SourceNode
from eddyline.application.topology.records import Headers
from eddyline.application.topology.timestamps import MAX_TIMESTAMP


class ColumnsPath(NamedTuple):
    """The steps from the sources of a task to its first operator with state, and what this one does with many records.

    `steps` has those of the records of each topic; if there is only one source, they are those of all records. `filters` are the
    ones that count what they drop; `drop` is called for each of these records, but not with the record.
    """

    steps: Mapping[str, tuple[Step, ...]]
    process_all: ProcessMany
    drop: Drop
    filters: tuple[CountedFilter, ...]

    @classmethod
    def of(cls, nodes: Sequence[Node], ends: Mapping[str, ProcessMany], drop: Drop) -> Self | None:
        """Return the path of a task, None if its records must be processed one by one.

        Args:
            nodes: The nodes of the task.
            ends: The nodes that process many records at once.
            drop: Counts a dropped record.
        """
        sources = [node for node in nodes if isinstance(node, SourceNode)]
        found: dict[str, tuple[Step, ...]] = {}
        reached = set[str]()
        for source in sources:
            steps = _steps(source, nodes, ends, reached)
            if steps is None or (source.pattern is not None and len(sources) > 1):
                return None
            found[source.topic] = steps
        filters = tuple(step for steps in found.values() for step in steps if isinstance(step, CountedFilter))
        return cls(found, ends[reached.pop()], drop, filters) if len(reached) == 1 else None

    def process(self, records: Sequence[IncomingRecord]) -> int | None:
        """Process at least one record; return the greatest timestamp, None if they must be processed one by one.

        They must if a timestamp is invalid or a stateless operator raises an exception, which then is that of a record.

        Raises:
            PathError: the last operator has raised an exception, which is the cause.
        """
        columns = columns_of(records)
        newest = max(columns.timestamps)
        if newest > MAX_TIMESTAMP or min(columns.timestamps) < 0:
            return None
        for counted in self.filters:
            counted.dropped = 0
        try:
            keys, values, event_times, headers = self._through(records, columns)
        except Exception:  # noqa: BLE001 - whatever it is, it is raised again
            return None
        for counted in self.filters:
            for _ in range(counted.dropped):
                self.drop(counted.name, counted.reason, None, None, NO_TIME, ())
        left = iter(keys)
        try:
            self.process_all(zip(left, values, event_times, headers, strict=True))
        except LaterError as failed:
            raise PathError(failed.error, self.origin(records, failed.number)) from failed.error
        except Exception as error:
            raise PathError(error, self.origin(records, len(keys) - length_hint(left) - 1)) from error
        return newest

    def origin(self, records: Sequence[IncomingRecord], number: int) -> IncomingRecord:
        """Return the record of which the stateless operators forward the record with a number."""
        with suppress(Exception):
            for record in records:
                number -= len(self._through((record,), columns_of((record,))).keys)
                if number < 0:
                    return record
        return records[-1]

    def _through(self, records: Sequence[IncomingRecord], columns: RecordColumns) -> RecordColumns:
        """Return what the stateless operators forward of at least one record; `columns` has the records by column."""
        if len(self.steps) == 1:
            (steps,) = self.steps.values()
            return _after(steps, columns)
        parts = columns_by_topic(records)
        if len(parts) == 1:
            (topic,) = parts
            return _after(self.steps[topic], columns)
        numbered = (_after(self.steps[topic], _numbered(part)) for topic, part in parts.items())
        return _in_order(numbered, columns.headers)


def _steps(
    source: SourceNode, nodes: Sequence[Node], ends: Mapping[str, ProcessMany], reached: set[str]
) -> tuple[Step, ...] | None:
    """Return the steps from a source to an end, which is added to those reached; None if there are none."""
    if source.timestamp_extractor is not None or source.global_:
        return None
    steps: list[Step] = []
    node = only_child(nodes, source.name)
    while node is not None:
        if node.name in ends:
            reached.add(node.name)
            return tuple(steps)
        if not isinstance(node, MergeNode):
            step = counting_step_of(node)
            if step is None:
                return None
            steps.append(step)
        node = only_child(nodes, node.name)
    return None


def _after(steps: Iterable[Step], records: RecordColumns) -> RecordColumns:
    for step in steps:
        records = step(records)
    return records


def _numbered(part: Part) -> RecordColumns:
    """Return the records with their numbers in place of their headers: no step looks at those."""
    numbers: Any = part.positions
    return part.records._replace(headers=numbers)


def _in_order(parts: Iterable[RecordColumns], headers: Sequence[Headers]) -> RecordColumns:
    """Return the numbered records of several topics in the order of their numbers, with their headers."""
    keys, values, timestamps, numbers = (list(chain.from_iterable(columns)) for columns in zip(*parts, strict=True))
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    return RecordColumns(
        [keys[index] for index in order],
        [values[index] for index in order],
        [timestamps[index] for index in order],
        [headers[numbers[index]] for index in order],
    )


class PathError(Exception):
    """The last operator of a path has raised an exception, because of this record."""

    def __init__(self, error: Exception, record: IncomingRecord) -> None:
        super().__init__(error, record)
        self.error, self.record = error, record
