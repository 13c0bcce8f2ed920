"""The verbs that join a stream: with another stream in windows, with a table, with a global table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from eddyline.application.topology import stream_stream_join, stream_table_join
from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.side import How, Side
from eddyline.application.topology.views import JoinKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.topology.global_table import GlobalTable
    from eddyline.application.topology.graph import Graph
    from eddyline.application.topology.join_windows import JoinWindows
    from eddyline.application.topology.nodes import Node
    from eddyline.application.topology.stream import Stream
    from eddyline.application.topology.table import Table

K = TypeVar("K")
V = TypeVar("V")
W = TypeVar("W")
R = TypeVar("R")
G = TypeVar("G")


class StreamJoins(Generic[K, V]):
    """The joins of a stream. A joiner takes the values (left, right), with `with_key` (key, left, right); this is the left.

    `value` is the type of what the joiner gives, where its annotation does not tell it. `name` names the step and, where a
    side's keys were changed before, the repartition topics.
    """

    _graph: Graph
    _node: Node
    _origin: str
    _rekeyed: bool

    @overload
    def join(
        self,
        other: Stream[K, W],
        joiner: Callable[[V, W], R],
        *,
        windows: JoinWindows,
        value: type[R] | None = None,
        with_key: Literal[False] = False,
        name: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def join(
        self,
        other: Stream[K, W],
        joiner: Callable[[K, V, W], R],
        *,
        windows: JoinWindows,
        value: type[R] | None = None,
        with_key: Literal[True],
        name: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def join(
        self,
        other: Table[K, W],
        joiner: Callable[[V, W], R],
        *,
        value: type[R] | None = None,
        with_key: Literal[False] = False,
        name: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def join(
        self,
        other: Table[K, W],
        joiner: Callable[[K, V, W], R],
        *,
        value: type[R] | None = None,
        with_key: Literal[True],
        name: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def join(
        self,
        other: GlobalTable[G, W],
        joiner: Callable[[V, W], R],
        *,
        key_selector: Callable[[K, V], G | None],
        value: type[R] | None = None,
        with_key: Literal[False] = False,
        name: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def join(
        self,
        other: GlobalTable[G, W],
        joiner: Callable[[K, V, W], R],
        *,
        key_selector: Callable[[K, V], G | None],
        value: type[R] | None = None,
        with_key: Literal[True],
        name: str | None = None,
    ) -> Stream[K, R]: ...
    def join(
        self,
        other: Stream[K, Any] | Table[K, Any] | GlobalTable[Any, Any],
        joiner: Callable[..., Any],
        *,
        windows: JoinWindows | None = None,
        key_selector: Callable[[K, V], Any] | None = None,
        value: type[Any] | None = None,
        with_key: bool = False,
        name: str | None = None,
    ) -> Stream[K, Any]:
        """The records that have a partner, joined with it.

        With a stream: every pair of equal keys whose times lie within `windows`, at the greater time of the two. With a table:
        each record with the row that its key has at that moment, at the record's time. With a global table: with the row of
        the key that `key_selector` gives. Null keys and null values are dropped and counted; the key of a record that is
        joined with a global table may be null, what the selector gives may not.
        """
        how = How(joiner=joiner, value=value, with_key=with_key, name=name)
        return self._join(JoinKind.INNER, other, how, windows, key_selector)

    @overload
    def left_join(
        self,
        other: Stream[K, W],
        joiner: Callable[[V, W | None], R],
        *,
        windows: JoinWindows,
        value: type[R] | None = None,
        with_key: Literal[False] = False,
        name: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def left_join(
        self,
        other: Stream[K, W],
        joiner: Callable[[K, V, W | None], R],
        *,
        windows: JoinWindows,
        value: type[R] | None = None,
        with_key: Literal[True],
        name: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def left_join(
        self,
        other: Table[K, W],
        joiner: Callable[[V, W | None], R],
        *,
        value: type[R] | None = None,
        with_key: Literal[False] = False,
        name: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def left_join(
        self,
        other: Table[K, W],
        joiner: Callable[[K, V, W | None], R],
        *,
        value: type[R] | None = None,
        with_key: Literal[True],
        name: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def left_join(
        self,
        other: GlobalTable[G, W],
        joiner: Callable[[V, W | None], R],
        *,
        key_selector: Callable[[K, V], G | None],
        value: type[R] | None = None,
        with_key: Literal[False] = False,
        name: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def left_join(
        self,
        other: GlobalTable[G, W],
        joiner: Callable[[K, V, W | None], R],
        *,
        key_selector: Callable[[K, V], G | None],
        value: type[R] | None = None,
        with_key: Literal[True],
        name: str | None = None,
    ) -> Stream[K, R]: ...
    def left_join(
        self,
        other: Stream[K, Any] | Table[K, Any] | GlobalTable[Any, Any],
        joiner: Callable[..., Any],
        *,
        windows: JoinWindows | None = None,
        key_selector: Callable[[K, V], Any] | None = None,
        value: type[Any] | None = None,
        with_key: bool = False,
        name: str | None = None,
    ) -> Stream[K, Any]:
        """As `join`, and the records without a partner too, joined with None.

        With a table they come out at once. With a stream they wait until stream time has passed the end of their window and
        its grace. A record with a null key comes out at once, since it has no partner; null values are dropped and counted.
        """
        how = How(joiner=joiner, value=value, with_key=with_key, name=name)
        return self._join(JoinKind.LEFT, other, how, windows, key_selector)

    @overload
    def outer_join(
        self,
        other: Stream[K, W],
        joiner: Callable[[V | None, W | None], R],
        *,
        windows: JoinWindows,
        value: type[R] | None = None,
        with_key: Literal[False] = False,
        name: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def outer_join(
        self,
        other: Stream[K, W],
        joiner: Callable[[K, V | None, W | None], R],
        *,
        windows: JoinWindows,
        value: type[R] | None = None,
        with_key: Literal[True],
        name: str | None = None,
    ) -> Stream[K, R]: ...
    def outer_join(
        self,
        other: Stream[K, Any],
        joiner: Callable[..., Any],
        *,
        windows: JoinWindows,
        value: type[Any] | None = None,
        with_key: bool = False,
        name: str | None = None,
    ) -> Stream[K, Any]:
        """As `left_join` with a stream, with the records of both sides that have no partner."""
        how = How(joiner=joiner, value=value, with_key=with_key, name=name)
        return self._join(JoinKind.OUTER, other, how, windows)

    def side(self) -> Side:
        """What a join needs to know of this stream."""
        return Side(self._node, self._origin, self._rekeyed)

    def _join(
        self,
        kind: JoinKind,
        other: Any,
        how: How,
        windows: JoinWindows | None = None,
        key_selector: Callable[[Any, Any], Any] | None = None,
    ) -> Stream[K, Any]:
        graph, sides = self._graph, (self.side(), other.side())
        if isinstance(other, graph.handles.stream):
            if windows is None:
                msg = f"'{self._origin}' is joined with a stream, which takes windows=join_windows(before=…, after=…, grace=…)"
                raise TopologyError(msg)
            return stream_stream_join.said(graph, sides, kind, windows, how)
        if isinstance(other, graph.handles.global_table):
            return stream_table_join.said_of_global(graph, sides, kind, key_selector, how)
        return stream_table_join.said(graph, sides, kind, how)
