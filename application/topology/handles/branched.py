"""Splits a stream into branches: each record goes to the first branch whose predicate matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import StreamRef
from eddyline.application.topology.handles.guidance import Guided
from eddyline.application.topology.nodes import BranchNode, SplitNode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eddyline.application.topology.handles.dsl_graph import DslGraph
    from eddyline.application.topology.handles.stream import Stream

K = TypeVar("K")
V = TypeVar("V")


class BranchedStream(Guided, Generic[K, V]):
    """A split that branches are added to; `default_branch` or `no_default_branch` end it and return the branches by name."""

    _ways = (('.default_branch()["default"]', "Stream"),)

    def __init__(self, graph: DslGraph, parent: StreamRef, *, name: str) -> None:
        self._graph = graph
        self._parent = parent
        self._name = name
        self._branches: dict[str, Callable[[Any, Any], bool] | None] = {}

    def branch(self, predicate: Callable[[K, V], bool], *, name: str) -> BranchedStream[K, V]:
        """Add a branch of the records that match the predicate of key and value, and that no earlier branch matched.

        Raises:
            TopologyError: If there is already a branch of this name.
        """
        self._add(name, predicate)
        return self

    def default_branch(self, *, name: str = "default") -> Mapping[str, Stream[K, V]]:
        """End the split with a branch of the records that no other branch matched; return the streams by branch name.

        Raises:
            TopologyError: If there is already a branch of this name.
        """
        self._add(name, None)
        return self._end()

    def no_default_branch(self) -> Mapping[str, Stream[K, V]]:
        """End the split, discarding the records that no branch matched; return the streams by branch name.

        Raises:
            TopologyError: If there are no branches.
        """
        return self._end()

    def _add(self, name: str, predicate: Callable[[K, V], bool] | None) -> None:
        if name in self._branches:
            msg = f"split '{self._name}' has two branches named '{name}'; pass another name= to one of them"
            raise TopologyError(msg)
        self._branches[name] = predicate

    def _end(self) -> Mapping[str, Stream[K, V]]:
        if not self._branches:
            msg = f"split '{self._name}' has no branches; add one with .branch(predicate, name=…)"
            raise TopologyError(msg)
        parent = self._parent
        types: dict[str, Any] = {"key_type": parent.node.key_type, "value_type": parent.node.value_type}
        split = self._graph.add(
            SplitNode(name=self._name, parents=(parent.node.name,), predicates=tuple(self._branches.values()), **types)
        )
        streams: dict[str, Stream[K, V]] = {}
        for index, branch in enumerate(self._branches):
            node = self._graph.add(BranchNode(name=f"{self._name}-{branch}", parents=(split.name,), index=index, **types))
            streams[branch] = self._graph.stream(StreamRef(node, f"{parent.origin}-{branch}", parent.rekeyed))
        return streams
