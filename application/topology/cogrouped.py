"""Several grouped streams folded together: one aggregate a key, to which each stream adds in its own way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar, overload

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.event_windows import SessionWindows, SlidingWindows
from eddyline.application.topology.graph import explicit
from eddyline.application.topology.join_nodes import TableMergeNode
from eddyline.application.topology.side import common_key_type
from eddyline.application.topology.types import UNKNOWN, returned_type
from eddyline.application.topology.windows import EnumerableWindows, Windowed

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.topology.folding import Folding
    from eddyline.application.topology.graph import Graph
    from eddyline.application.topology.grouped import GroupedStream
    from eddyline.application.topology.nodes import AggregateNode
    from eddyline.application.topology.table import Table

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")


class _Part(NamedTuple):
    """A group and how it adds to the aggregate."""

    group: Folding[Any, Any, Any]
    adder: Callable[..., Any]
    with_key: bool


class _Cogrouped:
    """What groups that are folded together have, in windows or not."""

    def __init__(self, graph: Graph, origin: str, parts: tuple[_Part, ...] = ()) -> None:
        self._graph = graph
        self._origin = origin
        self._parts = parts

    def _folded(
        self,
        initializer: Callable[[], Any],
        *,
        value: Any,
        store: str | None,
        name: str | None,
        merge: Callable[[Any, Any], Any] | None = None,
    ) -> Table[Any, Any]:
        own = f"{self._origin}-cogroup"
        store = store or own
        step = name or (store if store == own else f"{store}-cogroup")
        value_type = explicit(value, returned_type(initializer))
        if value_type is UNKNOWN:
            msg = (
                f"the type that step '{step}' folds into is not known; "
                "annotate what its initializer returns, or give value= to aggregate"
            )
            raise TopologyError(msg)
        folds: list[AggregateNode] = []
        for number, (group, adder, with_key) in enumerate(self._parts):
            fold = {"initializer": initializer, "adder": adder, "with_key": with_key, "merge": merge}
            folds.append(group.fold_into(store, value_type, step=f"{step}-{number}", shared=bool(folds), **fold))
            common_key_type(step, folds[0], folds[-1])
        node = self._graph.add(
            TableMergeNode(
                name=step,
                parents=tuple(fold.name for fold in folds),
                stores=(store,),
                sides=tuple(parent for fold in folds for parent in fold.parents),
                key_type=folds[0].key_type,
                value_type=value_type,
            )
        )
        table: Table[Any, Any] = self._graph.handles.table(self._graph, node, origin=store, store=store)
        return table


class CogroupedStream(_Cogrouped, Generic[K, A]):
    """Groups of equal keys, each with the adder that folds its values into the aggregate that they share."""

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
        """The same with one more group; its adder takes (aggregate, value), with `with_key` (key, aggregate, value)."""
        return CogroupedStream(self._graph, self._origin, (*self._parts, _Part(grouped, adder, with_key)))

    @overload
    def windowed_by(
        self, windows: EnumerableWindows | SlidingWindows, *, retention_ms: int | None = None
    ) -> WindowedCogroupedStream[K, A]: ...
    @overload
    def windowed_by(
        self, windows: SessionWindows, *, retention_ms: int | None = None
    ) -> SessionWindowedCogroupedStream[K, A]: ...
    def windowed_by(
        self, windows: EnumerableWindows | SlidingWindows | SessionWindows, *, retention_ms: int | None = None
    ) -> WindowedCogroupedStream[K, A] | SessionWindowedCogroupedStream[K, A]:
        """The groups in windows of event time; `retention_ms` is how long the store keeps windows."""
        parts = tuple(
            part._replace(group=part.group.windowed_by(windows, retention_ms=retention_ms))  # type: ignore[attr-defined] # they are plain groups
            for part in self._parts
        )
        if isinstance(windows, SessionWindows):
            return SessionWindowedCogroupedStream(self._graph, self._origin, parts)
        return WindowedCogroupedStream(self._graph, self._origin, parts)

    def aggregate(
        self,
        initializer: Callable[[], A],
        *,
        value: type[A] | None = None,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, A]:
        """The records of all groups folded from `initializer()` on, kept in `store`.

        `value` is the aggregate's type, where the initializer's annotation does not tell it.
        """
        return self._folded(initializer, value=value, store=store, name=name)


class WindowedCogroupedStream(_Cogrouped, Generic[K, A]):
    """Groups of equal keys and windows, folded together."""

    def aggregate(
        self,
        initializer: Callable[[], A],
        *,
        value: type[A] | None = None,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[Windowed[K], A]:
        """The records of all groups folded, window by window, from `initializer()` on, kept in `store`."""
        return self._folded(initializer, value=value, store=store, name=name)


class SessionWindowedCogroupedStream(_Cogrouped, Generic[K, A]):
    """Groups of equal keys and sessions, folded together."""

    def aggregate(
        self,
        initializer: Callable[[], A],
        *,
        merge: Callable[[A, A], A],
        value: type[A] | None = None,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[Windowed[K], A]:
        """The records of all groups folded, session by session; `merge` combines the aggregates of sessions that meet."""
        return self._folded(initializer, value=value, store=store, name=name, merge=merge)
