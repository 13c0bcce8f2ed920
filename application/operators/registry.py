"""Which operator means which step."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from eddyline.application.operators import (
    aggregate,
    edges,
    foreign_key,
    process,
    session_aggregate,
    sliding_aggregate,
    stateless,
    stream_join,
    stream_table_join,
    suppress,
    table_group,
    table_join,
    table_steps,
    tables,
)
from eddyline.application.operators.context import Forward
from eddyline.application.topology import join_nodes, nodes, process_nodes, table_nodes, window_nodes

Operator: TypeAlias = Callable[[Any, Any, Any], Forward | tuple[Forward, ...]]
"""Links a step: (node, context, forward) gives the entry that its parents call, or one entry for each parent."""

OPERATORS: Mapping[type[nodes.Node], Operator] = {
    nodes.FilterNode: stateless.filter_records,
    nodes.MapNode: stateless.map_records,
    nodes.MapValuesNode: stateless.map_values,
    nodes.FlatMapNode: stateless.flat_map,
    nodes.FlatMapValuesNode: stateless.flat_map_values,
    nodes.PeekNode: stateless.peek,
    nodes.MergeNode: stateless.pass_on,
    nodes.BranchNode: stateless.pass_on,
    nodes.SplitNode: stateless.split,
    nodes.SinkNode: edges.sink,
    nodes.RepartitionSinkNode: edges.repartition_sink,
    nodes.TableSourceNode: aggregate.table_source,
    nodes.AggregateNode: aggregate.aggregate,
    nodes.WindowAggregateNode: aggregate.window_aggregate,
    window_nodes.SlidingAggregateNode: sliding_aggregate.sliding_aggregate,
    window_nodes.SessionAggregateNode: session_aggregate.session_aggregate,
    window_nodes.SuppressNode: suppress.suppress,
    process_nodes.ProcessNode: process.process,
    nodes.TableToStreamNode: tables.to_stream,
    table_nodes.TableFilterNode: table_steps.filter_table,
    table_nodes.TableMapValuesNode: table_steps.map_table_values,
    table_nodes.TableGroupByNode: table_group.group_table,
    table_nodes.TableAggregateNode: table_group.aggregate_table,
    join_nodes.StreamStreamJoinNode: stream_join.join_streams,
    join_nodes.StreamTableJoinNode: stream_table_join.join_stream_with_table,
    join_nodes.TableTableJoinNode: table_join.join_tables,
    join_nodes.ForeignKeySubscribeNode: foreign_key.subscribe,
    join_nodes.ForeignKeyAnswerNode: foreign_key.answer,
    join_nodes.ForeignKeyResultNode: foreign_key.result,
    join_nodes.TableMergeNode: stateless.pass_on,
}
