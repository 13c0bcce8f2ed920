"""The path of many records at once through joins of a stream with tables that are in stores of the same task."""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import length_hint
from typing import Final, NamedTuple, Self, TypeAlias

from eddyline.application.operators.columns import RecordColumns, Step, step_of
from eddyline.application.operators.context import OperatorContext, ProcessMany
from eddyline.application.operators.forward_columns import LaterError
from eddyline.application.operators.table_join_columns import JoinStep, TableUpdates, join_step
from eddyline.application.runtime.columns_output import ColumnsOutput
from eddyline.application.runtime.columns_path import PathError
from eddyline.application.runtime.downstream import fixed_topic, only_child
from eddyline.application.runtime.incoming_columns import Part, columns_by_topic
from eddyline.application.runtime.record_queue import IncomingRecord
from eddyline.application.topology.nodes import Node, SinkNode, SourceNode, StreamTableJoinNode, TableSourceNode
from eddyline.application.topology.timestamps import MAX_TIMESTAMP

_MIN_RECORDS = 4

_Append: TypeAlias = Callable[[ColumnsOutput], None]


_NO_RECORDS: Final = Part(RecordColumns((), (), (), ()), ())


class _Table(NamedTuple):
    store: str
    process_all: ProcessMany


class _ToTopic(NamedTuple):
    topic: str
    sink: SinkNode
    append: _Append

    def add(self, records: RecordColumns) -> None:
        self.append(ColumnsOutput(self.topic, self.sink, records, range(1, len(records.keys) + 1)))


class TableJoinPath:
    """The steps from the only stream of a task through its joins, up to a sink or an operator that processes many records.

    The steps change nothing, and are done before the tables are updated: if a step raises an exception, the records are processed
    one by one.

    Args:
        stream: The topic of the stream.
        tables: The tables by topic, which nothing but the joins reads.
        steps: The steps of joins and of stateless operators.
        end: What is done with the records after the steps.
    """

    def __init__(self, stream: str, tables: Mapping[str, _Table], steps: Sequence[JoinStep], end: ProcessMany | _ToTopic) -> None:
        self._stream, self._tables, self._steps, self._end = stream, tables, steps, end
        self._topics = {stream, *tables}
        self._origins: Sequence[int] = ()

    @classmethod
    def of(
        cls,
        nodes: Sequence[Node],
        ends: Mapping[str, ProcessMany],
        context: OperatorContext,
        append: _Append,
    ) -> Self | None:
        """Return the path of a task, None if its records must be processed one by one.

        Args:
            nodes: The nodes of the task.
            ends: The nodes that process many records at once.
            context: The task as operators see it.
            append: Appends to the output of the task.
        """
        sources = [node for node in nodes if isinstance(node, SourceNode) and not node.global_]
        if any(node.timestamp_extractor is not None or node.pattern is not None for node in sources):
            return None
        found = {node.topic: _table(nodes, node, ends) for node in sources}
        tables = {topic: table for topic, table in found.items() if table is not None}
        streams = [node for node in sources if node.topic not in tables]
        if len(streams) != 1 or not any(isinstance(node, StreamTableJoinNode) for node in nodes):
            return None
        steps = _steps(nodes, streams[0], ends, context, append)
        return None if steps is None else cls(streams[0].topic, tables, *steps)

    def process(self, records: Sequence[IncomingRecord]) -> int | None:
        """Process records; return the greatest timestamp, None if they must be processed one by one.

        They must if there are few of them or some are of a global table, a timestamp is invalid, or a step raises an exception,
        which then is that of a record.

        Raises:
            PathError: A store or an operator with state has raised an exception, which is the cause.
        """
        if len(records) < _MIN_RECORDS:
            return None
        parts = columns_by_topic(records)
        if not self._topics.issuperset(parts):
            return None
        newest: int = max(max(part.records.timestamps) for part in parts.values())
        if newest > MAX_TIMESTAMP or min(min(part.records.timestamps) for part in parts.values()) < 0:
            return None
        of_stream = parts.get(self._stream, _NO_RECORDS)
        own, positions = of_stream.records, of_stream.positions
        updates = {self._tables[topic].store: _updates(part, positions) for topic, part in parts.items() if topic in self._tables}
        stream = own._replace(timestamps=range(len(positions)))
        try:
            for step in self._steps:
                stream = step(stream, updates)
        except Exception:  # noqa: BLE001 - whatever it is, it is raised again
            return None
        for topic, table in self._tables.items():
            if topic in parts:
                _process(table.process_all, *parts[topic], records)
        self._origins = list(map(positions.__getitem__, stream.timestamps))
        if self._origins:
            joined = stream._replace(timestamps=list(map(own.timestamps.__getitem__, stream.timestamps)))
            if isinstance(self._end, _ToTopic):
                self._end.add(joined)
            else:
                _process(self._end, joined, self._origins, records)
        return newest

    def origin(self, records: Sequence[IncomingRecord], number: int) -> IncomingRecord:
        """Return the record of which the steps have forwarded the record with a number, when they were last processed."""
        return records[self._origins[number]]


def _updates(part: Part, of_stream: Sequence[int]) -> TableUpdates:
    """Return the updates of a table, given the positions of the records of the stream."""
    keys, values, timestamps, _ = part.records
    return TableUpdates(keys, values, timestamps, list(map(partial(bisect_left, of_stream), part.positions)))


def _process(
    process_all: ProcessMany, columns: RecordColumns, positions: Sequence[int], records: Sequence[IncomingRecord]
) -> None:
    """Process records by column, which come from the records at these positions. Raises PathError."""
    left = iter(columns.keys)
    try:
        process_all(zip(left, *columns[1:], strict=True))
    except LaterError as failed:
        raise PathError(failed.error, records[positions[failed.number]]) from failed.error
    except Exception as error:
        raise PathError(error, records[positions[len(columns.keys) - length_hint(left) - 1]]) from error


def _table(nodes: Sequence[Node], source: SourceNode, ends: Mapping[str, ProcessMany]) -> _Table | None:
    """Return the table that a source is, None if it is none, or its updates are forwarded."""
    child = only_child(nodes, source.name)
    return _Table(child.store, ends[child.name]) if isinstance(child, TableSourceNode) and child.name in ends else None


def _steps(
    nodes: Sequence[Node], source: SourceNode, ends: Mapping[str, ProcessMany], context: OperatorContext, append: _Append
) -> tuple[Sequence[JoinStep], ProcessMany | _ToTopic] | None:
    """Return the steps downstream of a source and what follows them, None if there is an operator without a step."""
    steps: list[JoinStep] = []
    node = only_child(nodes, source.name)
    while node is not None:
        if node.name in ends:
            return steps, ends[node.name]
        if isinstance(node, SinkNode):
            topic = fixed_topic(node)
            return None if topic is None else (steps, _ToTopic(topic, node, append))
        step = join_step(node, context) if isinstance(node, StreamTableJoinNode) else _without_updates(step_of(node))
        if step is None:
            return None
        steps.append(step)
        node = only_child(nodes, node.name)
    return None


def _without_updates(step: Step | None) -> JoinStep | None:
    return None if step is None else lambda records, _updates: step(records)
