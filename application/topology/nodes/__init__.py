"""The nodes of a topology as frozen data, one class per primitive operator; the other operators are composed of these."""

from eddyline.application.topology.nodes.aggregates import (
    AggregateNode,
    EmitOnClose,
    SessionAggregateNode,
    SlidingAggregateNode,
    WindowAggregateNode,
)
from eddyline.application.topology.nodes.join_kind import JoinKind
from eddyline.application.topology.nodes.joins import (
    ForeignKeyResponseNode,
    ForeignKeyResultNode,
    ForeignKeySubscriptionNode,
    JoinNode,
    StreamStreamJoinNode,
    StreamTableJoinNode,
    TableTableJoinNode,
)
from eddyline.application.topology.nodes.node import CopartitionedNode, Node
from eddyline.application.topology.nodes.processors import ProcessorNode
from eddyline.application.topology.nodes.sources_and_sinks import RepartitionSinkNode, SinkNode, SourceNode
from eddyline.application.topology.nodes.stateless import (
    BranchNode,
    FilterNode,
    FlatMapNode,
    FlatMapValuesNode,
    MapNode,
    MapValuesNode,
    MergeNode,
    PeekNode,
    SplitNode,
)
from eddyline.application.topology.nodes.tables import (
    CogroupNode,
    SuppressNode,
    TableAggregateNode,
    TableFilterNode,
    TableGroupByNode,
    TableMapValuesNode,
    TableSourceNode,
    TableToStreamNode,
)
from eddyline.application.topology.nodes.value_getters import (
    FilteredValueGetter,
    JoinedValueGetter,
    MappedValueGetter,
    StoredValueGetter,
    SuppressedValueGetter,
    ValueGetter,
)

__all__ = [
    "AggregateNode",
    "BranchNode",
    "CogroupNode",
    "CopartitionedNode",
    "EmitOnClose",
    "FilterNode",
    "FilteredValueGetter",
    "FlatMapNode",
    "FlatMapValuesNode",
    "ForeignKeyResponseNode",
    "ForeignKeyResultNode",
    "ForeignKeySubscriptionNode",
    "JoinKind",
    "JoinNode",
    "JoinedValueGetter",
    "MapNode",
    "MapValuesNode",
    "MappedValueGetter",
    "MergeNode",
    "Node",
    "PeekNode",
    "ProcessorNode",
    "RepartitionSinkNode",
    "SessionAggregateNode",
    "SinkNode",
    "SlidingAggregateNode",
    "SourceNode",
    "SplitNode",
    "StoredValueGetter",
    "StreamStreamJoinNode",
    "StreamTableJoinNode",
    "SuppressNode",
    "SuppressedValueGetter",
    "TableAggregateNode",
    "TableFilterNode",
    "TableGroupByNode",
    "TableMapValuesNode",
    "TableSourceNode",
    "TableTableJoinNode",
    "TableToStreamNode",
    "ValueGetter",
    "WindowAggregateNode",
]
