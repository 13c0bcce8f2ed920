"""The contents of a store in all tasks of the memory engine."""

from collections.abc import Iterable

from eddyline.application.runtime.progress.store_rows import StoreRow, rows_of
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import Topology
from eddyline.application.topology.errors import listed


def store_contents(topology: Topology, tasks: Iterable[Task], name: str) -> list[StoreRow]:
    """Return the rows of a store in all tasks, sorted by key, window start and window end.

    Raises:
        LookupError: the topology has no store of this name.
    """
    spec = topology.stores.get(name)
    if spec is None:
        msg = f"store '{name}' is unknown; this topology has: {listed(topology.stores)}"
        raise LookupError(msg)
    having = [task for task in tasks if name in task.stores]
    if name not in {store for sub in topology.sub_topologies for store in sub.stores}:
        having = having[:1]  # a global table: every task has a full copy
    return rows_of(spec, (entry for task in having for entry in task.stores[name].snapshot()))
