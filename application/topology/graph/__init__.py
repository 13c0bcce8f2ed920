"""Graphs of nodes: the one that a builder adds to, and the frozen topology that it becomes."""

from eddyline.application.topology.graph.checks import ANY_KEY_TYPE, check_types, common_key_type
from eddyline.application.topology.graph.graph import Graph
from eddyline.application.topology.graph.names import check_name
from eddyline.application.topology.graph.refs import StreamRef, TableRef
from eddyline.application.topology.graph.topology import (
    CopartitionGroup,
    TopicSpec,
    Topology,
    copartition_groups,
    with_idle_timeout,
    with_queryable_stores,
)
from eddyline.application.topology.graph.versions import versioned, with_version
from eddyline.application.topology.graph.warnings import topology_warnings

__all__ = [
    "ANY_KEY_TYPE",
    "CopartitionGroup",
    "Graph",
    "StreamRef",
    "TableRef",
    "TopicSpec",
    "Topology",
    "check_name",
    "check_types",
    "common_key_type",
    "copartition_groups",
    "topology_warnings",
    "value_getter_of",
    "versioned",
    "with_idle_timeout",
    "with_queryable_stores",
    "with_version",
]
