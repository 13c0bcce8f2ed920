"""Stores that always have a changelog, so that they can be queried."""

from collections.abc import Collection
from dataclasses import replace

from eddyline.application.topology.errors import TopologyError, listed
from eddyline.application.topology.graph.topology import Topology


def with_queryable_stores(topology: Topology, stores: Collection[str]) -> Topology:
    """Return the topology with these stores queryable, besides those that are declared so by their specifications.

    Raises:
        TopologyError: If there is no such store, or it is a buffer of an operator, or that of a global table.
    """
    own = {name for sub in topology.sub_topologies for name in sub.stores if not topology.stores[name].internal}
    for name in (*stores, *(spec.name for spec in topology.store_specs if spec.queryable)):
        if name not in own:
            if name not in topology.stores:
                problem = "does not exist"
            elif topology.stores[name].internal:
                problem = "is a buffer of an operator"
            else:
                problem = "belongs to a global table, whose topic can be read instead"
            raise TopologyError(f"store '{name}' cannot be queryable: it {problem}; choose one of: {listed(sorted(own))}")
    if not stores:
        return topology
    specs = tuple(replace(spec, queryable=True) if spec.name in stores else spec for spec in topology.store_specs)
    return replace(topology, store_specs=specs)
