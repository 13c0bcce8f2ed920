"""The DSL and the Processor API: what flows are written with.

Each operator adds nodes to the graph and returns a stream, table or group whose type allows only valid next operators.
"""

from eddyline.application.topology.handles.branched import BranchedStream
from eddyline.application.topology.handles.builder import TopologyBuilder
from eddyline.application.topology.handles.cogrouped import (
    CogroupedStream,
    SessionWindowedCogroupedStream,
    WindowedCogroupedStream,
)
from eddyline.application.topology.handles.global_table import GlobalTable
from eddyline.application.topology.handles.grouped import GroupedStream
from eddyline.application.topology.handles.grouped_table import GroupedTable
from eddyline.application.topology.handles.guidance import is_operator
from eddyline.application.topology.handles.stream import Stream
from eddyline.application.topology.handles.table import Table
from eddyline.application.topology.handles.windowed import SessionWindowedStream, WindowedStream

__all__ = [
    "BranchedStream",
    "CogroupedStream",
    "GlobalTable",
    "GroupedStream",
    "GroupedTable",
    "SessionWindowedCogroupedStream",
    "SessionWindowedStream",
    "Stream",
    "Table",
    "TopologyBuilder",
    "WindowedCogroupedStream",
    "WindowedStream",
    "is_operator",
]
