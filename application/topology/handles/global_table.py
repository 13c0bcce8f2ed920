"""Global tables: all rows in every task, so that streams can join them by any key."""

from typing import Generic, TypeVar

from eddyline.application.topology.graph import TableRef
from eddyline.application.topology.handles.guidance import Guided

K = TypeVar("K")
V = TypeVar("V")


class GlobalTable(Guided, Generic[K, V]):
    """A table of a topic whose rows every task has; streams can join it."""

    def __init__(self, ref: TableRef) -> None:
        self._ref = ref

    @property
    def store(self) -> str:
        """The name of the table's store."""
        return self._ref.origin

    def _as_input(self) -> TableRef:
        return self._ref
