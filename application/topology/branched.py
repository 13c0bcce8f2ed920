"""A split stream: branches by predicates, each record in the first that holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.nodes import BranchNode, Node, SplitNode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eddyline.application.topology.graph import Graph
    from eddyline.application.topology.stream import Stream

K = TypeVar("K")
V = TypeVar("V")


class BranchedStream(Generic[K, V]):
    """Takes branches one by one; `default_branch` or `no_default_branch` ends the split and gives the streams by name."""

    def __init__(self, graph: Graph, node: Node, *, origin: str, name: str, rekeyed: bool) -> None:
        self._graph = graph
        self._node = node
        self._origin = origin
        self._name = name
        self._rekeyed = rekeyed
        self._branches: dict[str, Callable[[Any, Any], bool] | None] = {}

    def branch(self, predicate: Callable[[K, V], bool], *, name: str) -> BranchedStream[K, V]:
        """The records that no earlier branch took and that the predicate of key and value holds for."""
        if name in self._branches:
            msg = f"split '{self._name}' has two branches named '{name}'; give each a name of its own"
            raise TopologyError(msg)
        self._branches[name] = predicate
        return self

    def default_branch(self, *, name: str = "default") -> Mapping[str, Stream[K, V]]:
        """Ends the split; what no branch took goes to the stream `name`. The streams by their branches' names."""
        self.branch(_always, name=name)
        self._branches[name] = None
        return self._end()

    def no_default_branch(self) -> Mapping[str, Stream[K, V]]:
        """Ends the split; what no branch took is left out. The streams by their branches' names."""
        return self._end()

    def _end(self) -> Mapping[str, Stream[K, V]]:
        if not self._branches:
            msg = f"split '{self._name}' has no branch; give it one with .branch(predicate, name=…)"
            raise TopologyError(msg)
        types: dict[str, Any] = {"key_type": self._node.key_type, "value_type": self._node.value_type}
        split = self._graph.add(
            SplitNode(name=self._name, parents=(self._node.name,), predicates=tuple(self._branches.values()), **types)
        )
        streams: dict[str, Stream[K, V]] = {}
        for index, branch in enumerate(self._branches):
            node = self._graph.add(BranchNode(name=f"{self._name}-{branch}", parents=(split.name,), index=index, **types))
            streams[branch] = self._graph.handles.stream(
                self._graph, node, origin=f"{self._origin}-{branch}", rekeyed=self._rekeyed
            )
        return streams


def _always(_key: object, _value: object) -> bool:
    return True
