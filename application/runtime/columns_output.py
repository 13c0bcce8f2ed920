"""Many results of a task at once, by column."""

from collections.abc import Iterator
from itertools import repeat
from typing import NamedTuple

from eddyline.application.operators.columns import RecordColumns
from eddyline.application.operators.output import Output, output_of
from eddyline.application.topology.nodes import RepartitionSinkNode, SinkNode


class ColumnsOutput(NamedTuple):
    """Records that a task writes to a topic, by column; their origins are the numbers of the records that were processed."""

    topic: str
    sink: SinkNode | RepartitionSinkNode
    records: RecordColumns

    def outputs(self) -> Iterator[Output]:
        """Return the records one by one."""
        return map(output_of, zip(repeat(self.topic), *self.records[:4], repeat(self.sink), strict=False))
