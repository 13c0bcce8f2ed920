"""What the operators of streams have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from eddyline.application.topology.graph import StreamRef
from eddyline.application.topology.handles.guidance import Guided

if TYPE_CHECKING:
    from eddyline.application.topology.handles.dsl_graph import DslGraph
    from eddyline.application.topology.handles.stream import Stream
    from eddyline.application.topology.nodes import Node

K = TypeVar("K")
V = TypeVar("V")


class StreamBase(Guided, Generic[K, V]):
    """A stream in a graph, with keys of type K and values of type V."""

    _ways = ((".group_by_key()", "GroupedStream"), (".to_table()", "Table"), (".split()", "BranchedStream"))

    def __init__(self, graph: DslGraph, ref: StreamRef) -> None:
        self._graph = graph
        self._ref = ref

    def _as_input(self) -> StreamRef:
        """Return the stream as an input of another operator."""
        return self._ref

    def _fields(self, operator: str, name: str | None, **types: object) -> dict[str, Any]:
        """Return the fields that every node has; types that are not given are those of this stream."""
        parent = self._ref.node
        return {
            "name": self._name(operator, name),
            "parents": (parent.name,),
            "key_type": parent.key_type,
            "value_type": parent.value_type,
            **types,
        }

    def _name(self, operator: str, name: str | None) -> str:
        return self._graph.node_name(self._ref.origin, operator, name)

    def _then(self, node: Node, *, rekeyed: bool = False) -> Stream[Any, Any]:
        """Add a node and return the stream that it emits."""
        return self._graph.stream(StreamRef(self._graph.add(node), self._ref.origin, rekeyed or self._ref.rekeyed))
