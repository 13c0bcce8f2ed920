"""The topology that a builder returns: frozen, divided into sub-topologies, ready for any engine."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from eddyline.application.topology.by_topic import patterns_of
from eddyline.application.topology.description import Direction, UpdateDependent, as_flowchart, as_text, update_dependents
from eddyline.application.topology.errors import TopologyError, listed
from eddyline.application.topology.nodes import CopartitionedNode, Node, RepartitionSinkNode, SinkNode, SourceNode
from eddyline.application.topology.stores import StoreSpec
from eddyline.application.topology.sub_topologies import SubTopology
from eddyline.application.topology.types import Emit


@dataclass(frozen=True, slots=True)
class TopicSpec:
    """A topic that a topology reads or writes, with the types of its keys and values as far as they are known."""

    name: str
    key_type: object
    value_type: object
    global_: bool = False


@dataclass(frozen=True)
class Topology:
    """A topology: its nodes, parents before children, and their state stores.

    `emit` says which updates of its tables a run forwards, unless the setting `emit` does; None leaves the choice to the setting.
    `type_choices` says how types are written in topics, unless settings do: `names`, `types`, and both with `.<topic>`.
    `topics_of_version` has what the topics are called that are written in its version.
    """

    nodes: tuple[Node, ...]
    store_specs: tuple[StoreSpec, ...]
    sub_topologies: tuple[SubTopology, ...]
    emit: Emit | None = None
    type_choices: Mapping[str, str] = field(default_factory=dict, hash=False)
    topics_of_version: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def by_name(self) -> Mapping[str, Node]:
        """The nodes by name."""
        return MappingProxyType({node.name: node for node in self.nodes})

    @cached_property
    def stores(self) -> Mapping[str, StoreSpec]:
        """The specifications of the state stores by name."""
        return MappingProxyType({spec.name: spec for spec in self.store_specs})

    @property
    def source_topics(self) -> tuple[TopicSpec, ...]:
        """The topics that the topology reads by name, without repartition topics."""
        return tuple(
            TopicSpec(node.topic, node.key_type, node.value_type, node.global_)
            for node in self.nodes
            if isinstance(node, SourceNode) and not node.repartition and node.pattern is None
        )

    @cached_property
    def source_patterns(self) -> Mapping[str, re.Pattern[str]]:
        """The patterns of the topics that the topology reads, by the text that stands for them, such as `/logs-.*/`."""
        return MappingProxyType(patterns_of(self.nodes))

    def source_topic(self, topic: str) -> TopicSpec | None:
        """Return a topic that the topology reads by name or by a pattern, None if it does not read it."""
        for node in self.nodes:
            if isinstance(node, SourceNode) and not node.repartition:
                found = node.topic == topic if node.pattern is None else node.pattern.fullmatch(topic) is not None
                if found:
                    return TopicSpec(topic, node.key_type, node.value_type, node.global_)
        return None

    def in_version(self, topic: str) -> str:
        """Return what a topic of the flow is called in the version of the topology."""
        return self.topics_of_version.get(topic, topic)

    def matching_topics(self, topics: Iterable[str]) -> list[str]:
        """Return those of the topics that match a pattern and are not read by name.

        Raises:
            TopologyError: If a topic matches more than one pattern.
        """
        named = {spec.name for spec in self.source_topics}
        found = []
        for topic in topics:
            patterns = [text for text, pattern in self.source_patterns.items() if pattern.fullmatch(topic)]
            if len(patterns) > 1:
                msg = (
                    f"topic '{topic}' matches more than one pattern: {listed(patterns)}; "
                    "change them so that each topic matches one, or read the topics once and use that stream twice"
                )
                raise TopologyError(msg)
            if patterns and topic not in named:
                found.append(topic)
        return found

    @property
    def sink_topics(self) -> tuple[TopicSpec, ...]:
        """The topics that the topology writes, without those that a function chooses for each record."""
        found = {
            node.topic: TopicSpec(node.topic, node.key_type, node.value_type)
            for node in self.nodes
            if isinstance(node, SinkNode) and isinstance(node.topic, str)
        }
        return tuple(found.values())

    @property
    def repartition_topics(self) -> Mapping[str, RepartitionSinkNode]:
        """The node that writes each repartition topic, by topic, without the application id."""
        return {node.topic: node for node in self.nodes if isinstance(node, RepartitionSinkNode)}

    def __getstate__(self) -> dict[str, object]:
        return {name: self.__dict__[name] for name in ("nodes", "store_specs", "sub_topologies", "emit", "type_choices")}

    def describe(self) -> str:
        """Return the topology as text, in the format of Kafka Streams' `Topology.describe()`."""
        return as_text(self.nodes, self.sub_topologies)

    def update_dependents(self, emit: Emit | None = None) -> tuple[UpdateDependent, ...]:
        """Return the operators that see fewer updates of a table because it forwards only the latest per key and commit.

        Args:
            emit: Which updates tables forward; None for what the topology says, or else `every-update`.
        """
        return update_dependents(self.nodes, self.emit_with(emit))

    def emit_with(self, chosen: Emit | None) -> Emit:
        """Return which updates tables forward: as `chosen`, or else as the topology says, or else every update."""
        return chosen or self.emit or "every-update"

    def mermaid(self, notes: Mapping[str, str] | None = None, direction: Direction = "LR") -> str:
        """Return the topology as a Mermaid flowchart.

        Args:
            notes: Second lines in the boxes of nodes, by their names.
            direction: Where the arrows point: from left to right, or from top to bottom.
        """
        return as_flowchart(self.nodes, self.sub_topologies, self.stores, notes, direction)


def with_idle_timeout(topology: Topology, timeout_ms: int | None) -> Topology:
    """Return the topology with this idle timeout for the sources that have none; None leaves them to event time only."""
    if timeout_ms is None:
        return topology
    nodes = tuple(
        replace(node, idle_timeout_ms=timeout_ms)
        if isinstance(node, SourceNode) and not (node.repartition or node.global_) and node.idle_timeout_ms is None
        else node
        for node in topology.nodes
    )
    return replace(topology, nodes=nodes)


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


class CopartitionGroup(NamedTuple):
    """A node that joins, and the topics that must be copartitioned for it, without those of global tables."""

    node: str
    topics: tuple[str, ...]


def copartition_groups(topology: Topology) -> tuple[CopartitionGroup, ...]:
    """Return the groups of copartitioned topics of a topology, one for each node that joins."""
    return tuple(
        CopartitionGroup(
            node.name, tuple(dict.fromkeys(topic for name in node.copartitioned for topic in _topics_of(topology, name)))
        )
        for node in topology.nodes
        if isinstance(node, CopartitionedNode) and node.copartitioned
    )


def _topics_of(topology: Topology, name: str) -> list[str]:
    """Return the topics that the records of a node come from without a repartition in between."""
    node = topology.by_name[name]
    if isinstance(node, SourceNode):
        return [] if node.global_ else [node.topic]
    return [topic for parent in node.parents for topic in _topics_of(topology, parent)]
