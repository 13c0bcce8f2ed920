"""What flows are written with: streams, tables, windows and processors, which become a frozen, checked topology."""

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import Topology
from eddyline.application.topology.handles import GlobalTable, Stream, Table, TopologyBuilder
from eddyline.application.topology.records import RecordContext, RecordMetadata, SourceRecord
from eddyline.application.topology.timestamps import wall_clock_time
from eddyline.application.topology.windows import (
    JoinWindows,
    Window,
    Windowed,
    calendar_days,
    hopping,
    join_windows,
    on_window_close,
    on_window_update,
    session,
    sliding,
    tumbling,
    unlimited,
    unlimited_join_windows,
    until_time_limit,
    until_window_closes,
)

__all__ = [
    "GlobalTable",
    "JoinWindows",
    "RecordContext",
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
    "unlimited_join_windows",
    "until_time_limit",
    "until_window_closes",
    "wall_clock_time",
]
