"""Streams: facts that follow each other, and the verbs on them.

Every verb gives a new handle and leaves this one as it is. `name=` names the step; where a type is asked for and cannot be
read from the function's annotations, `key=` and `value=` tell it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from eddyline.application.topology.branched import BranchedStream
from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import Graph, explicit, require_types
from eddyline.application.topology.nodes import (
    FilterNode,
    FlatMapNode,
    FlatMapValuesNode,
    MapNode,
    MapValuesNode,
    MergeNode,
    Node,
    PeekNode,
    SinkNode,
    SourceNode,
    TableSourceNode,
)
from eddyline.application.topology.process_nodes import ProcessNode
from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.stream_joins import StreamJoins
from eddyline.application.topology.types import UNKNOWN, element_type, pair_types, returned_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from eddyline.application.topology.grouped import GroupedStream
    from eddyline.application.topology.processor import FixedKeyProcessor, Processor
    from eddyline.application.topology.table import Table

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")


class Stream(StreamJoins[K, V], Generic[K, V]):
    """A stream of records with keys of type K and values of type V."""

    def __init__(self, graph: Graph, node: Node, *, origin: str, rekeyed: bool = False) -> None:
        self._graph = graph
        self._node = node
        self._origin = origin
        self._rekeyed = rekeyed

    def filter(self, predicate: Callable[[K, V], bool], *, name: str | None = None) -> Stream[K, V]:
        """The records that the predicate of key and value holds for."""
        return self._then(
            FilterNode(**self._step("filter", name), predicate=predicate, key_type=self._key_type, value_type=self._value_type)
        )

    def filter_not(self, predicate: Callable[[K, V], bool], *, name: str | None = None) -> Stream[K, V]:
        """The records that the predicate of key and value does not hold for."""
        return self.filter(lambda key, value: not predicate(key, value), name=self._named("filter-not", name))

    def map(
        self,
        mapper: Callable[[K, V], tuple[K2, V2]],
        *,
        key: type[K2] | None = None,
        value: type[V2] | None = None,
        name: str | None = None,
    ) -> Stream[K2, V2]:
        """One new record, as a pair of key and value, for each record."""
        key_type, value_type = pair_types(returned_type(mapper))
        return self._then(
            MapNode(
                **self._step("map", name), mapper=mapper, key_type=explicit(key, key_type), value_type=explicit(value, value_type)
            ),
            rekeyed=True,
        )

    @overload
    def map_values(
        self,
        mapper: Callable[[V], V2],
        *,
        value: type[V2] | None = None,
        with_key: Literal[False] = False,
        name: str | None = None,
    ) -> Stream[K, V2]: ...
    @overload
    def map_values(
        self, mapper: Callable[[K, V], V2], *, value: type[V2] | None = None, with_key: Literal[True], name: str | None = None
    ) -> Stream[K, V2]: ...
    def map_values(
        self, mapper: Callable[..., Any], *, value: type[Any] | None = None, with_key: bool = False, name: str | None = None
    ) -> Stream[K, Any]:
        """A new value for each record, of the value, or with `with_key` of key and value; the key stays."""
        return self._then(
            MapValuesNode(
                **self._step("map-values", name),
                mapper=mapper,
                with_key=with_key,
                key_type=self._key_type,
                value_type=explicit(value, returned_type(mapper)),
            )
        )

    def flat_map(
        self,
        mapper: Callable[[K, V], Iterable[tuple[K2, V2]]],
        *,
        key: type[K2] | None = None,
        value: type[V2] | None = None,
        name: str | None = None,
    ) -> Stream[K2, V2]:
        """Any number of new records, as pairs of key and value, for each record."""
        key_type, value_type = pair_types(element_type(returned_type(mapper)))
        return self._then(
            FlatMapNode(
                **self._step("flat-map", name),
                mapper=mapper,
                key_type=explicit(key, key_type),
                value_type=explicit(value, value_type),
            ),
            rekeyed=True,
        )

    @overload
    def flat_map_values(
        self,
        mapper: Callable[[V], Iterable[V2]],
        *,
        value: type[V2] | None = None,
        with_key: Literal[False] = False,
        name: str | None = None,
    ) -> Stream[K, V2]: ...
    @overload
    def flat_map_values(
        self,
        mapper: Callable[[K, V], Iterable[V2]],
        *,
        value: type[V2] | None = None,
        with_key: Literal[True],
        name: str | None = None,
    ) -> Stream[K, V2]: ...
    def flat_map_values(
        self,
        mapper: Callable[..., Iterable[Any]],
        *,
        value: type[Any] | None = None,
        with_key: bool = False,
        name: str | None = None,
    ) -> Stream[K, Any]:
        """Any number of new values for each record, of the value, or with `with_key` of key and value; the key stays."""
        return self._then(
            FlatMapValuesNode(
                **self._step("flat-map-values", name),
                mapper=mapper,
                with_key=with_key,
                key_type=self._key_type,
                value_type=explicit(value, element_type(returned_type(mapper))),
            )
        )

    def select_key(
        self, selector: Callable[[K, V], K2], *, key: type[K2] | None = None, name: str | None = None
    ) -> Stream[K2, V]:
        """The same values under the keys that the selector of key and value gives."""
        mapper = _KeySelector(selector)
        return self._then(
            MapNode(
                **self._step("select-key", name),
                mapper=mapper,
                key_type=explicit(key, returned_type(selector)),
                value_type=self._value_type,
            ),
            rekeyed=True,
        )

    def peek(self, action: Callable[[K, V], object], *, name: str | None = None) -> Stream[K, V]:
        """The same stream; the action sees each record on its way, once or, after a failure, more than once."""
        return self._then(
            PeekNode(**self._step("peek", name), action=action, key_type=self._key_type, value_type=self._value_type)
        )

    def for_each(self, action: Callable[[K, V], object], *, name: str | None = None) -> None:
        """Ends the stream in an action on each record, once or, after a failure, more than once."""
        self.peek(action, name=self._named("for-each", name))

    def merge(self, *others: Stream[K, V], name: str | None = None) -> Stream[K, V]:
        """The records of this stream and of the others, in the order in which they come."""
        if not others:
            msg = f"step '{self._named('merge', name)}' merges nothing; give it at least one other stream"
            raise TopologyError(msg)
        parents = tuple(stream._node.name for stream in (self, *others))  # noqa: SLF001 - its own kind
        return self._then(
            MergeNode(name=self._named("merge", name), parents=parents, key_type=self._key_type, value_type=self._value_type),
            rekeyed=any(stream._rekeyed for stream in (self, *others)),  # noqa: SLF001 - its own kind
        )

    def split(self, *, name: str | None = None) -> BranchedStream[K, V]:
        """Begins a split: each record goes to the first branch whose predicate holds, see `BranchedStream`."""
        return BranchedStream(
            self._graph, self._node, origin=self._origin, name=self._named("split", name), rekeyed=self._rekeyed
        )

    def to(
        self,
        topic: str | Callable[[K, V], str],
        *,
        partitioner: Callable[[K, V, int], int] | None = None,
        name: str | None = None,
    ) -> None:
        """Ends the stream in a topic, or in the one that a function of key and value names.

        `partitioner` gives the partition for key, value and the number of partitions; without it the key's hash decides.
        """
        base = f"{topic}-sink" if isinstance(topic, str) else f"{self._origin}-sink"
        self._graph.add(
            SinkNode(
                name=name or self._free(base),
                parents=(self._node.name,),
                topic=topic,
                partitioner=partitioner,
                key_type=self._key_type,
                value_type=self._value_type,
            )
        )

    def through(self, topic: str, *, name: str | None = None) -> Stream[K, V]:
        """Writes to a topic of the user's and goes on with what is read from it."""
        require_types(self._node, "is read again")
        self.to(topic, name=name)
        source = self._graph.add(SourceNode(name=topic, topic=topic, key_type=self._key_type, value_type=self._value_type))
        return Stream(self._graph, source, origin=topic)

    def process(
        self,
        supplier: Callable[[], Processor[K, V, K2, V2]],
        *,
        stores: Sequence[str] = (),
        key: type[K2] | None = None,
        value: type[V2] | None = None,
        name: str | None = None,
    ) -> Stream[K2, V2]:
        """Hands the records to a processor of each task's own, which the supplier makes; what it forwards is the stream.

        `stores` are the names of the stores that it uses: said with `builder.add_state_store`, or those of tables.
        """
        step = self._step("process", name)
        return self._then(
            ProcessNode(
                **step,
                stores=self._graph.known_stores(step["name"], stores),
                supplier=supplier,
                key_type=explicit(key, UNKNOWN),
                value_type=explicit(value, UNKNOWN),
            ),
            rekeyed=True,
        )

    def process_values(
        self,
        supplier: Callable[[], FixedKeyProcessor[K, V, V2]],
        *,
        stores: Sequence[str] = (),
        value: type[V2] | None = None,
        name: str | None = None,
    ) -> Stream[K, V2]:
        """As `process`, with a processor that keeps the key, so that no repartition is owed afterwards."""
        step = self._step("process-values", name)
        return self._then(
            ProcessNode(
                **step,
                stores=self._graph.known_stores(step["name"], stores),
                supplier=supplier,
                fixed_key=True,
                key_type=self._key_type,
                value_type=explicit(value, UNKNOWN),
            )
        )

    def repartition(self, *, name: str | None = None, partitions: int | None = None) -> Stream[K, V]:
        """The same records, moved so that equal keys meet in one task, through the internal topic `<name>-repartition`.

        `partitions` is the number of partitions of that topic; without it the upstream's number. Records without a key end here.
        """
        if partitions is not None and partitions < 1:
            msg = f"step '{self._named('repartition', name)}' asks for {partitions} partitions; ask for at least 1"
            raise TopologyError(msg)
        base = name or self._origin
        source = self._graph.repartition(self._node, base, partitions)
        return Stream(self._graph, source, origin=base)

    def group_by_key(self, *, name: str | None = None) -> GroupedStream[K, V]:
        """The stream grouped by the key it has; `name` names the repartition topic, where the key was changed before."""
        grouped: GroupedStream[K, V] = self._graph.handles.grouped_stream(
            self._graph, self._node, origin=self._origin, name=name, rekeyed=self._rekeyed
        )
        return grouped

    def group_by(
        self, selector: Callable[[K, V], K2], *, key: type[K2] | None = None, name: str | None = None
    ) -> GroupedStream[K2, V]:
        """The stream grouped by a new key; `name` names the repartition topic."""
        return self.select_key(selector, key=key, name=name).group_by_key(name=name)

    def to_table(self, *, store: str | None = None, name: str | None = None) -> Table[K, V]:
        """The stream read as a table: the latest value of each key, kept in `store`; a null value deletes the key."""
        node = self._node
        store = store or f"{self._origin}-table-store"
        if self._rekeyed:
            node = self._graph.repartition(node, name or store, None)
        require_types(node, "is kept in a table")
        self._graph.add_store(StoreSpec(name=store, kind=StoreKind.KEY_VALUE, key_type=node.key_type, value_type=node.value_type))
        table_node = self._graph.add(
            TableSourceNode(
                name=name or f"{store}-table",
                parents=(node.name,),
                stores=(store,),
                store=store,
                key_type=node.key_type,
                value_type=node.value_type,
            )
        )
        table: Table[K, V] = self._graph.handles.table(self._graph, table_node, origin=store, store=store)
        return table

    @property
    def _key_type(self) -> object:
        return self._node.key_type

    @property
    def _value_type(self) -> object:
        return self._node.value_type

    def _named(self, verb: str, name: str | None) -> str:
        return self._graph.step_name(self._origin, verb, name)

    def _free(self, base: str) -> str:
        return base if not self._graph.has_node(base) else self._graph.step_name(base, "from-" + self._origin, None)

    def _step(self, verb: str, name: str | None) -> dict[str, Any]:
        return {"name": self._named(verb, name), "parents": (self._node.name,)}

    def _then(self, node: Node, *, rekeyed: bool = False) -> Stream[Any, Any]:
        return Stream(self._graph, self._graph.add(node), origin=self._origin, rekeyed=rekeyed or self._rekeyed)


class _KeySelector:
    """A mapper that changes the key alone."""

    __slots__ = ("selector",)

    def __init__(self, selector: Callable[[Any, Any], Any]) -> None:
        self.selector = selector

    def __call__(self, key: Any, value: Any) -> tuple[Any, Any]:
        return self.selector(key, value), value
