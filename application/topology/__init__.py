"""What the user says: streams, tables and windows, as frozen nodes that are checked when the topology is built."""

from eddyline.application.topology.builder import TopologyBuilder
from eddyline.application.topology.calendar_windows import calendar_days
from eddyline.application.topology.emit_strategy import on_window_close, on_window_update
from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.event_windows import session, sliding
from eddyline.application.topology.global_table import GlobalTable
from eddyline.application.topology.join_windows import JoinWindows, join_windows
from eddyline.application.topology.records import RecordMetadata, SourceRecord
from eddyline.application.topology.stream import Stream
from eddyline.application.topology.suppressed import until_time_limit, until_window_closes
from eddyline.application.topology.table import Table
from eddyline.application.topology.timestamps import wall_clock_time
from eddyline.application.topology.topology import Topology
from eddyline.application.topology.windows import Window, Windowed, hopping, tumbling, unlimited

__all__ = [
    "GlobalTable",
    "JoinWindows",
    "RecordMetadata",
    "SourceRecord",
    "Stream",
    "Table",
    "Topology",
    "TopologyBuilder",
    "TopologyError",
    "Window",
    "Windowed",
    "calendar_days",
    "hopping",
    "join_windows",
    "on_window_close",
    "on_window_update",
    "session",
    "sliding",
    "tumbling",
    "unlimited",
    "until_time_limit",
    "until_window_closes",
    "wall_clock_time",
]
