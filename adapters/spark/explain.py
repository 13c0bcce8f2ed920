"""Explains how Spark runs a topology: the stages of the query, the operators and stores in them, and what is not supported."""

import re
from collections.abc import Iterator
from typing import Final

from eddyline.adapters.spark.plan import is_stateless, stage_line
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.runtime.plan.run_plan import topology_of_run
from eddyline.application.topology import Topology
from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import topology_warnings
from eddyline.application.topology.nodes import (
    CombineNode,
    Node,
    ProcessorNode,
    RepartitionSinkNode,
    SessionCombineNode,
    SinkNode,
    SourceNode,
    WindowAggregateNode,
    WindowCombineNode,
)
from eddyline.application.topology.sub_topologies import SubTopology
from eddyline.application.topology.types import Emit

_CAPITAL: Final = re.compile("(?<!^)(?=[A-Z])")


def explain(topology: Topology, emit: Emit | None = None) -> str:
    """Return the execution plan of a topology on Spark, a line for each stage, operator, store and warning.

    `emit` says which updates of tables the run forwards; None for what the topology says. The last line names what Spark does not
    support in this topology, with the reason and the fix, or says `nothing`.
    """
    try:
        line, unsupported = stage_line(topology), "nothing"
    except TopologyError as error:
        line, unsupported = tuple(sub.index for sub in topology.sub_topologies), str(error)
    options = RunOptions(application_id="explained", emit=emit)
    topology = topology_of_run(topology, options)
    lines = ["Spark: one streaming query"]
    stage = 0
    for sub in map(topology.sub_topologies.__getitem__, line):
        if is_stateless(topology, sub):
            lines.append(f"   Sub-topology {sub.index}: stateless, runs where the event log is read")
        else:
            stage += 1
            lines.append(f"   Sub-topology {sub.index}: stage {stage}, transformWithStateInPandas with one group per task")
        lines.extend(_operators(topology, sub))
    lines.append("   Results and dead letters: written to the event sink in foreachBatch")
    lines.extend(f"   Warning: {warning}" for warning in topology_warnings(topology, emit))
    lines.append(f"   Not supported: {unsupported}")
    return "\n".join(lines) + "\n"


def _operators(topology: Topology, sub: SubTopology) -> Iterator[str]:
    local = {store for other in topology.sub_topologies for store in other.stores}
    for name in sub.nodes or sub.global_nodes:
        node = topology.by_name[name]
        yield f"      {name}: {_how(node)}"
        for store in node.stores:
            where = (
                "in the worker's memory, changes saved to RocksDB with each batch"
                if store in local
                else "a full copy of the global table in every task"
            )
            yield f"         store {store}: {where}"


def _how(node: Node) -> str:
    match node:
        case SourceNode(repartition=True):
            how = f"receives topic {node.topic} through the shuffle"
        case SourceNode():
            how = f"reads topic {node.topic} by offset range"
        case RepartitionSinkNode():
            how = f"shuffles records by key hash to topic {node.topic}"
        case SinkNode(topic=str()):
            how = f"writes to topic {node.topic}"
        case SinkNode():
            how = "writes to the topic chosen for each record"
        case ProcessorNode():
            how = "runs the processor; stream-time punctuation follows the records, wall-clock punctuation uses Spark's timers"
        case CombineNode():
            how = _how_combined(node)
        case WindowAggregateNode() if node.fold.merge is not None:
            how = "aggregates in the task; with emit=latest into panes first, which become windows at the end of each batch"
        case _:
            how = f"runs in the task ({_kind(node)})"
    return how


def _how_combined(node: CombineNode) -> str:
    if isinstance(node, SessionCombineNode):
        return f"collects the records of each key and session, which {node.aggregation} adds up after the shuffle"
    group = "key and pane" if isinstance(node, WindowCombineNode) else "key"
    return f"adds records to a partial aggregate per {group}, which {node.aggregation} merges after the shuffle"


def _kind(node: Node) -> str:
    """Return the kind of a node in words, such as `map values` for a MapValuesNode."""
    return _CAPITAL.sub(" ", type(node).__name__.removesuffix("Node")).lower()
