"""Which operator means which step."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from application.operators import aggregate, edges, process, stateless, tables
from application.operators.context import Forward
from application.topology import nodes, process_nodes

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
    process_nodes.ProcessNode: process.process,
    nodes.TableToStreamNode: tables.to_stream,
}
