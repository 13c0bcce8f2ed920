"""Which sources are upstream of each node, also through repartition topics, and how late operators between may emit."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from eddyline.application.topology import Topology
from eddyline.application.topology.nodes import (
    Node,
    RepartitionSinkNode,
    SessionAggregateNode,
    SlidingAggregateNode,
    SourceNode,
    StreamStreamJoinNode,
    StreamTableJoinNode,
    SuppressNode,
    TableSourceNode,
    WindowAggregateNode,
)

_AGGREGATES = (WindowAggregateNode, SlidingAggregateNode, SessionAggregateNode)


class Upstream(NamedTuple):
    """What is upstream of a node.

    Attributes:
        sources: The names of the sources whose records advance stream time.
        delay_ms: How far, in ms of event time, the timestamp of a record that operators upstream have yet to emit may be before
            their stream time. They emit final results, and records without a match, when stream time has passed them.
        window_ms: The length of the longest windows upstream.
    """

    sources: frozenset[str] = frozenset()
    delay_ms: int = 0
    window_ms: int = 0


def upstream_of(topology: Topology) -> Mapping[str, Upstream]:
    """Return what is upstream of each node, by name.

    Sources of global tables are left out, and sources of tables that have no idle timeout: they are silent for long, and no
    windows are made of their records.
    """
    return _Upstreams(topology).of_nodes()


class _Upstreams:
    def __init__(self, topology: Topology) -> None:
        self._nodes = topology.by_name
        self._writers = {node.topic: node.name for node in topology.nodes if isinstance(node, RepartitionSinkNode)}
        children: dict[str, list[Node]] = {}
        for node in topology.nodes:
            for parent in node.parents:
                children.setdefault(parent, []).append(node)
        self._of_tables_only = {
            parent for parent, found in children.items() if all(isinstance(child, TableSourceNode) for child in found)
        }
        self._found: dict[str, Upstream] = {}

    def of_nodes(self) -> Mapping[str, Upstream]:
        return {name: self._of(name) for name in self._nodes}

    def _of(self, name: str) -> Upstream:
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._computed(self._nodes[name])
        return found

    def _computed(self, node: Node) -> Upstream:
        if isinstance(node, SourceNode):
            if node.repartition:
                return self._after(self._nodes[self._writers[node.topic]])
            untimed_table = node.idle_timeout_ms is None and node.name in self._of_tables_only
            return Upstream() if node.global_ or untimed_table else Upstream(frozenset({node.name}))
        parents = [self._after(self._nodes[parent]) for parent in node.parents]
        return Upstream(
            frozenset[str]().union(*(parent.sources for parent in parents)),
            max((parent.delay_ms for parent in parents), default=0),
            max((parent.window_ms for parent in parents), default=0),
        )

    def _after(self, node: Node) -> Upstream:
        """Return what is upstream of the children of a node."""
        found = self._of(node.name)
        windows: Any = node.windows if isinstance(node, _AGGREGATES) else None
        window_ms = max(found.window_ms, 0 if windows is None else windows.longest_ms)
        return Upstream(found.sources, found.delay_ms + _delay_ms(node, window_ms), window_ms)


def _delay_ms(node: Node, window_ms: int) -> int:
    """Return how far before the stream time of a node the timestamps of its later output may be.

    A final result has the greatest timestamp of its window, which may be the window's start.
    """
    if isinstance(node, _AGGREGATES) and node.emit_on_close is not None:
        return node.windows.longest_ms + (node.windows.closes_after_ms or 0) + node.emit_on_close.interval_ms
    if isinstance(node, SuppressNode):
        return node.wait_ms + (window_ms if node.by_window else 0)
    if isinstance(node, StreamStreamJoinNode) and node.unmatched_store is not None:
        windows = node.windows
        return max(windows.before_ms, windows.after_ms, 0) + windows.grace_ms + windows.emit_interval_ms
    if isinstance(node, StreamTableJoinNode) and node.buffer is not None:
        return node.buffer.grace_ms
    return 0


def has_idle_timeouts(topology: Topology) -> bool:
    """Return whether a source of the topology has an idle timeout."""
    return any(isinstance(node, SourceNode) and node.idle_timeout_ms is not None for node in topology.nodes)


def sub_topologies_with_idle_timeouts(topology: Topology) -> frozenset[int]:
    """Return the indexes of the sub-topologies that have sources with an idle timeout upstream."""
    if not has_idle_timeouts(topology):
        return frozenset()
    upstream, by_name = upstream_of(topology), topology.by_name
    return frozenset(
        sub.index
        for sub in topology.sub_topologies
        if have_idle_timeouts(topology, [by_name[name] for name in sub.nodes], upstream)
    )


def have_idle_timeouts(topology: Topology, nodes: Iterable[Node], upstream: Mapping[str, Upstream]) -> bool:
    """Return whether nodes have sources with an idle timeout upstream."""
    names = {name for node in nodes for name in upstream[node.name].sources}
    return any(idle_timeout_ms(topology, name) is not None for name in names)


def idle_timeout_ms(topology: Topology, source: str) -> int | None:
    """Return the idle timeout of a source in ms, None if it has none."""
    node = topology.by_name[source]
    return node.idle_timeout_ms if isinstance(node, SourceNode) else None
