"""The graph that a builder adds nodes and stores to, under names that are checked at once."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from eddyline.application.topology.errors import TopologyError, listed
from eddyline.application.topology.graph.checks import (
    check_parents,
    check_patterns,
    check_topic,
    check_type,
    check_types,
    check_types_of_store,
    names_in,
    value_getter_of,
)
from eddyline.application.topology.graph.functions import check_functions
from eddyline.application.topology.graph.names import check_name
from eddyline.application.topology.graph.old_values import OldValues
from eddyline.application.topology.graph.refs import TableRef
from eddyline.application.topology.graph.topology import Topology
from eddyline.application.topology.nodes import (
    JoinKind,
    Node,
    Partitioner,
    RepartitionSinkNode,
    SourceNode,
    StoredValueGetter,
    StreamStreamJoinNode,
    StreamTableJoinNode,
    ValueGetter,
)
from eddyline.application.topology.stores import ConnectedStoreProvider, StoreKind, StoreSpec, TableStore
from eddyline.application.topology.sub_topologies import split_into_sub_topologies


def with_null_keys(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Return the nodes, with the repartitions upstream of relaxed joins marked to keep null keys."""
    by_name = {node.name: node for node in nodes}
    writers = {node.topic: node for node in nodes if isinstance(node, RepartitionSinkNode)}
    pending: list[Node] = [node for node in nodes if _is_relaxed(node)]
    upstream: set[str] = set()
    while pending:
        node = pending.pop()
        if node.name in upstream:
            continue
        upstream.add(node.name)
        pending.extend(by_name[parent] for parent in node.parents)
        if isinstance(node, SourceNode) and node.repartition:
            pending.append(writers[node.topic])
    return tuple(
        replace(node, null_keys=True) if isinstance(node, RepartitionSinkNode) and node.name in upstream else node
        for node in nodes
    )


def _is_relaxed(node: Node) -> bool:
    return isinstance(node, StreamStreamJoinNode | StreamTableJoinNode) and node.kind is not JoinKind.INNER


N = TypeVar("N", bound=Node)


class Graph:
    """The nodes and stores that were added so far."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}
        self._stores: dict[str, StoreSpec] = {}
        self._chosen: dict[str, StoreSpec] = {}
        self._is_built = False
        self.old_values = OldValues(self._nodes)

    # --- nodes --------------------------------------------------------------------------------------------------------

    def add(self, node: N) -> N:
        """Add a node and return it.

        Raises:
            TopologyError: If its name or topic is invalid, its name is already used, a function of it takes other arguments, or
                the topology was built already.
        """
        self._check_open(f"operator '{node.name}'")
        check_topic(node)
        check_name(node.name, "operator")
        if node.name in self._nodes:
            msg = f"two operators have the name '{node.name}'; pass another name= to one of them"
            raise TopologyError(msg)
        check_type(node.key_type, f"the key type of operator '{node.name}'")
        check_type(node.value_type, f"the value type of operator '{node.name}'")
        check_functions(node)
        self._nodes[node.name] = node
        return node

    def _check_open(self, added: str) -> None:
        if self._is_built:
            msg = (
                f"{added} is added after build(), which has returned the topology; add it before, or use another TopologyBuilder"
            )
            raise TopologyError(msg)

    def replace(self, node: N) -> N:
        """Replace the node of the same name and return the new one."""
        self._nodes[node.name] = node
        return node

    def node(self, name: str) -> Node:
        """Return the node of this name."""
        return self._nodes[name]

    def has_node(self, name: str) -> bool:
        """Return whether there is a node of this name."""
        return name in self._nodes

    def existing_nodes(self, name: str, parents: Iterable[str]) -> tuple[str, ...]:
        """Return the names of the parents of the node `name`.

        Raises:
            TopologyError: If one of them does not exist, or forwards nothing, or there are none.
        """
        found = names_in(parents, "parents", name)
        check_parents(name, found, self._nodes)
        return found

    def node_name(self, origin: str, operator: str, name: str | None) -> str:
        """Return the name of a node without state: `name`, or by default `<origin>-<operator>`, numbered if it is taken."""
        if name is not None:
            return name
        base = f"{origin}-{operator}"
        number, candidate = 1, base
        while candidate in self._nodes:
            number += 1
            candidate = f"{base}-{number}"
        return candidate

    def source_of(self, topic: str) -> SourceNode | None:
        """Return the node that reads the topic, None if there is none."""
        for node in self._nodes.values():
            if isinstance(node, SourceNode) and node.topic == topic:
                return node
        return None

    def are_connected(self, first: str, second: str) -> bool:
        """Return whether two nodes are in the same sub-topology so far."""
        subs = split_into_sub_topologies(tuple(self._nodes.values()), tuple(self._stores.values()))
        return any(first in sub.nodes and second in sub.nodes for sub in subs)

    # --- stores -------------------------------------------------------------------------------------------------------

    def add_store(self, spec: StoreSpec) -> StoreSpec:
        """Add a store and return its specification.

        Raises:
            TopologyError: If its name is invalid or used, state cannot have its keys or values, or the topology was built.
        """
        self._check_open(f"store '{spec.name}'")
        check_name(spec.name, "store")
        check_types_of_store(spec)
        if spec.name in self._stores:
            msg = f"two stores have the name '{spec.name}'; pass another store= or name= to one of the operators that create them"
            raise TopologyError(msg)
        if spec.name in self._chosen and spec.kind is not StoreKind.VERSIONED:
            msg = f"store '{spec.name}' cannot be versioned, since the table has windows; pass its name as store="
            raise TopologyError(msg)
        self._stores[spec.name] = spec
        return spec

    def chosen_store(self, store: TableStore) -> str | None:
        """Return the name of a table's store that the user chose, None for the default; remember its specification, if any.

        Raises:
            TopologyError: If it is the specification of a store that is not for tables.
        """
        if store is None or isinstance(store, str):
            return store
        given: object = store
        if not isinstance(given, StoreSpec):
            msg = f"store= of a table is {given!r}; pass the name of a store, or versioned_key_value_store(…)"
            raise TopologyError(msg)
        if store.kind is not StoreKind.VERSIONED:
            msg = (
                f"store '{store.name}' is a {store.kind.value} store, which cannot store a table; "
                "pass the name of a store, or versioned_key_value_store(…)"
            )
            raise TopologyError(msg)
        self._chosen[store.name] = store
        return store.name

    def table_store(self, name: str, *, key_type: object, value_type: object) -> StoreSpec:
        """Return the specification of a table's store: as the user chose it, or else of a key-value store."""
        spec = self._chosen.get(name) or StoreSpec(name=name, kind=StoreKind.KEY_VALUE)
        return replace(spec, key_type=key_type, value_type=value_type)

    def stored_table(self, node: Node, store: str) -> TableRef:
        """Return the table whose updates a node emits and whose rows are in a store."""
        spec = self._stores[store]
        hidden_after_ms = spec.retention_ms if spec.kept_longer_ms else None
        return TableRef(node, store, store, StoredValueGetter(store, spec.kind, hidden_after_ms))

    def same_table(self, node: Node, spec: StoreSpec) -> TableRef | None:
        """Return the table that an equal node keeps in an equal store, None if there is none."""
        if self._stores.get(spec.name) == spec and self._nodes.get(node.name) == node:
            return self.stored_table(node, spec.name)
        return None

    def check_store_is_free(self, store: str, operator: str) -> None:
        """Check that no other operator keeps its result in the store that a table would have.

        Args:
            store: The name of the store.
            operator: The method that adds the table, for the error message, such as `count`.

        Raises:
            TopologyError: If another operator uses it.
        """
        if store not in self._stores:
            return
        user = next((node.name for node in self._nodes.values() if store in node.stores), store)
        number = 2
        while f"{store}-{number}" in self._stores:
            number += 1
        msg = (
            f"{operator}(…) cannot use store '{store}', in which operator '{user}' keeps another result; "
            f'name the store: {operator}(…, store="{store}-{number}")'
        )
        raise TopologyError(msg)

    def add_table_store(self, table: Node, store: str) -> TableRef:
        """Add a store for the rows of a table whose updates a node emits, and return the table.

        Raises:
            TopologyError: If the types of its keys or values are unknown, or the name of the store is invalid or already used.
        """
        check_types(table, f"for store '{store}'")
        self.add_store(self.table_store(store, key_type=table.key_type, value_type=table.value_type))
        return self.stored_table(table, store)

    def value_getter(self, name: str, table: TableRef) -> ValueGetter:
        """Return the value getter of a table that the operator `name` reads.

        Raises:
            TopologyError: If the rows of the table cannot be read.
        """
        getter = value_getter_of(name, table)
        self.old_values.materialize(table.node.name)
        return getter

    def store(self, name: str) -> StoreSpec:
        """Return the specification of the store of this name."""
        return self._stores[name]

    def existing_stores(self, name: str, stores: Iterable[str]) -> tuple[str, ...]:
        """Return the names of the stores of the node `name`.

        Raises:
            TopologyError: If one of them does not exist.
        """
        found = names_in(stores, "stores", name)
        for store in found:
            if store not in self._stores:
                msg = (
                    f"operator '{name}' uses the unknown store '{store}'; stores added so far: {listed(self._stores)}; "
                    "add it first with builder.add_state_store(…)"
                )
                raise TopologyError(msg)
        return found

    def connected_stores(self, name: str, stores: Iterable[str], supplier: object) -> tuple[str, ...]:
        """Return the names of the stores of the node `name`: those that exist, and those that its supplier brings along.

        Raises:
            TopologyError: If a store does not exist, or another store has the name of one that the supplier brings along.
        """
        if not isinstance(supplier, ConnectedStoreProvider):
            return self.existing_stores(name, stores)
        provided = tuple(supplier.stores())
        for spec in provided:
            if self._stores.get(spec.name, spec) != spec:
                msg = (
                    f"the supplier of operator '{name}' brings along the store '{spec.name}', but another store has this name; "
                    "choose another name, or return an equal store to share it"
                )
                raise TopologyError(msg)
            if spec.name not in self._stores:
                self.add_store(spec)
        return tuple(dict.fromkeys((*self.existing_stores(name, stores), *(spec.name for spec in provided))))

    # --- repartitioning -----------------------------------------------------------------------------------------------

    def repartition(self, parent: Node, name: str, partitions: int | None, *, null_keys: bool = False) -> SourceNode:
        """Repartition the records of `parent` by key through the topic `<name>-repartition`; return the node that reads it."""
        return self.through_internal_topic(parent, f"{name}-repartition", partitions, null_keys=null_keys)

    def repartitioned_before(self, parent: Node, name: str) -> Node | None:
        """Return the node that reads the topic `<name>-repartition`, None if no records of `parent` are written to it."""
        sink, source = (self._nodes.get(f"{name}-repartition-{end}") for end in ("sink", "source"))
        return None if sink is None or parent.name not in sink.parents else source

    def through_internal_topic(
        self,
        parent: Node,
        topic: str,
        partitions: int | None = None,
        *,
        null_keys: bool = False,
        partitioner: Partitioner | None = None,
    ) -> SourceNode:
        """Repartition the records of `parent` by key through an internal topic.

        Args:
            parent: The node whose records are repartitioned.
            topic: The name of the topic.
            partitions: The number of its partitions, None to derive it from other topics.
            null_keys: Whether records with a null key are kept; else they are discarded.
            partitioner: Chooses the partitions of each record, None to choose them by key.

        Returns:
            The node that reads the topic.

        Raises:
            TopologyError: If the types of the keys or values are unknown, or the topic's name is invalid or already used.
        """
        check_types(parent, "to repartition it")
        self.add(
            RepartitionSinkNode(
                name=f"{topic}-sink",
                parents=(parent.name,),
                topic=topic,
                partitions=partitions,
                null_keys=null_keys,
                partitioner=partitioner,
                key_type=parent.key_type,
                value_type=parent.value_type,
            )
        )
        return self.add(
            SourceNode(
                name=f"{topic}-source",
                topic=topic,
                repartition=True,
                key_type=parent.key_type,
                value_type=parent.value_type,
            )
        )

    # --- the result ---------------------------------------------------------------------------------------------------

    def build(self) -> Topology:
        """Return the frozen topology.

        Raises:
            TopologyError: If it has no source, or a pattern matches a topic that is read by name.
        """
        check_patterns(self._nodes.values())
        nodes = with_null_keys(self.old_values.applied(self._nodes.values()))
        if not any(isinstance(node, SourceNode) for node in nodes):
            msg = "the topology has no source; start it with builder.stream(topic, key=…, value=…) or builder.table(…)"
            raise TopologyError(msg)
        stores = tuple(self._stores.values())
        self._is_built = True
        return Topology(nodes, stores, split_into_sub_topologies(nodes, stores))
