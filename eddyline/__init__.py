"""Event processing in Python: topologies with the semantics of Kafka Streams, in memory, in one process or on Spark.

Import what a flow needs from here, and what its tests need from `eddyline.testing`. The packages below are the implementation:
`eddyline.application` (the core), `eddyline.adapters`, and `eddyline.domain` (the rules of the sample flows).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from eddyline.application.flows.alerts import Alert, AlertError
from eddyline.application.flows.flow import Flow, FlowSettingError
from eddyline.application.flows.service import Service, ServiceError, ServiceFlow
from eddyline.application.flows.views import ChartView, DetailPart, DetailView, FeedView, TableView
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.state_store import (
    KeyValueStore,
    SessionStore,
    StateStore,
    VersionedKeyValueStore,
    VersionedRecord,
    WindowStore,
)
from eddyline.application.queries.answers import Freshness, QueryError
from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology import (
    GlobalTable,
    JoinWindows,
    RecordContext,
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
    unlimited_join_windows,
    until_time_limit,
    until_window_closes,
    wall_clock_time,
)
from eddyline.application.topology.exception_handlers import ErrorContext, ExceptionHandler
from eddyline.application.topology.handles import (
    BranchedStream,
    CogroupedStream,
    GroupedStream,
    GroupedTable,
    SessionWindowedCogroupedStream,
    SessionWindowedStream,
    WindowedCogroupedStream,
    WindowedStream,
)
from eddyline.application.topology.joins import StreamJoined, stream_joined
from eddyline.application.topology.metrics import Counter, Gauge, Metrics, Sensor
from eddyline.application.topology.processor import (
    Cancellable,
    FixedKeyProcessor,
    Processor,
    ProcessorContext,
    PunctuationType,
    Record,
    ValueTransformerWithKey,
)
from eddyline.application.topology.stores import (
    ConnectedStoreProvider,
    StoreSpec,
    custom_store,
    key_value_store,
    session_store,
    versioned_key_value_store,
    window_store,
)
from eddyline.application.topology.windows import (
    CalendarDays,
    SessionWindows,
    SlidingWindows,
    TimeWindows,
    UnlimitedWindows,
)
from eddyline.application.topology.windows import suppression as suppress

if TYPE_CHECKING:
    from eddyline.adapters.python.clients import CommitError, DeliveryError, RecordError, WakeupError
    from eddyline.adapters.python.consumer import Consumer, ConsumerRecord, RebalanceListener
    from eddyline.adapters.python.producer import Acknowledgement, Producer
    from eddyline.adapters.python.results import FlowResult
    from eddyline.adapters.python.running import run
    from eddyline.adapters.python.starting import AsyncRunningFlow, RunningFlow, RunProgress, Start, start
    from eddyline.adapters.python.state import ApplicationState, StoreState, state

__all__ = [
    "Acknowledgement",
    "Alert",
    "AlertError",
    "ApplicationState",
    "AsyncRunningFlow",
    "BranchedStream",
    "CalendarDays",
    "Cancellable",
    "ChartView",
    "CogroupedStream",
    "CommitError",
    "ConnectedStoreProvider",
    "Consumer",
    "ConsumerRecord",
    "Counter",
    "DeliveryError",
    "DetailPart",
    "DetailView",
    "ErrorContext",
    "ExceptionHandler",
    "FeedView",
    "FixedKeyProcessor",
    "Flow",
    "FlowResult",
    "FlowSettingError",
    "Freshness",
    "Gauge",
    "GlobalTable",
    "GroupedStream",
    "GroupedTable",
    "JoinWindows",
    "KeyValueStore",
    "Metrics",
    "Processor",
    "ProcessorContext",
    "Producer",
    "PunctuationType",
    "QueryError",
    "RebalanceListener",
    "Record",
    "RecordContext",
    "RecordError",
    "RecordMetadata",
    "RunProgress",
    "RunningFlow",
    "Sensor",
    "Service",
    "ServiceError",
    "ServiceFlow",
    "SessionStore",
    "SessionWindowedCogroupedStream",
    "SessionWindowedStream",
    "SessionWindows",
    "SlidingWindows",
    "SourceRecord",
    "Start",
    "StateStore",
    "StoreRow",
    "StoreSpec",
    "StoreState",
    "Stream",
    "StreamJoined",
    "Table",
    "TableView",
    "TimeWindows",
    "TopicPartition",
    "Topology",
    "TopologyBuilder",
    "TopologyError",
    "UnlimitedWindows",
    "ValueTransformerWithKey",
    "VersionedKeyValueStore",
    "VersionedRecord",
    "WakeupError",
    "Window",
    "WindowStore",
    "Windowed",
    "WindowedCogroupedStream",
    "WindowedStream",
    "calendar_days",
    "custom_store",
    "hopping",
    "join_windows",
    "key_value_store",
    "on_window_close",
    "on_window_update",
    "run",
    "session",
    "session_store",
    "sliding",
    "start",
    "state",
    "stream_joined",
    "suppress",
    "tumbling",
    "unlimited",
    "unlimited_join_windows",
    "until_time_limit",
    "until_window_closes",
    "versioned_key_value_store",
    "wall_clock_time",
    "window_store",
]

_LAZY = {
    "Acknowledgement": "producer",
    "ApplicationState": "state",
    "AsyncRunningFlow": "starting",
    "CommitError": "clients",
    "Consumer": "consumer",
    "ConsumerRecord": "consumer",
    "DeliveryError": "clients",
    "FlowResult": "results",
    "Producer": "producer",
    "RebalanceListener": "consumer",
    "RecordError": "clients",
    "RunProgress": "starting",
    "RunningFlow": "starting",
    "Start": "starting",
    "StoreState": "state",
    "WakeupError": "clients",
    "run": "running",
    "start": "starting",
    "state": "state",
}
"""The module of `eddyline.adapters.python` that has each name."""


def __getattr__(name: str) -> Any:
    """Import what needs the adapters when it is used, since a flow does not."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"eddyline.adapters.python.{_LAZY[name]}"), name)
