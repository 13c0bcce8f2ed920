"""Tables: the latest value of each key, and the verbs on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from application.topology.nodes import Node, TableToStreamNode

if TYPE_CHECKING:
    from application.topology.graph import Graph
    from application.topology.stream import Stream

K = TypeVar("K")
V = TypeVar("V")


class Table(Generic[K, V]):
    """A table with keys of type K and values of type V; `store` names where it is kept."""

    def __init__(self, graph: Graph, node: Node, *, origin: str, store: str | None) -> None:
        self._graph = graph
        self._node = node
        self._origin = origin
        self._store = store

    @property
    def store(self) -> str | None:
        """The name of the store that keeps the table, None where it is only passed on."""
        return self._store

    def to_stream(self, *, name: str | None = None) -> Stream[K, V]:
        """The table's updates as a stream; a deleted key comes as a null value."""
        node = self._graph.add(
            TableToStreamNode(
                name=self._graph.step_name(self._origin, "to-stream", name),
                parents=(self._node.name,),
                key_type=self._node.key_type,
                value_type=self._node.value_type,
            )
        )
        stream: Stream[K, V] = self._graph.handles.stream(self._graph, node, origin=self._origin)
        return stream
