"""Which classes stand for streams and tables; the graph hands them out, so that each can live in a file of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from eddyline.application.topology.global_table import GlobalTable
    from eddyline.application.topology.grouped import GroupedStream
    from eddyline.application.topology.grouped_table import GroupedTable
    from eddyline.application.topology.stream import Stream
    from eddyline.application.topology.table import Table


class Handles(NamedTuple):
    """The classes that verbs give back."""

    stream: type[Stream[Any, Any]]
    grouped_stream: type[GroupedStream[Any, Any]]
    table: type[Table[Any, Any]]
    grouped_table: type[GroupedTable[Any, Any]]
    global_table: type[GlobalTable[Any, Any]]
