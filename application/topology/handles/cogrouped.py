"""Several grouped streams that are aggregated into one table, each with an adder of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar, overload

from eddyline.application.topology.aggregations.fold import Fold
from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import common_key_type
from eddyline.application.topology.handles.aggregations import Aggregations
from eddyline.application.topology.handles.arguments import checked, windows_of
from eddyline.application.topology.handles.guidance import Guided
from eddyline.application.topology.nodes import AggregateNode, CogroupNode
from eddyline.application.topology.types import UNKNOWN, aggregate_type, explicit_or
from eddyline.application.topology.windows import Duration, EnumerableWindows, SessionWindows, SlidingWindows, Windowed

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.topology.handles.dsl_graph import DslGraph
    from eddyline.application.topology.handles.grouped import GroupedStream
    from eddyline.application.topology.handles.table import Table
    from eddyline.application.topology.stores import TableStore

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")
G_co = TypeVar("G_co", bound=Aggregations[Any, Any, Any], covariant=True)


class Part(NamedTuple, Generic[G_co]):
    """A grouped stream and how its values are added to the shared aggregate."""

    group: G_co
    adder: Callable[..., Any]
    with_key: bool


class _Cogrouped(Guided, Generic[G_co]):
    """What cogrouped streams with and without windows have in common."""

    _ways = ((".aggregate(…)", "Table"), (".aggregate(…).to_stream()", "Stream"))

    def __init__(self, graph: DslGraph, origin: str, parts: tuple[Part[G_co], ...]) -> None:
        self._graph = graph
        self._origin = origin
        self._parts = parts

    def _aggregate(
        self,
        initializer: Callable[[], Any],
        *,
        value: Any,
        store: TableStore,
        name: str | None,
        merge: Callable[[Any, Any], Any] | None = None,
    ) -> Table[Any, Any]:
        default_store = f"{self._origin}-cogroup"
        store = self._graph.chosen_store(store) or default_store
        name = name or (store if store == default_store else f"{store}-cogroup")
        value_type = explicit_or(value, aggregate_type(initializer, *(part.adder for part in self._parts), merge))
        if value_type is UNKNOWN:
            msg = (
                f"the result type of operator '{name}' is unknown; "
                "annotate the return type of its initializer or an adder, or pass value= to aggregate(…)"
            )
            raise TopologyError(msg)
        self._graph.check_store_is_free(store, "aggregate")
        nodes: list[AggregateNode] = []
        for number, (group, adder, with_key) in enumerate(self._parts):
            fold = Fold(initializer, adder, merge, with_key=with_key)
            nodes.append(group._add_node(f"{name}-{number}", store, value_type, fold, new_store=not nodes))
            common_key_type(name, nodes[0], nodes[-1])
        cogroup = self._graph.add(
            CogroupNode(
                name=name,
                parents=tuple(node.name for node in nodes),
                stores=(store,),
                copartitioned=tuple(parent for node in nodes for parent in node.parents),
                key_type=nodes[0].key_type,
                value_type=value_type,
            )
        )
        return self._graph.table(self._graph.stored_table(cogroup, store))


class CogroupedStream(_Cogrouped["GroupedStream[K, Any]"], Generic[K, A]):
    """Grouped streams with equal keys, to be aggregated into one table."""

    @overload
    def cogroup(
        self, grouped: GroupedStream[K, V], adder: Callable[[A, V], A], *, with_key: Literal[False] = False
    ) -> CogroupedStream[K, A]: ...
    @overload
    def cogroup(
        self, grouped: GroupedStream[K, V], adder: Callable[[K, A, V], A], *, with_key: Literal[True]
    ) -> CogroupedStream[K, A]: ...
    def cogroup(
        self, grouped: GroupedStream[K, Any], adder: Callable[..., A], *, with_key: bool = False
    ) -> CogroupedStream[K, A]:
        """Add another grouped stream.

        Args:
            grouped: The grouped stream.
            adder: Returns the next aggregate for (aggregate, value).
            with_key: Whether the adder takes (key, aggregate, value).

        Raises:
            TopologyError: If it is no grouped stream, or belongs to another builder.
        """
        what = f"grouped= of cogroup of stream '{self._origin}'"
        checked(grouped, type(self._parts[0].group), what, "pass what group_by(…) or group_by_key(…) of a stream returns")
        if grouped._graph is not self._graph:
            msg = f"{what} is a stream of another TopologyBuilder; read its topic with the same builder"
            raise TopologyError(msg)
        return CogroupedStream(self._graph, self._origin, (*self._parts, Part(grouped, adder, with_key)))

    @overload
    def windowed_by(
        self, windows: EnumerableWindows | SlidingWindows, *, retention_ms: Duration | None = None
    ) -> WindowedCogroupedStream[K, A]: ...
    @overload
    def windowed_by(
        self, windows: SessionWindows, *, retention_ms: Duration | None = None
    ) -> SessionWindowedCogroupedStream[K, A]: ...
    def windowed_by(
        self, windows: EnumerableWindows | SlidingWindows | SessionWindows, *, retention_ms: Duration | None = None
    ) -> WindowedCogroupedStream[K, A] | SessionWindowedCogroupedStream[K, A]:
        """Group the records of each key by windows of event time.

        Args:
            windows: What `tumbling`, `hopping`, `sliding`, `session`, `calendar_days` or `unlimited` return.
            retention_ms: How long the store keeps windows (ms, a timedelta or text such as `1h`); by default until they close.

        Raises:
            TopologyError: If the retention is too short.
        """
        windows_of(windows, self._origin)
        parts = tuple(
            Part(group.windowed_by(windows, retention_ms=retention_ms), adder, with_key) for group, adder, with_key in self._parts
        )
        if isinstance(windows, SessionWindows):
            return SessionWindowedCogroupedStream(self._graph, self._origin, parts)
        return WindowedCogroupedStream(self._graph, self._origin, parts)

    def aggregate(
        self,
        initializer: Callable[[], A],
        *,
        value: type[A] | None = None,
        store: TableStore = None,
        name: str | None = None,
    ) -> Table[K, A]:
        """Aggregate the values of each key from all streams.

        Args:
            initializer: Returns the first aggregate of a key.
            value: The type of the aggregate, by default from the annotated return types of initializer and adders.
            store: The name of the table's store, by default derived from the stream, such as `views-cogroup`; or
                `versioned_key_value_store(…)`.
            name: The name of the operator, by default derived from the store.

        Raises:
            TopologyError: If the key types differ, types are unknown, or a name is invalid or already used.
        """
        return self._aggregate(initializer, value=value, store=store, name=name)


class WindowedCogroupedStream(_Cogrouped[Aggregations[K, Any, Windowed[K]]], Generic[K, A]):
    """Grouped streams with equal keys and windows, to be aggregated into one windowed table."""

    def aggregate(
        self,
        initializer: Callable[[], A],
        *,
        value: type[A] | None = None,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[Windowed[K], A]:
        """Aggregate the values of each key and window from all streams.

        Args:
            initializer: Returns the first aggregate of a window.
            value: The type of the aggregate, by default from the annotated return types of initializer and adders.
            store: The name of the table's store, by default derived from the stream, such as `views-cogroup`.
            name: The name of the operator, by default derived from the store.

        Raises:
            TopologyError: If the key types differ, types are unknown, or a name is invalid or already used.
        """
        return self._aggregate(initializer, value=value, store=store, name=name)


class SessionWindowedCogroupedStream(_Cogrouped[Aggregations[K, Any, Windowed[K]]], Generic[K, A]):
    """Grouped streams with equal keys and sessions, to be aggregated into one windowed table."""

    def aggregate(
        self,
        initializer: Callable[[], A],
        merge: Callable[[A, A], A],
        *,
        value: type[A] | None = None,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[Windowed[K], A]:
        """Aggregate the values of each session from all streams.

        Args:
            initializer: Returns the first aggregate of a session.
            merge: Combines the aggregates of sessions that a new record connects.
            value: The type of the aggregate, by default from the annotated return types of initializer and adders.
            store: The name of the table's store, by default derived from the stream, such as `views-cogroup`.
            name: The name of the operator, by default derived from the store.

        Raises:
            TopologyError: If the key types differ, types are unknown, or a name is invalid or already used.
        """
        return self._aggregate(initializer, value=value, store=store, name=name, merge=merge)
