"""Builds a topology from the streams and tables of topics."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import StreamRef, TableRef, Topology, with_queryable_stores
from eddyline.application.topology.handles.dsl_graph import DslGraph
from eddyline.application.topology.handles.global_table import GlobalTable
from eddyline.application.topology.handles.processor_api import ProcessorApi
from eddyline.application.topology.handles.source_options import idle_timeout_ms, source_fields, table_topic
from eddyline.application.topology.handles.stream import Stream
from eddyline.application.topology.handles.table import Table
from eddyline.application.topology.nodes import ProcessorNode, SourceNode, TableSourceNode
from eddyline.application.topology.processor import Processor
from eddyline.application.topology.stores import StoreSpec, TableStore
from eddyline.application.topology.timestamps import TimestampExtractor
from eddyline.application.topology.types import type_name
from eddyline.application.topology.windows import Duration

K = TypeVar("K")
V = TypeVar("V")


class TopologyBuilder(ProcessorApi):
    """Builds a topology: operators are added by its methods and those of the streams and tables that they return."""

    _graph: DslGraph

    def __init__(self) -> None:
        self._graph = _BuilderGraph()
        self._queryable: dict[str, None] = {}

    def stream(
        self,
        topic: str | re.Pattern[str],
        *,
        key: type[K],
        value: type[V],
        timestamp: TimestampExtractor | None = None,
        idle_timeout: Duration | None = None,
        name: str | None = None,
    ) -> Stream[K, V]:
        """Read a topic, or all topics that match a pattern, as a stream.

        Reading a topic twice with the same options returns the same stream.

        Args:
            topic: The topic, or a pattern that the whole name of a topic matches, such as `re.compile("logs-.*")`. Topics that
                appear later are read from their beginning. Dead-letter topics never match.
            key: The type of its keys, which the topic's codec decodes.
            value: The type of its values, which the topic's codec decodes.
            timestamp: Returns the event time of a record in ms since the epoch, by default the timestamp of the log. Records
                for which it returns None or a negative number are dropped. Pass `wall_clock_time` for processing time.
            idle_timeout: How long no record may come, in wall-clock time, before stream time follows the wall clock, so that
                windows close: milliseconds, a `timedelta`, or text such as `30s`. By default, only records advance stream time.
            name: The name of the source node, by default that of the topic; for a pattern such as `logs-pattern`.

        Raises:
            TopologyError: If the topic is already read with other options, a pattern matches a topic that is read by name, or
                the name is invalid or already used.
        """
        source = self._source(
            SourceNode(
                **source_fields(name, topic),
                timestamp_extractor=timestamp,
                key_type=key,
                value_type=value,
                idle_timeout_ms=idle_timeout_ms(topic, idle_timeout),
            ),
            named=name is not None,
        )
        return Stream(self._graph, StreamRef(source, origin=source.topic if source.pattern is None else source.name))

    def table(
        self,
        topic: str,
        *,
        key: type[K],
        value: type[V],
        store: TableStore = None,
        timestamp: TimestampExtractor | None = None,
        idle_timeout: Duration | None = None,
        name: str | None = None,
    ) -> Table[K, V]:
        """Read a topic as a table: the latest value of each key; a null value deletes the key.

        Reading a topic twice with the same options returns the same table; with another store it returns another table.

        Args:
            topic: The topic.
            key: The type of its keys, which the topic's codec decodes.
            value: The type of its values, which the topic's codec decodes.
            store: The name of the table's store, by default `<topic>-store`; or `versioned_key_value_store(…)` to keep the
                history of each key, so that updates that arrive out of order are put in their place.
            timestamp: Returns the event time of a record in ms since the epoch, as in `stream`.
            idle_timeout: How long no record may come before stream time follows the wall clock, as in `stream`. Streams that are
                joined with a table without one do not wait for its records.
            name: The name of the table's node, by default `<topic>-table`, or `<store>-table` for a further table of the topic.

        Raises:
            TopologyError: If the topic is already read with other options, or a name is invalid or already used.
        """
        store = self._graph.chosen_store(store)
        source = {"timestamp_extractor": timestamp, "idle_timeout_ms": idle_timeout_ms(topic, idle_timeout)}
        return Table(self._graph, self._table_ref(topic, key, value, store, name, source))

    def global_table(
        self,
        topic: str,
        *,
        key: type[K],
        value: type[V],
        store: TableStore = None,
        timestamp: TimestampExtractor | None = None,
        name: str | None = None,
    ) -> GlobalTable[K, V]:
        """Read a topic as a global table: every task has all its rows, so that streams can join them by any key.

        Its records do not advance stream time.

        Args:
            topic: The topic.
            key: The type of its keys, which the topic's codec decodes.
            value: The type of its values, which the topic's codec decodes.
            store: The name of the table's store, by default `<topic>-store`.
            timestamp: Returns the event time of a record in ms since the epoch, as in `stream`.
            name: The name of the table's node, by default `<topic>-table`.

        Raises:
            TopologyError: If the topic is already read with other options, a name is invalid or already used, or the store is
                versioned.
        """
        if isinstance(store, StoreSpec):
            msg = f"global table '{topic}' cannot be stored in '{store.name}', since global tables are not versioned; pass a name"
            raise TopologyError(msg)
        source = {"timestamp_extractor": timestamp, "global_": True}
        return GlobalTable(self._table_ref(topic, key, value, store, name, source))

    def add_global_store(
        self,
        spec: StoreSpec,
        topic: str,
        supplier: Callable[[], Processor[K, V, Any, Any]],
        *,
        key: type[K],
        value: type[V],
        timestamp: TimestampExtractor | None = None,
        name: str | None = None,
    ) -> None:
        """Add a global store: every task has all of it, and a processor of your own updates it from the records of a topic.

        Processors read it if it is among their `stores`; only its own processor may write to it. Its records do not advance
        stream time.

        Args:
            spec: What `key_value_store`, `window_store`, `session_store` or `custom_store` return.
            topic: The topic.
            supplier: Creates the processor of each task. It gets the store from its context; what it forwards is discarded.
            key: The type of the topic's keys, which its codec decodes.
            value: The type of the topic's values, which its codec decodes.
            timestamp: Returns the event time of a record in ms since the epoch, as in `stream`.
            name: The name of the processor's node, by default `<topic>-processor`.

        Raises:
            TopologyError: If the topic is already read, or a name is invalid or already used.
        """
        if self._graph.source_of(table_topic(topic)) is not None:
            msg = f"topic '{topic}' is already read; a global store needs a topic of its own"
            raise TopologyError(msg)
        source = self._graph.add(
            SourceNode(name=topic, topic=topic, timestamp_extractor=timestamp, key_type=key, value_type=value, global_=True)
        )
        store = self._graph.add_store(spec).name
        self._graph.add(
            ProcessorNode(name=name or f"{topic}-processor", parents=(source.name,), stores=(store,), supplier=supplier)
        )

    def queryable(self, *stores: str) -> None:
        """Let stores always have a changelog, so that they can be queried while the flow runs.

        The setting `changelog.stores` does it from outside, for one run or one environment.

        Args:
            stores: The names of stores of tables, aggregations or processors: those that are passed as `store=`, or their
                defaults. They may be added to the topology later. Those of global tables are copies of their topics.
        """
        self._queryable.update(dict.fromkeys(stores))

    def build(self) -> Topology:
        """Return the frozen topology.

        Raises:
            TopologyError: If it has no source, or a pattern matches a topic that is read by name, or a
                store that was declared queryable does not exist, or is that of a global table.
        """
        return with_queryable_stores(self._graph.build(), self._queryable)

    def _source(self, source: SourceNode, *, named: bool = False) -> SourceNode:
        """Add a source node, or return the existing one of its topic if its options are the same."""
        existing = self._graph.source_of(source.topic)
        if existing is None:
            return self._graph.add(source)
        wanted = source if named else replace(source, name=existing.name)
        if existing != wanted:
            msg = (
                f"topic '{source.topic}' is read twice, first {_differences(existing, wanted)}, then "
                f"{_differences(wanted, existing)}; read it once and use that stream or table twice"
            )
            raise TopologyError(msg)
        return existing

    def _table_ref(
        self, topic: str, key: Any, value: Any, store: str | None, name: str | None, options: Mapping[str, Any]
    ) -> TableRef:
        types = {"key_type": key, "value_type": value}
        source = self._source(SourceNode(name=table_topic(topic), topic=topic, **types, **options))
        named, store = store is not None, store or f"{topic}-store"
        spec, default = self._graph.table_store(store, **types), f"{topic}-table"
        node = TableSourceNode(name=name or default, parents=(source.name,), stores=(store,), store=store, **types)
        if (same := self._graph.same_table(node, spec)) is not None:
            return same
        if name is None and self._graph.has_node(default):
            node = replace(node, name=f"{store}-table")
        self._graph.add_store(spec)
        self._graph.add(node)
        if named:
            self._graph.old_values.materialize(node.name)
        return self._graph.stored_table(node, store)


class _BuilderGraph(DslGraph):
    def stream(self, ref: StreamRef) -> Stream[Any, Any]:
        return Stream(self, ref)

    def table(self, ref: TableRef) -> Table[Any, Any]:
        return Table(self, ref)


def _differences(source: SourceNode, other: SourceNode) -> str:
    """Return the options of a source that differ from those of another source of the same topic."""
    parts = []
    if source.global_ != other.global_:
        parts.append("as a global table" if source.global_ else "as a stream or table")
    if source.name != other.name:
        parts.append(f"with name='{source.name}'")
    if source.key_type != other.key_type:
        parts.append(f"with key={type_name(source.key_type)}")
    if source.value_type != other.value_type:
        parts.append(f"with value={type_name(source.value_type)}")
    if source.timestamp_extractor != other.timestamp_extractor:
        extractor = source.timestamp_extractor
        parts.append(f"with timestamp={getattr(extractor, '__name__', extractor)}")
    if source.idle_timeout_ms != other.idle_timeout_ms:
        parts.append(f"with idle_timeout={source.idle_timeout_ms}")
    return " and ".join(parts)
