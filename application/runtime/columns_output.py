"""Many results of a task at once, by column: from an operator with state to the topic that they are written to."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import NamedTuple

from eddyline.application.operators.columns import RecordColumns, Step, step_of
from eddyline.application.operators.context import ColumnsForward
from eddyline.application.operators.output import Output, output_of
from eddyline.application.runtime.downstream import fixed_topic, only_child
from eddyline.application.topology.nodes import MapNode, MapValuesNode, Node, SinkNode, TableToStreamNode

_ONE_TO_ONE = (MapNode, MapValuesNode)


class ColumnsOutput(NamedTuple):
    """Records that a task writes to a topic, by column.

    Attributes:
        topic: The topic.
        sink: The node that writes them.
        records: The records.
        ends: The number of records after each of the records that were processed; none of a commit.
    """

    topic: str
    sink: SinkNode
    records: RecordColumns
    ends: Sequence[int]

    def outputs(self) -> Iterator[Output]:
        """Return the records one by one."""
        return map(output_of, zip(repeat(self.topic), *self.records, repeat(self.sink), strict=False))

    def origin(self, index: int) -> int:
        """Return the number of the processed record that has caused the record with an index."""
        return bisect_right(self.ends, index)


def columns_forward(nodes: Sequence[Node], node: str, append: Callable[[ColumnsOutput], None]) -> ColumnsForward | None:
    """Return the function that maps what a table's node emits, and appends it to the output; None if there is none.

    There is one if each node downstream has no other child, and forwards one record for each, up to the sink of a fixed topic.
    """
    found = _steps(nodes, node)
    if found is None:
        return None
    steps, sink, topic = found

    def forward(records: RecordColumns, ends: Sequence[int]) -> None:
        for step in steps:
            records = step(records)
        append(ColumnsOutput(topic, sink, records, ends))

    return forward


def _steps(nodes: Sequence[Node], name: str) -> tuple[Sequence[Step], SinkNode, str] | None:
    steps: list[Step] = []
    while True:
        child = only_child(nodes, name)
        if child is None:
            return None
        if isinstance(child, SinkNode):
            topic = fixed_topic(child)
            return None if topic is None else (steps, child, topic)
        if isinstance(child, _ONE_TO_ONE):
            step = step_of(child)
            if step is None:
                return None
            steps.append(step)
        elif not isinstance(child, TableToStreamNode):
            return None
        name = child.name
