"""The operator of each type of node."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from eddyline.application.operators import (
    fold_by_key,
    fold_by_pane,
    fold_by_session,
    fold_by_window,
    foreign_key_join,
    processor,
    sinks,
    sliding_aggregate,
    stateless,
    stream_stream_join,
    stream_stream_until_join,
    stream_table_join,
    suppress,
    table_aggregate,
    table_table_join,
    tables,
)
from eddyline.application.operators.context import Forward
from eddyline.application.topology import nodes

Operator: TypeAlias = Callable[[Any, Any, Any], Forward | tuple[Forward, ...]]
"""Links a node: (node, context, forward) returns the function that its parents call, or one function for each parent."""

OPERATORS: Mapping[type[nodes.Node], Operator] = {
    nodes.FilterNode: stateless.filter_records,
    nodes.MapNode: stateless.map_records,
    nodes.MapValuesNode: stateless.map_values,
    nodes.FlatMapNode: stateless.flat_map,
    nodes.FlatMapValuesNode: stateless.flat_map_values,
    nodes.PeekNode: stateless.peek,
    nodes.MergeNode: stateless.forward_all,
    nodes.BranchNode: stateless.forward_all,
    nodes.SplitNode: stateless.split,
    nodes.SinkNode: sinks.sink,
    nodes.RepartitionSinkNode: sinks.repartition_sink,
    nodes.ProcessorNode: processor.process,
    nodes.AggregateNode: fold_by_key.aggregate,
    nodes.WindowAggregateNode: fold_by_window.window_aggregate,
    nodes.SlidingAggregateNode: sliding_aggregate.sliding_aggregate,
    nodes.SessionAggregateNode: fold_by_session.session_aggregate,
    nodes.CombineNode: fold_by_key.combine,
    nodes.WindowCombineNode: fold_by_pane.combine_windows,
    nodes.SessionCombineNode: fold_by_session.combine_sessions,
    nodes.CogroupNode: stateless.forward_all,
    nodes.SuppressNode: suppress.suppress,
    nodes.TableSourceNode: tables.table_source,
    nodes.TableToStreamNode: tables.to_stream,
    nodes.TableFilterNode: tables.filter_table,
    nodes.TableMapValuesNode: tables.map_table_values,
    nodes.TableTransformValuesNode: tables.transform_table_values,
    nodes.TableGroupByNode: table_aggregate.group_table,
    nodes.TableAggregateNode: table_aggregate.aggregate_table,
    nodes.StreamStreamJoinNode: stream_stream_join.join_streams,
    nodes.StreamStreamUntilJoinNode: stream_stream_until_join.join_streams_until,
    nodes.StreamTableJoinNode: stream_table_join.join_stream_with_table,
    nodes.TableTableJoinNode: table_table_join.join_tables,
    nodes.ForeignKeySubscriptionNode: foreign_key_join.subscribe,
    nodes.ForeignKeyResponseNode: foreign_key_join.respond,
    nodes.ForeignKeyResultNode: foreign_key_join.join_responses,
}
