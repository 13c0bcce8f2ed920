"""The signatures of the joins of streams and tables, each combination of sides and joiner once.

The decorators below give these signatures to methods for type checkers; at run time a method stays as it is defined.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, Literal, Never, Protocol, TypeAlias, TypeVar, cast, overload

if TYPE_CHECKING:
    from eddyline.application.topology.handles.global_table import GlobalTable
    from eddyline.application.topology.handles.stream import Stream
    from eddyline.application.topology.handles.stream_joins import StreamJoins
    from eddyline.application.topology.handles.table import Table
    from eddyline.application.topology.handles.table_joins import TableJoins
    from eddyline.application.topology.joins import StreamJoined
    from eddyline.application.topology.stores import TableStore
    from eddyline.application.topology.windows import Duration, JoinWindows

K = TypeVar("K")
V = TypeVar("V")
W = TypeVar("W")
R = TypeVar("R")
F = TypeVar("F")
V_co = TypeVar("V_co", covariant=True)
L_co = TypeVar("L_co", covariant=True)
N_co = TypeVar("N_co", covariant=True)
S_co = TypeVar("S_co", covariant=True)

StreamMethod: TypeAlias = "Callable[Concatenate[StreamJoins[K, V], ...], Any]"
TableMethod: TypeAlias = "Callable[Concatenate[TableJoins[K, V], ...], Any]"


class OuterJoins:
    """Marks outer joins: only of two streams, or of two tables by equal keys."""


class AllJoins(OuterJoins):
    """Marks inner and left joins: also of a stream with a table, or of two tables by a foreign key."""


class StreamJoin(Protocol[K, V_co, L_co, N_co, S_co]):
    """A join of a stream with keys K and values V. The joiner takes a left value of type L and a right value of type W or N.

    N is None in left and outer joins, where the right value may be missing, else Never. S is `AllJoins` or `OuterJoins`.
    """

    @overload
    def __call__(
        self,
        other: Stream[K, W],
        joiner: Callable[[L_co, W | N_co], R],
        *,
        windows: JoinWindows,
        condition: Callable[[V_co, W], bool] | None = None,
        joined: StreamJoined | None = None,
        value: type[R] | None = None,
        with_key: Literal[False] = False,
        name: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def __call__(
        self,
        other: Stream[K, W],
        joiner: Callable[[K, L_co, W | N_co], R],
        *,
        windows: JoinWindows,
        condition: Callable[[V_co, W], bool] | None = None,
        joined: StreamJoined | None = None,
        value: type[R] | None = None,
        with_key: Literal[True],
        name: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def __call__(
        self: StreamJoin[K, V_co, L_co, N_co, AllJoins],
        other: Table[K, W],
        joiner: Callable[[L_co, W | N_co], R],
        *,
        grace: Duration | None = None,
        value: type[R] | None = None,
        with_key: Literal[False] = False,
        name: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def __call__(
        self: StreamJoin[K, V_co, L_co, N_co, AllJoins],
        other: Table[K, W],
        joiner: Callable[[K, L_co, W | N_co], R],
        *,
        grace: Duration | None = None,
        value: type[R] | None = None,
        with_key: Literal[True],
        name: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def __call__(
        self: StreamJoin[K, V_co, L_co, N_co, AllJoins],
        other: GlobalTable[F, W],
        joiner: Callable[[L_co, W | N_co], R],
        *,
        key_selector: Callable[[K, L_co], F | None],
        value: type[R] | None = None,
        with_key: Literal[False] = False,
        name: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def __call__(
        self: StreamJoin[K, V_co, L_co, N_co, AllJoins],
        other: GlobalTable[F, W],
        joiner: Callable[[K, L_co, W | N_co], R],
        *,
        key_selector: Callable[[K, L_co], F | None],
        value: type[R] | None = None,
        with_key: Literal[True],
        name: str | None = None,
    ) -> Stream[K, R]: ...


class TableJoin(Protocol[K, L_co, N_co, S_co]):
    """A join of a table with keys K; the type variables are those of `StreamJoin`."""

    @overload
    def __call__(
        self,
        other: Table[K, W],
        joiner: Callable[[L_co, W | N_co], R],
        *,
        value: type[R] | None = None,
        with_key: Literal[False] = False,
        store: TableStore = None,
        name: str | None = None,
    ) -> Table[K, R]: ...
    @overload
    def __call__(
        self,
        other: Table[K, W],
        joiner: Callable[[K, L_co, W | N_co], R],
        *,
        value: type[R] | None = None,
        with_key: Literal[True],
        store: TableStore = None,
        name: str | None = None,
    ) -> Table[K, R]: ...
    @overload
    def __call__(
        self: TableJoin[K, L_co, N_co, AllJoins],
        other: Table[F, W],
        joiner: Callable[[L_co, W | N_co], R],
        *,
        foreign_key: Callable[[L_co], F | None],
        value: type[R] | None = None,
        with_key: Literal[False] = False,
        store: TableStore = None,
        name: str | None = None,
    ) -> Table[K, R]: ...
    @overload
    def __call__(
        self: TableJoin[K, L_co, N_co, AllJoins],
        other: Table[F, W],
        joiner: Callable[[K, L_co, W | N_co], R],
        *,
        foreign_key: Callable[[L_co], F | None],
        value: type[R] | None = None,
        with_key: Literal[True],
        store: TableStore = None,
        name: str | None = None,
    ) -> Table[K, R]: ...


def inner_stream_join(method: StreamMethod[K, V]) -> StreamJoin[K, V, V, Never, AllJoins]:
    """Give `Stream.join` its signatures."""
    return cast("StreamJoin[K, V, V, Never, AllJoins]", method)


def left_stream_join(method: StreamMethod[K, V]) -> StreamJoin[K, V, V, None, AllJoins]:
    """Give `Stream.left_join` its signatures."""
    return cast("StreamJoin[K, V, V, None, AllJoins]", method)


def outer_stream_join(method: StreamMethod[K, V]) -> StreamJoin[K, V, V | None, None, OuterJoins]:
    """Give `Stream.outer_join` its signatures."""
    return cast("StreamJoin[K, V, V | None, None, OuterJoins]", method)


def inner_table_join(method: TableMethod[K, V]) -> TableJoin[K, V, Never, AllJoins]:
    """Give `Table.join` its signatures."""
    return cast("TableJoin[K, V, Never, AllJoins]", method)


def left_table_join(method: TableMethod[K, V]) -> TableJoin[K, V, None, AllJoins]:
    """Give `Table.left_join` its signatures."""
    return cast("TableJoin[K, V, None, AllJoins]", method)


def outer_table_join(method: TableMethod[K, V]) -> TableJoin[K, V | None, None, OuterJoins]:
    """Give `Table.outer_join` its signatures."""
    return cast("TableJoin[K, V | None, None, OuterJoins]", method)
