"""The graph that streams and tables add operators to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from eddyline.application.topology.graph import Graph, StreamRef, TableRef

if TYPE_CHECKING:
    from eddyline.application.topology.handles.stream import Stream
    from eddyline.application.topology.handles.table import Table


class DslGraph(Graph, ABC):
    """A graph that also creates the streams and tables that operators return.

    Streams become tables and tables become streams, so neither module can import the other: both create them here.
    """

    @abstractmethod
    def stream(self, ref: StreamRef) -> Stream[Any, Any]:
        """Return the stream."""

    @abstractmethod
    def table(self, ref: TableRef) -> Table[Any, Any]:
        """Return the table."""
