"""What the user says: streams, tables and windows, as frozen nodes that are checked when the topology is built."""

from application.topology.builder import TopologyBuilder
from application.topology.calendar_windows import calendar_days
from application.topology.emit_strategy import on_window_close, on_window_update
from application.topology.errors import TopologyError
from application.topology.event_windows import session, sliding
from application.topology.global_table import GlobalTable
from application.topology.join_windows import JoinWindows, join_windows
from application.topology.records import RecordMetadata, SourceRecord
from application.topology.stream import Stream
from application.topology.suppressed import until_time_limit, until_window_closes
from application.topology.table import Table
from application.topology.timestamps import wall_clock_time
from application.topology.topology import Topology
from application.topology.windows import Window, Windowed, hopping, tumbling, unlimited

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
