"""How Spark would host a topology, step by step, and what it could not."""

from collections.abc import Iterator

from eddyline.adapters.spark.plan import is_stateless, stage_line
from eddyline.application.topology import Topology
from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.nodes import (
    Node,
    ProcessorNode,
    RepartitionSinkNode,
    SinkNode,
    SourceNode,
    WindowAggregateNode,
)
from eddyline.application.topology.sub_topologies import SubTopology


def explain(topology: Topology) -> str:
    """The stages of the query with their steps and stores; at the end what is refused, with the reason and the substitute."""
    try:
        line, refused = stage_line(topology), "nothing"
    except TopologyError as error:
        line, refused = tuple(sub.index for sub in topology.sub_topologies), str(error)
    subs = [topology.sub_topologies[index] for index in line]
    lines = ["Spark: one streaming query"]
    stage = 0
    for sub in subs:
        if is_stateless(topology, sub):
            lines.append(f"   Sub-topology {sub.index}: where the log is read, since it needs no state")
        else:
            stage += 1
            lines.append(f"   Sub-topology {sub.index}: stage {stage}, transformWithStateInPandas, a group a task")
        lines.extend(_steps(topology, sub))
    lines.append("   Results, dead letters and store changes: one foreachBatch into the event sink")
    lines.append(f"   Refused: {refused}")
    return "\n".join(lines) + "\n"


def _steps(topology: Topology, sub: SubTopology) -> Iterator[str]:
    shared = [
        name for name in topology.stores if name not in {kept for other in topology.sub_topologies for kept in other.stores}
    ]
    for name in sub.nodes:
        node = topology.by_name[name]
        yield f"      {name}: {_how(node)}"
        for store in node.stores:
            kept = (
                "a copy of the global table in every task"
                if store in shared
                else "in the worker's memory, its changes a batch in RocksDB"
            )
            yield f"         store {store}: {kept}"


def _how(node: Node) -> str:
    if isinstance(node, SourceNode):
        return f"takes {node.topic} from the shuffle" if node.repartition else f"reads {node.topic} by offsets"
    if isinstance(node, RepartitionSinkNode):
        return f"shuffles to the tasks of {node.topic} by the key's hash"
    if isinstance(node, SinkNode):
        return f"gives to {node.topic if isinstance(node.topic, str) else 'the topic that each record chooses'}"
    if isinstance(node, ProcessorNode):
        return "runs the processor; stream-time punctuation with the records, wall-clock punctuation by Spark's timers"
    if isinstance(node, WindowAggregateNode) and node.merge is not None:
        return "folds; with emit=latest in panes, merged into windows at the end of a batch"
    return "runs in the chain of its task"
