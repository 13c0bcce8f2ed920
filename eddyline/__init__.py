"""Event processing in Python: topologies with the semantics of Kafka Streams, in memory or on Spark Structured Streaming.

Everything that a flow needs is imported from here, everything that its tests need from `eddyline.testing`. The rooms
below (`eddyline.domain`, `eddyline.application`, `eddyline.adapters`) hold the samples, the core and the adapters.
"""

from eddyline.application.flows.flow import Flow, FlowSettingError
from eddyline.application.ports.state_store import KeyValueStore, SessionStore, StateStore, WindowStore
from eddyline.application.topology import (
    GlobalTable,
    JoinWindows,
    RecordMetadata,
    SourceRecord,
    Stream,
    Table,
    Topology,
    TopologyBuilder,
    TopologyError,
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
    until_time_limit,
    until_window_closes,
    wall_clock_time,
)
from eddyline.application.topology.handles import BranchedStream, CogroupedStream, GroupedStream, GroupedTable
from eddyline.application.topology.processor import (
    Cancellable,
    FixedKeyProcessor,
    Processor,
    ProcessorContext,
    PunctuationType,
    Record,
)
from eddyline.application.topology.stores import custom_store, key_value_store, session_store, window_store
from eddyline.application.topology.windows import suppress

__all__ = [
    "BranchedStream",
    "Cancellable",
    "CogroupedStream",
    "FixedKeyProcessor",
    "Flow",
    "FlowSettingError",
    "GlobalTable",
    "GroupedStream",
    "GroupedTable",
    "JoinWindows",
    "KeyValueStore",
    "Processor",
    "ProcessorContext",
    "PunctuationType",
    "Record",
    "RecordMetadata",
    "SessionStore",
    "SourceRecord",
    "StateStore",
    "Stream",
    "Table",
    "Topology",
    "TopologyBuilder",
    "TopologyError",
    "Window",
    "WindowStore",
    "Windowed",
    "calendar_days",
    "custom_store",
    "hopping",
    "join_windows",
    "key_value_store",
    "on_window_close",
    "on_window_update",
    "session",
    "session_store",
    "sliding",
    "suppress",
    "tumbling",
    "unlimited",
    "until_time_limit",
    "until_window_closes",
    "wall_clock_time",
    "window_store",
]
