"""The joins of a stream: with another stream in a window, with a table, or with a global table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import StreamRef
from eddyline.application.topology.handles.global_table import GlobalTable
from eddyline.application.topology.handles.join_signatures import inner_stream_join, left_stream_join, outer_stream_join
from eddyline.application.topology.handles.stream_base import StreamBase
from eddyline.application.topology.joins import (
    JoinSpec,
    add_stream_global_table_join,
    add_stream_stream_join,
    add_stream_table_join,
)
from eddyline.application.topology.nodes import JoinKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.topology.handles.stream import Stream
    from eddyline.application.topology.handles.table import Table
    from eddyline.application.topology.joins import StreamJoined
    from eddyline.application.topology.windows import JoinWindows

K = TypeVar("K")
V = TypeVar("V")


class StreamJoins(StreamBase[K, V], Generic[K, V]):
    """The joins of a stream with keys of type K and values of type V."""

    @inner_stream_join
    def join(
        self,
        other: Stream[K, Any] | Table[K, Any] | GlobalTable[Any, Any],
        joiner: Callable[..., Any],
        *,
        windows: JoinWindows | None = None,
        joined: StreamJoined | None = None,
        key_selector: Callable[[K, V], Any] | None = None,
        value: type[Any] | None = None,
        with_key: bool = False,
        name: str | None = None,
    ) -> Stream[K, Any]:
        """Join the records of this stream with a stream, a table or a global table; records without a match are discarded.

        With a stream, every two records with the same key whose timestamps are within `windows` are joined; the result has the
        greater timestamp of the two. With a table, each record is joined with the current row of its key and keeps its
        timestamp. With a global table, each record is joined with the current row of the key that `key_selector` returns.
        Records with a null value are dropped; so are those with a null key, or, for a global table, a null selected key.

        Args:
            other: The stream, table or global table.
            joiner: Returns the joined value for (value of this stream, value of the other side).
            windows: What `join_windows` returns; required for a stream.
            joined: What `stream_joined` returns, to choose the stores of a join with a stream.
            key_selector: Returns the key of the row for key and value of a record; required for a global table.
            value: The type of the joined values, by default the annotated return type of the joiner.
            with_key: Whether the joiner takes (key, value of this stream, value of the other side).
            name: The name of the operator and of its repartition topics, by default derived from both sides.

        Raises:
            TopologyError: If a required option is missing, the key types differ, the table has no store, types that a store or
                a repartition need are unknown, or a name is invalid or already used.
        """
        spec = JoinSpec(JoinKind.INNER, joiner, with_key, value, name)
        return self._join(other, spec, windows, joined, key_selector)

    @left_stream_join
    def left_join(
        self,
        other: Stream[K, Any] | Table[K, Any] | GlobalTable[Any, Any],
        joiner: Callable[..., Any],
        *,
        windows: JoinWindows | None = None,
        joined: StreamJoined | None = None,
        key_selector: Callable[[K, V], Any] | None = None,
        value: type[Any] | None = None,
        with_key: bool = False,
        name: str | None = None,
    ) -> Stream[K, Any]:
        """Join as `join` does, and keep the records without a match: the joiner then gets None as other value.

        With a table they are emitted at once. With a stream they are emitted when their window and its grace period are over.
        Records with a null key, which have no match, are emitted at once; records with a null value are dropped.

        Args:
            other: The stream, table or global table.
            joiner: Returns the joined value for (value of this stream, value of the other side or None).
            windows: What `join_windows` returns; required for a stream.
            joined: What `stream_joined` returns, to choose the stores of a join with a stream.
            key_selector: Returns the key of the row for key and value of a record; required for a global table.
            value: The type of the joined values, by default the annotated return type of the joiner.
            with_key: Whether the joiner takes (key, value of this stream, value of the other side or None).
            name: The name of the operator and of its repartition topics, by default derived from both sides.

        Raises:
            TopologyError: As `join`.
        """
        spec = JoinSpec(JoinKind.LEFT, joiner, with_key, value, name)
        return self._join(other, spec, windows, joined, key_selector)

    @outer_stream_join
    def outer_join(
        self,
        other: Stream[K, Any],
        joiner: Callable[..., Any],
        *,
        windows: JoinWindows,
        joined: StreamJoined | None = None,
        value: type[Any] | None = None,
        with_key: bool = False,
        name: str | None = None,
    ) -> Stream[K, Any]:
        """Join with a stream as `left_join` does, and keep the records of both streams without a match.

        Args:
            other: The stream.
            joiner: Returns the joined value for (value of this stream or None, value of the other stream or None).
            windows: What `join_windows` returns.
            joined: What `stream_joined` returns, to choose the stores.
            value: The type of the joined values, by default the annotated return type of the joiner.
            with_key: Whether the joiner takes (key, value of this stream or None, value of the other stream or None).
            name: The name of the operator and of its repartition topics, by default derived from both streams.

        Raises:
            TopologyError: As `join`.
        """
        spec = JoinSpec(JoinKind.OUTER, joiner, with_key, value, name)
        return self._join(other, spec, windows, joined, None)

    def _join(
        self,
        other: Any,
        spec: JoinSpec,
        windows: JoinWindows | None,
        joined: StreamJoined | None,
        key_selector: Callable[[Any, Any], Any] | None,
    ) -> Stream[Any, Any]:
        graph, left, right = self._graph, self._ref, other._as_input()
        if isinstance(right, StreamRef):
            if windows is None:
                msg = (
                    f"stream '{left.origin}' is joined with stream '{right.origin}' without a window; "
                    "pass windows=join_windows(before=…, after=…, grace=…)"
                )
                raise TopologyError(msg)
            return graph.stream(add_stream_stream_join(graph, left, right, spec, windows, joined))
        if spec.kind is JoinKind.OUTER:
            msg = f"stream '{left.origin}' cannot be outer-joined with table '{right.origin}'; use left_join(…) instead"
            raise TopologyError(msg)
        if isinstance(other, GlobalTable):
            return graph.stream(add_stream_global_table_join(graph, left, right, spec, key_selector))
        return graph.stream(add_stream_table_join(graph, left, right, spec))
