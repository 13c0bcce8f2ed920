"""Topologies built by hand, from sources, processors, stores and sinks, as Kafka Streams' Processor API builds them."""

from collections.abc import Callable, Sequence
from typing import Any

from eddyline.application.topology.errors import TopologyError, listed
from eddyline.application.topology.graph import Graph
from eddyline.application.topology.nodes import SinkNode, SourceNode
from eddyline.application.topology.process_nodes import ProcessNode
from eddyline.application.topology.processor import Processor
from eddyline.application.topology.records import SourceRecord
from eddyline.application.topology.stores import StoreSpec
from eddyline.application.topology.types import UNKNOWN


class HandBuilt:
    """The verbs of hand-built topologies; they may be mixed with streams and tables."""

    _graph: Graph

    def add_source(
        self,
        name: str,
        topic: str,
        *,
        key: Any,
        value: Any,
        timestamp: Callable[[SourceRecord], int | None] | None = None,
    ) -> None:
        """A step that reads a topic."""
        self._graph.add(SourceNode(name=name, topic=topic, key_type=key, value_type=value, timestamp_extractor=timestamp))

    def add_state_store(self, spec: StoreSpec) -> None:
        """A store for the processors that are connected with it by name; see `key_value_store` and its siblings."""
        self._graph.add_store(spec)

    def add_processor(
        self,
        name: str,
        supplier: Callable[[], Processor[Any, Any, Any, Any]],
        *,
        parents: Sequence[str],
        stores: Sequence[str] = (),
        key: Any = UNKNOWN,
        value: Any = UNKNOWN,
    ) -> None:
        """A step that hears `parents` and uses `stores`; `key` and `value` are the types that it forwards."""
        self._graph.add(
            ProcessNode(
                name=name,
                parents=self._known_steps(name, parents),
                stores=self._graph.known_stores(name, stores),
                supplier=supplier,
                key_type=key,
                value_type=value,
            )
        )

    def add_sink(
        self,
        name: str,
        topic: str | Callable[[Any, Any], str],
        *,
        parents: Sequence[str],
        partitioner: Callable[[Any, Any, int], int] | None = None,
    ) -> None:
        """A step that writes what it hears from `parents` to a topic."""
        known = self._known_steps(name, parents)
        first = self._graph.node(known[0])
        self._graph.add(
            SinkNode(
                name=name,
                parents=known,
                topic=topic,
                partitioner=partitioner,
                key_type=first.key_type,
                value_type=first.value_type,
            )
        )

    def _known_steps(self, name: str, parents: Sequence[str]) -> tuple[str, ...]:
        if not parents:
            msg = f"step '{name}' hears nothing; give it at least one parent"
            raise TopologyError(msg)
        for parent in parents:
            if not self._graph.has_node(parent):
                msg = f"step '{name}' hears '{parent}', which is unknown; the steps said so far are: {listed(self._graph.names)}"
                raise TopologyError(msg)
        return tuple(parents)
