"""The joins of a stream: with another stream in a window, with a table, or with a global table."""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import StreamRef
from eddyline.application.topology.handles.arguments import checked, input_of
from eddyline.application.topology.handles.global_table import GlobalTable
from eddyline.application.topology.handles.join_signatures import inner_stream_join, left_stream_join, outer_stream_join
from eddyline.application.topology.handles.stream_base import StreamBase
from eddyline.application.topology.joins import (
    JoinSpec,
    StreamJoined,
    add_stream_global_table_join,
    add_stream_stream_join,
    add_stream_table_join,
)
from eddyline.application.topology.nodes import JoinKind
from eddyline.application.topology.windows import JoinWindows

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.topology.handles.stream import Stream
    from eddyline.application.topology.handles.table import Table
    from eddyline.application.topology.windows import Duration

K = TypeVar("K")
V = TypeVar("V")


class StreamJoins(StreamBase[K, V], Generic[K, V]):
    """The joins of a stream with keys of type K and values of type V."""

    @inner_stream_join
    def join(  # noqa: PLR0913 - the options of three joins; each signature of `inner_stream_join` has fewer
        self,
        other: Stream[K, Any] | Table[K, Any] | GlobalTable[Any, Any],
        joiner: Callable[..., Any],
        *,
        windows: JoinWindows | None = None,
        condition: Callable[[V, Any], bool] | None = None,
        joined: StreamJoined | None = None,
        grace: Duration | None = None,
        key_selector: Callable[[K, V], Any] | None = None,
        value: type[Any] | None = None,
        with_key: bool = False,
        name: str | None = None,
    ) -> Stream[K, Any]:
        """Join the records of this stream with a stream, a table or a global table; records without a match are discarded.

        With a stream, every two records with the same key whose timestamps are within `windows`, and which meet the condition,
        are joined; the result has the greater timestamp of the two. With a table, each record is joined with the current row of
        its key and keeps its timestamp; if the table is versioned, with the row as of that timestamp. With `grace` the record
        waits in a buffer until stream time has passed its timestamp by the grace period; a record that is older than that is
        joined at once. With a global table, each record is joined with the current row of the key that `key_selector` returns.
        Records with a null value are dropped; so are those with a null key, or, for a global table, a null selected key.

        Args:
            other: The stream, table or global table.
            joiner: Returns the joined value for (value of this stream, value of the other side).
            windows: What `join_windows` or `unlimited_join_windows` returns; required for a stream.
            condition: Whether two values match that have the same key and are within `windows`, by default always; called with
                (value of this stream, value of the other side). Only for a stream.
            joined: What `stream_joined` returns, to choose the stores of a join with a stream.
            grace: How long records wait for updates of a versioned table that are late: milliseconds, or a `timedelta`. Only for
                a versioned table, by default not at all.
            key_selector: Returns the key of the row for key and value of a record; required for a global table.
            value: The type of the joined values, by default the annotated return type of the joiner.
            with_key: Whether the joiner takes (key, value of this stream, value of the other side).
            name: The name of the operator and of its repartition topics, by default derived from both sides.

        Raises:
            TopologyError: If a required option is missing, the key types differ, the table has no store, or with `grace` is not
                versioned or has a shorter history, types that a store or a repartition need are unknown, or a name is invalid
                or already used.
        """
        spec = JoinSpec(JoinKind.INNER, joiner, with_key, value, name, condition=condition)
        return self._join(other, spec, _Options(windows, joined, grace, key_selector))

    @left_stream_join
    def left_join(  # noqa: PLR0913 - as `join`
        self,
        other: Stream[K, Any] | Table[K, Any] | GlobalTable[Any, Any],
        joiner: Callable[..., Any],
        *,
        windows: JoinWindows | None = None,
        condition: Callable[[V, Any], bool] | None = None,
        joined: StreamJoined | None = None,
        grace: Duration | None = None,
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
            windows: What `join_windows` or `unlimited_join_windows` returns; required for a stream.
            condition: Whether two values match that have the same key and are within `windows`, by default always; called with
                (value of this stream, value of the other side). Only for a stream.
            joined: What `stream_joined` returns, to choose the stores of a join with a stream.
            grace: How long records wait for updates of a versioned table that are late: milliseconds, or a `timedelta`. Only for
                a versioned table, by default not at all.
            key_selector: Returns the key of the row for key and value of a record; required for a global table.
            value: The type of the joined values, by default the annotated return type of the joiner.
            with_key: Whether the joiner takes (key, value of this stream, value of the other side or None).
            name: The name of the operator and of its repartition topics, by default derived from both sides.

        Raises:
            TopologyError: As `join`.
        """
        spec = JoinSpec(JoinKind.LEFT, joiner, with_key, value, name, condition=condition)
        return self._join(other, spec, _Options(windows, joined, grace, key_selector))

    @outer_stream_join
    def outer_join(
        self,
        other: Stream[K, Any],
        joiner: Callable[..., Any],
        *,
        windows: JoinWindows,
        condition: Callable[[V, Any], bool] | None = None,
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
            condition: As for `join`; records that match no other one are emitted alone.
            joined: What `stream_joined` returns, to choose the stores.
            value: The type of the joined values, by default the annotated return type of the joiner.
            with_key: Whether the joiner takes (key, value of this stream or None, value of the other stream or None).
            name: The name of the operator and of its repartition topics, by default derived from both streams.

        Raises:
            TopologyError: As `join`.
        """
        spec = JoinSpec(JoinKind.OUTER, joiner, with_key, value, name, condition=condition)
        return self._join(other, spec, _Options(windows, joined))

    def _check_options(self, other: Any, right: Any, spec: JoinSpec, options: _Options) -> None:
        """Make sure that each option is one of a join with this kind of stream or table."""
        kind = "stream" if isinstance(right, StreamRef) else "global table" if isinstance(other, GlobalTable) else "table"
        joined = f"stream '{self._ref.origin}' is joined with {kind} '{right.origin}'"
        if kind != "stream" and spec.kind is JoinKind.OUTER:
            msg = f"stream '{self._ref.origin}' cannot be outer-joined with {kind} '{right.origin}'; use left_join(…) instead"
            raise TopologyError(msg)
        for name, value, owner, fix in (
            ("grace", options.grace, "table", "pass windows=…" if kind == "stream" else "join without it"),
            ("key_selector", options.key_selector, "global table", "change the keys first with select_key(…)"),
            ("windows", options.windows, "stream", "leave it out: each record is joined with the present row"),
            ("joined", options.joined, "stream", "leave it out: a table has its store already"),
            ("condition", spec.condition, "stream", "use .filter(…) on the result"),
        ):
            if value is not None and owner != kind:
                what = {"table": "versioned tables", "global table": "global tables", "stream": "joins of two streams"}[owner]
                msg = f"{joined}, but {name}= is for {what}; {fix}"
                raise TopologyError(msg)

    def _join(self, other: Any, spec: JoinSpec, options: _Options) -> Stream[Any, Any]:
        graph, left = self._graph, self._ref
        right = input_of(graph, f"stream '{left.origin}' is joined with", other)
        self._check_options(other, right, spec, options)
        if isinstance(right, StreamRef):
            if options.windows is None:
                msg = (
                    f"stream '{left.origin}' is joined with stream '{right.origin}' without a window; "
                    "pass windows=join_windows(before=…, after=…, grace=…), or unlimited_join_windows() to keep all records"
                )
                raise TopologyError(msg)
            of_join = f"of the join of stream '{left.origin}' with stream '{right.origin}'"
            checked(options.windows, JoinWindows, f"windows= {of_join}", "pass what join_windows(…) returns")
            checked(options.joined, (StreamJoined, NoneType), f"joined= {of_join}", "pass what stream_joined(…) returns")
            return graph.stream(add_stream_stream_join(graph, left, right, spec, options.windows, options.joined))
        if isinstance(other, GlobalTable):
            return graph.stream(add_stream_global_table_join(graph, left, right, spec, options.key_selector))
        return graph.stream(add_stream_table_join(graph, left, right, spec, options.grace))


class _Options(NamedTuple):
    """The options that depend on what a stream is joined with."""

    windows: JoinWindows | None
    joined: StreamJoined | None
    grace: Duration | None = None
    key_selector: Callable[[Any, Any], Any] | None = None
