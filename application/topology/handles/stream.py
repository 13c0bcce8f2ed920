"""Streams: sequences of records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import StreamRef, check_types
from eddyline.application.topology.handles.arguments import forwarded_types
from eddyline.application.topology.handles.branched import BranchedStream
from eddyline.application.topology.handles.grouped import GroupedStream
from eddyline.application.topology.handles.guidance import ended
from eddyline.application.topology.handles.stream_joins import StreamJoins
from eddyline.application.topology.handles.stream_transforms import StreamTransforms
from eddyline.application.topology.handles.topic_choice import takes_context
from eddyline.application.topology.nodes import ProcessorNode, SinkNode, SourceNode, TableSourceNode
from eddyline.application.topology.types import explicit_or

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from eddyline.application.topology.handles.table import Table
    from eddyline.application.topology.processor import FixedKeyProcessor, Processor
    from eddyline.application.topology.records import RecordContext
    from eddyline.application.topology.stores import TableStore

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")


class Stream(StreamTransforms[K, V], StreamJoins[K, V], Generic[K, V]):
    """A stream of records with keys of type K and values of type V.

    Operators return new streams and do not change this one. Types of keys and values are inferred, or passed as `key=` and
    `value=`; they are needed where records are repartitioned or stored. They follow from classes, the annotations of functions
    and methods, common builtin functions such as `len` and `str.split`, and the types that the class of a processor passes to
    its base class. Only a lambda says nothing.
    """

    def split(self, *, name: str | None = None) -> BranchedStream[K, V]:
        """Split the stream: add branches, and end the split with `default_branch` or `no_default_branch`.

        Args:
            name: The name of the operator, which the names of its branches begin with.
        """
        return BranchedStream(self._graph, self._ref, name=self._name("split", name))

    def to(
        self,
        topic: str | Callable[[K, V], str] | Callable[[K, V, RecordContext], str],
        *,
        partitioner: Callable[[K, V, int], int | Collection[int] | None] | None = None,
        name: str | None = None,
    ) -> None:
        """Write the stream to a topic.

        Args:
            topic: The topic, or a function of (key, value) or (key, value, context) that returns the topic of each record.
            partitioner: Returns the partition for key, value and number of partitions, or several partitions that all get the
                record, or an empty collection to drop it, or None to let the hash of the key decide, as without a partitioner.
            name: The name of the operator.

        Raises:
            TopologyError: If the name is invalid or already used.
        """
        node = self._ref.node
        default_name = f"{topic if isinstance(topic, str) else self._ref.origin}-sink"
        if name is None and self._graph.has_node(default_name):
            default_name = self._graph.node_name(default_name, f"from-{self._ref.origin}", None)
        self._graph.add(
            SinkNode(
                name=name or default_name,
                parents=(node.name,),
                topic=topic,
                with_context=takes_context(topic),
                partitioner=partitioner,
                key_type=node.key_type,
                value_type=node.value_type,
            )
        )
        return cast("None", ended("to", self._ref.origin))

    def through(self, topic: str, *, name: str | None = None) -> Stream[K, V]:
        """Write the stream to a topic and return the stream that is read from it.

        Args:
            topic: The topic.
            name: The name of the operator that writes.

        Raises:
            TopologyError: If types of keys or values are unknown, or a name is invalid or already used.
        """
        node = self._ref.node
        check_types(node, f"to read topic '{topic}'")
        self.to(topic, name=name)
        source = self._graph.add(SourceNode(name=topic, topic=topic, key_type=node.key_type, value_type=node.value_type))
        return Stream(self._graph, StreamRef(source, origin=topic))

    def process(
        self,
        supplier: Callable[[], Processor[K, V, K2, V2]],
        *,
        stores: Sequence[str] = (),
        key: type[K2] | None = None,
        value: type[V2] | None = None,
        name: str | None = None,
    ) -> Stream[K2, V2]:
        """Process the records with a user-defined processor and return the stream of those that it forwards.

        Args:
            supplier: Creates the processor of each task; a `ConnectedStoreProvider` brings its stores along.
            stores: The names of the stores that it uses, added with `TopologyBuilder.add_state_store` or those of tables.
            key: The type of the keys that it forwards, by default as its class says: `Processor[str, int, str, float]`.
            value: The type of the values that it forwards, likewise.
            name: The name of the operator.

        Raises:
            TopologyError: If a store does not exist, or the name is invalid or already used.
        """
        key_type, value_type = forwarded_types(supplier)
        types = {"key_type": explicit_or(key, key_type), "value_type": explicit_or(value, value_type)}
        fields = self._fields("process", name, **types)
        return self._then(self._processor(supplier, stores, fields), rekeyed=True)

    def process_values(
        self,
        supplier: Callable[[], FixedKeyProcessor[K, V, V2]],
        *,
        stores: Sequence[str] = (),
        value: type[V2] | None = None,
        name: str | None = None,
    ) -> Stream[K, V2]:
        """Process the records with a user-defined processor that keeps their keys, so that no repartition is needed afterwards.

        Args:
            supplier: Creates the processor of each task; a `ConnectedStoreProvider` brings its stores along.
            stores: The names of the stores that it uses, added with `TopologyBuilder.add_state_store` or those of tables.
            value: The type of the values that it forwards, likewise.
            name: The name of the operator.

        Raises:
            TopologyError: If a store does not exist, or the name is invalid or already used.
        """
        fields = self._fields("process-values", name, value_type=explicit_or(value, forwarded_types(supplier)[1]))
        return self._then(self._processor(supplier, stores, fields, fixed_key=True))

    def repartition(
        self,
        *,
        name: str | None = None,
        partitions: int | None = None,
        partitioner: Callable[[K, V, int], int | Collection[int] | None] | None = None,
    ) -> Stream[K, V]:
        """Repartition the records by key through the internal topic `<name>-repartition`.

        Records with a null key are discarded, unless a join downstream accepts them: a left or outer join of streams, or a left
        join with a table (KIP-962).

        Args:
            name: The name of the topic, without `-repartition`; by default that of the stream.
            partitions: The number of its partitions, by default that of the topics upstream.
            partitioner: Returns the partitions of a record, as in `to`; by default the hash of the key decides.

        Raises:
            TopologyError: If `partitions` is less than 1, types are unknown, or the name is invalid or already used.
        """
        base = name or self._ref.origin
        given: object = partitions
        if given is not None and not (isinstance(given, int) and given >= 1):
            msg = f"repartition '{base}' must have 1 or more partitions, but has partitions={given!r}"
            raise TopologyError(msg)
        topic = f"{base}-repartition"
        source = self._graph.through_internal_topic(self._ref.node, topic, partitions, partitioner=partitioner)
        return Stream(self._graph, StreamRef(source, base))

    def group_by_key(self, *, name: str | None = None) -> GroupedStream[K, V]:
        """Group the records by their key; if keys may have changed, aggregations repartition first.

        Args:
            name: The name of the repartition topic, without `-repartition`; by default that of the aggregation's store.
        """
        return GroupedStream(self._graph, self._ref, name=name)

    def group_by(
        self, selector: Callable[[K, V], K2], *, key: type[K2] | None = None, name: str | None = None
    ) -> GroupedStream[K2, V]:
        """Group the records by a new key; aggregations repartition first.

        Args:
            selector: Returns the new key for key and value.
            key: The type of the new keys, by default the annotated return type of the selector.
            name: The name of the operator and, without `-repartition`, of the repartition topic.
        """
        return self.select_key(selector, key=key, name=name).group_by_key(name=name)

    def to_table(self, *, store: TableStore = None, name: str | None = None) -> Table[K, V]:
        """Turn the stream into a table: the latest value of each key; a null value deletes the key.

        Args:
            store: The name of the table's store, by default `<stream>-table-store`; or `versioned_key_value_store(…)`.
            name: The name of the operator, by default `<store>-table`.

        Raises:
            TopologyError: If types of keys or values are unknown, or a name is invalid or already used.
        """
        parent = self._ref.node
        chosen = self._graph.chosen_store(store)
        named, store = chosen is not None, chosen or f"{self._ref.origin}-table-store"
        if self._ref.rekeyed:
            shared = self._graph.repartitioned_before(parent, name or store)
            if shared is None:
                self._graph.check_store_is_free(store, "to_table")
            parent = shared or self._graph.repartition(parent, name or store, None)
        check_types(parent, f"for the table in store '{store}'")
        node = TableSourceNode(
            name=name or f"{store}-table",
            parents=(parent.name,),
            stores=(store,),
            store=store,
            key_type=parent.key_type,
            value_type=parent.value_type,
        )
        spec = self._graph.table_store(store, key_type=node.key_type, value_type=node.value_type)
        if (same := self._graph.same_table(node, spec)) is not None:
            return self._graph.table(same)
        self._graph.check_store_is_free(store, "to_table")
        table = self._graph.add_table_store(node, store)
        self._graph.add(node)
        if named:
            self._graph.old_values.materialize(node.name)
        return self._graph.table(table)

    def _processor(
        self, supplier: Callable[[], Any], stores: Sequence[str], fields: dict[str, Any], *, fixed_key: bool = False
    ) -> ProcessorNode:
        found = self._graph.connected_stores(fields["name"], stores, supplier)
        return ProcessorNode(**fields, stores=found, supplier=supplier, fixed_key=fixed_key)
