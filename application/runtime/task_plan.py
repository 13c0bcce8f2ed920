"""How a task processes the records of each node: many at once, or one by one, and why."""

from collections.abc import Iterator
from typing import NamedTuple

from eddyline.application.ports.state_stores import StateStores
from eddyline.application.runtime.options import RunOptions
from eddyline.application.runtime.run_plan import topology_of_run
from eddyline.application.runtime.task import Task
from eddyline.application.topology import Topology


class NodePlan(NamedTuple):
    """How the records of a node are processed.

    Attributes:
        sub_topology: The index of the sub-topology.
        node: The name of the node.
        one_by_one: Why records are processed one by one, and what would change it; None if many are processed at once.
    """

    sub_topology: int
    node: str
    one_by_one: str | None


def task_plan(topology: Topology, options: RunOptions, stores: StateStores) -> Iterator[NodePlan]:
    """Yield how each node is processed in runs with these options, on every engine; `stores` creates empty stores."""
    topology = topology_of_run(topology, options)
    for sub in topology.sub_topologies:
        if not sub.nodes:
            continue
        task = Task(topology, sub.index, 0, stores=stores, emit=topology.emit_with(options.emit))
        yield from (NodePlan(sub.index, name, task.one_by_one(name)) for name in sub.nodes)
