"""Global tables: all rows in every task, so that a stream may be joined by any key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from eddyline.application.topology.side import Side
from eddyline.application.topology.stores import StoreKind
from eddyline.application.topology.views import StoredView

if TYPE_CHECKING:
    from eddyline.application.topology.nodes import Node

K = TypeVar("K")
V = TypeVar("V")


class GlobalTable(Generic[K, V]):
    """A table of a topic whose rows every task has, kept in `store`; it can be joined and read, nothing else."""

    def __init__(self, node: Node, *, store: str) -> None:
        self._node = node
        self._store = store

    @property
    def store(self) -> str:
        """The name of the store that keeps the table."""
        return self._store

    def side(self) -> Side:
        """What a join needs to know of this table."""
        return Side(self._node, self._store, view=StoredView(self._store, StoreKind.KEY_VALUE))
