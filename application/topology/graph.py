"""What the fluent verbs write into: steps and stores under names that are checked as they come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from eddyline.application.topology.errors import TopologyError, listed
from eddyline.application.topology.nodes import Node, RepartitionSinkNode, SourceNode
from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.subtopologies import names_of_global_steps, split_into_sub_topologies
from eddyline.application.topology.topology import Topology
from eddyline.application.topology.types import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eddyline.application.topology.handles import Handles

N = TypeVar("N", bound=Node)

_LEGAL = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
_LONGEST_NAME = 249


class Graph:
    """The steps said so far. `handles` are the classes of streams and tables that verbs give back."""

    def __init__(self, handles: Handles) -> None:
        self.handles = handles
        self._nodes: dict[str, Node] = {}
        self._stores: dict[str, StoreSpec] = {}

    def node(self, name: str) -> Node:
        """The step of this name."""
        return self._nodes[name]

    def add(self, node: N) -> N:
        """Takes the step. Raises TopologyError when its name is taken or illegal."""
        check_name(node.name, "step")
        if node.name in self._nodes:
            msg = f"two steps would be named '{node.name}'; give one of them another name with name="
            raise TopologyError(msg)
        self._nodes[node.name] = node
        return node

    def replace(self, node: N) -> N:
        """Puts the step in the place of the one of its name."""
        self._nodes[node.name] = node
        return node

    def add_store(self, spec: StoreSpec) -> StoreSpec:
        """Takes the store. Raises TopologyError when its name is taken or illegal."""
        check_name(spec.name, "store")
        if spec.name in self._stores:
            msg = f"two stores would be named '{spec.name}'; give one of them another name with store="
            raise TopologyError(msg)
        self._stores[spec.name] = spec
        return spec

    def store(self, name: str) -> StoreSpec:
        """The store of this name."""
        return self._stores[name]

    def keep(self, table: Node, store: str) -> None:
        """Takes a store for the rows of a table's step. Raises TopologyError when their types are not known."""
        require_types(table, f"is kept in store '{store}'")
        self.add_store(StoreSpec(name=store, kind=StoreKind.KEY_VALUE, key_type=table.key_type, value_type=table.value_type))

    def has_store(self, name: str) -> bool:
        """Whether a store of this name was said."""
        return name in self._stores

    def known_stores(self, step: str, names: Iterable[str]) -> tuple[str, ...]:
        """The names, where all are stores said so far. Raises TopologyError for one that is not."""
        known = tuple(names)
        for name in known:
            if name not in self._stores:
                msg = (
                    f"step '{step}' uses store '{name}', which is unknown; the stores said so far are: {listed(self._stores)}; "
                    "say it first with builder.add_state_store(…)"
                )
                raise TopologyError(msg)
        return known

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the steps said so far."""
        return tuple(self._nodes)

    def has_node(self, name: str) -> bool:
        """Whether a step of this name was said."""
        return name in self._nodes

    def step_name(self, origin: str, verb: str, name: str | None) -> str:
        """The name of a step without lasting state: as given, else origin and verb, numbered when that is taken."""
        if name is not None:
            return name
        base = f"{origin}-{verb}"
        number, candidate = 1, base
        while candidate in self._nodes:
            number += 1
            candidate = f"{base}-{number}"
        return candidate

    def are_connected(self, one: str, other: str) -> bool:
        """Whether two steps hang together so far, without a repartition between them."""
        subs = split_into_sub_topologies(tuple(self._nodes.values()), tuple(self._stores.values()))
        return any(one in sub.nodes and other in sub.nodes for sub in subs)

    def source_of(self, topic: str) -> SourceNode | None:
        """The step that reads the topic already, if there is one."""
        for node in self._nodes.values():
            if isinstance(node, SourceNode) and node.topic == topic:
                return node
        return None

    def repartition(self, parent: Node, name: str, partitions: int | None, *, null_keys: bool = False) -> SourceNode:
        """Sends the parent's records through an internal topic, by the hash of their key, and reads them again.

        Records without a key end before it, or with `null_keys` go to any partition.
        """
        return self.through_internal_topic(parent, f"{name}-repartition", partitions, null_keys=null_keys)

    def through_internal_topic(
        self, parent: Node, topic: str, partitions: int | None = None, *, null_keys: bool = False
    ) -> SourceNode:
        """Sends the parent's records through an internal topic of this name; with `null_keys` those without a key too."""
        require_types(parent, "is repartitioned")
        self.add(
            RepartitionSinkNode(
                name=f"{topic}-sink",
                parents=(parent.name,),
                topic=topic,
                partitions=partitions,
                null_keys=null_keys,
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

    def build(self) -> Topology:
        """The frozen topology. Raises TopologyError when there is nothing to read."""
        nodes = tuple(self._nodes.values())
        if not any(isinstance(node, SourceNode) for node in nodes):
            msg = "the topology reads nothing; begin it with builder.stream(topic, key=…, value=…) or builder.table(…)"
            raise TopologyError(msg)
        self._check_global_tables(nodes)
        stores = tuple(self._stores.values())
        return Topology(nodes, stores, split_into_sub_topologies(nodes, stores))

    @staticmethod
    def _check_global_tables(nodes: tuple[Node, ...]) -> None:
        global_steps = names_of_global_steps(nodes)
        used = {store for node in nodes if node.name not in global_steps for store in node.stores}
        for node in nodes:
            if node.name in global_steps and not used.issuperset(node.stores):
                msg = (
                    f"the global table of step '{node.name}' is used by no other step, so no task would keep it; "
                    "join a stream with it, or say it with builder.table(…)"
                )
                raise TopologyError(msg)


def check_name(name: str, what: str) -> None:
    """Raises TopologyError unless the name is legal in Kafka, where names become topics."""
    wrong = sorted(set(name) - _LEGAL)
    if not name or wrong or len(name) > _LONGEST_NAME:
        reason = f"{wrong[0]!r} is not allowed" if wrong else f"it has {len(name)} characters"
        msg = f"the {what} name '{name}' is not legal: {reason}; use 1 to {_LONGEST_NAME} letters, digits, '.', '_' and '-'"
        raise TopologyError(msg)


def require_types(node: Node, why: str) -> None:
    """Raises TopologyError when the types of what the step gives are not known, though they are needed."""
    for side, found in (("key", node.key_type), ("value", node.value_type)):
        if found is UNKNOWN:
            msg = (
                f"the {side} type of step '{node.name}' is not known, but it {why}; "
                f"annotate what its function returns, or give {side}= to the step"
            )
            raise TopologyError(msg)


def explicit(given: Any, inferred: object) -> object:
    """The type that the user gave, else the one that was found."""
    return inferred if given is None else given
