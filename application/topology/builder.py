"""Where a topology begins: streams and tables of topics."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.global_table import GlobalTable
from eddyline.application.topology.graph import Graph
from eddyline.application.topology.grouped import GroupedStream
from eddyline.application.topology.grouped_table import GroupedTable
from eddyline.application.topology.hand_built import HandBuilt
from eddyline.application.topology.handles import Handles
from eddyline.application.topology.nodes import SourceNode, TableSourceNode
from eddyline.application.topology.records import SourceRecord
from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.stream import Stream
from eddyline.application.topology.table import Table
from eddyline.application.topology.topology import Topology

K = TypeVar("K")
V = TypeVar("V")

TimestampExtractor = Callable[[SourceRecord], int | None]


class TopologyBuilder(HandBuilt):
    """Takes what the flow says; `build()` gives the frozen topology."""

    def __init__(self) -> None:
        self._graph = Graph(
            Handles(
                stream=Stream, grouped_stream=GroupedStream, table=Table, grouped_table=GroupedTable, global_table=GlobalTable
            )
        )

    def stream(
        self, topic: str, *, key: type[K], value: type[V], timestamp: TimestampExtractor | None = None, name: str | None = None
    ) -> Stream[K, V]:
        """The records of a topic as a stream.

        `key` and `value` are the types that the topic's codecs decode. `timestamp` takes the event time (ms since the epoch)
        from a record; where it gives None or less than 0 the record is dropped and counted. Without it the time is the log's.
        Reading one topic twice gives the same stream, provided that it is said the same way.
        """
        source = self._source(topic, key, value, timestamp, name)
        return Stream(self._graph, source, origin=topic)

    def table(
        self,
        topic: str,
        *,
        key: type[K],
        value: type[V],
        store: str | None = None,
        timestamp: TimestampExtractor | None = None,
        name: str | None = None,
    ) -> Table[K, V]:
        """The records of a topic as a table: the latest value of each key, kept in `store`; a null value deletes the key."""
        source = self._source(topic, key, value, timestamp, None)
        store = store or f"{topic}-store"
        self._graph.add_store(StoreSpec(name=store, kind=StoreKind.KEY_VALUE, key_type=key, value_type=value))
        node = self._graph.add(
            TableSourceNode(
                name=name or f"{topic}-table",
                parents=(source.name,),
                stores=(store,),
                store=store,
                key_type=key,
                value_type=value,
            )
        )
        return Table(self._graph, node, origin=store, store=store)

    def global_table(
        self,
        topic: str,
        *,
        key: type[K],
        value: type[V],
        store: str | None = None,
        timestamp: TimestampExtractor | None = None,
        name: str | None = None,
    ) -> GlobalTable[K, V]:
        """The records of a topic as a table whose rows every task has, kept in `store`; a null value deletes the key.

        Streams join it by any key that they choose. Its records move no task's stream time.
        """
        source = self._source(topic, key, value, timestamp, None, global_=True)
        store = store or f"{topic}-store"
        self._graph.add_store(StoreSpec(name=store, kind=StoreKind.KEY_VALUE, key_type=key, value_type=value))
        node = self._graph.add(
            TableSourceNode(
                name=name or f"{topic}-table",
                parents=(source.name,),
                stores=(store,),
                store=store,
                key_type=key,
                value_type=value,
            )
        )
        return GlobalTable(node, store=store)

    def build(self) -> Topology:
        """The topology, frozen. Raises TopologyError when it reads nothing."""
        return self._graph.build()

    def _source(
        self,
        topic: str,
        key: Any,
        value: Any,
        timestamp: TimestampExtractor | None,
        name: str | None,
        *,
        global_: bool = False,
    ) -> SourceNode:
        present = self._graph.source_of(topic)
        wanted = SourceNode(
            name=name or topic, topic=topic, key_type=key, value_type=value, timestamp_extractor=timestamp, global_=global_
        )
        if present is None:
            return self._graph.add(wanted)
        if present != wanted and name is None:
            wanted = replace(wanted, name=present.name)
        if present != wanted:
            msg = f"topic '{topic}' is read twice in different ways; read it once and use that stream twice"
            raise TopologyError(msg)
        return present
