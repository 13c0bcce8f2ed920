"""The path of many records at once through the stateless operators of a task, up to the one that aggregates them."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from operator import length_hint
from typing import NamedTuple, Self

from eddyline.application.operators.columns import RecordColumns, Step, step_of
from eddyline.application.operators.context import ProcessMany
from eddyline.application.operators.window_columns import LaterError
from eddyline.application.runtime.incoming_columns import columns_of
from eddyline.application.runtime.record_queue import IncomingRecord
from eddyline.application.topology.nodes import Node, SourceNode
from eddyline.application.topology.timestamps import MAX_TIMESTAMP


class ColumnsPath(NamedTuple):
    """The steps from the only source of a task to its first operator with state, and what this one does with many records."""

    steps: tuple[Step, ...]
    process_all: ProcessMany

    @classmethod
    def of(cls, nodes: Sequence[Node], ends: Mapping[str, ProcessMany]) -> Self | None:
        """Return the path of a task, None if its records must be processed one by one.

        Args:
            nodes: The nodes of the task.
            ends: The nodes that process many records at once.
        """
        sources = [node for node in nodes if isinstance(node, SourceNode)]
        if len(sources) != 1 or sources[0].timestamp_extractor is not None or sources[0].global_:
            return None
        node: Node = sources[0]
        steps: list[Step] = []
        while True:
            children = [child for child in nodes if node.name in child.parents]
            if len(children) != 1:
                return None
            node = children[0]
            if node.name in ends:
                return cls(tuple(steps), ends[node.name])
            step = step_of(node)
            if step is None:
                return None
            steps.append(step)

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
        try:
            keys, values, timestamps, headers = self._through(columns)
        except Exception:  # noqa: BLE001 - whatever it is, it is raised again
            return None
        left = iter(keys)
        try:
            self.process_all(zip(left, values, timestamps, headers, strict=True))
        except LaterError as failed:
            raise PathError(failed.error, self.origin(records, failed.number)) from failed.error
        except Exception as error:
            raise PathError(error, self.origin(records, len(keys) - length_hint(left) - 1)) from error
        return newest

    def origin(self, records: Sequence[IncomingRecord], number: int) -> IncomingRecord:
        """Return the record of which the stateless operators forward the record with a number."""
        with suppress(Exception):
            for record in records:
                number -= len(self._through(columns_of((record,))).keys)
                if number < 0:
                    return record
        return records[-1]

    def _through(self, records: RecordColumns) -> RecordColumns:
        for step in self.steps:
            records = step(records)
        return records


class PathError(Exception):
    """The last operator of a path has raised an exception, because of this record."""

    def __init__(self, error: Exception, record: IncomingRecord) -> None:
        super().__init__(error, record)
        self.error, self.record = error, record
