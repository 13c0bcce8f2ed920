"""The finished topology: frozen, split into sub-topologies, ready for any engine."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from eddyline.application.topology import describe, mermaid
from eddyline.application.topology.nodes import Node, RepartitionSinkNode, SinkNode, SourceNode
from eddyline.application.topology.stores import StoreSpec
from eddyline.application.topology.subtopologies import SubTopology


@dataclass(frozen=True, slots=True)
class TopicSpec:
    """A topic that the topology reads or writes, with the types that it knows of it."""

    name: str
    key_type: object
    value_type: object
    global_: bool = False


@dataclass(frozen=True)
class Topology:
    """Steps in an order in which every step stands behind its parents, and the stores that they share."""

    nodes: tuple[Node, ...]
    store_specs: tuple[StoreSpec, ...]
    sub_topologies: tuple[SubTopology, ...]

    @cached_property
    def by_name(self) -> Mapping[str, Node]:
        """The steps by their names."""
        return MappingProxyType({node.name: node for node in self.nodes})

    @cached_property
    def stores(self) -> Mapping[str, StoreSpec]:
        """The stores by their names."""
        return MappingProxyType({spec.name: spec for spec in self.store_specs})

    @property
    def source_topics(self) -> tuple[TopicSpec, ...]:
        """The topics that it reads, repartition topics left out."""
        return tuple(
            TopicSpec(node.topic, node.key_type, node.value_type, node.global_)
            for node in self.nodes
            if isinstance(node, SourceNode) and not node.repartition
        )

    @property
    def sink_topics(self) -> tuple[TopicSpec, ...]:
        """The topics that it writes by name; those that are chosen a record are known only while it runs."""
        found = {
            node.topic: TopicSpec(node.topic, node.key_type, node.value_type)
            for node in self.nodes
            if isinstance(node, SinkNode) and isinstance(node.topic, str)
        }
        return tuple(found.values())

    @property
    def repartition_topics(self) -> Mapping[str, RepartitionSinkNode]:
        """The internal topics, without the application's name, and the step that writes each."""
        return {node.topic: node for node in self.nodes if isinstance(node, RepartitionSinkNode)}

    def __getstate__(self) -> dict[str, object]:
        return {name: self.__dict__[name] for name in ("nodes", "store_specs", "sub_topologies")}

    def describe(self) -> str:
        """The topology as text, in the layout that Kafka Streams prints."""
        return describe.as_text(self)

    def mermaid(self) -> str:
        """The topology as a Mermaid flowchart."""
        return mermaid.as_flowchart(self)
