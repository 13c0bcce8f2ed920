"""The verbs that join a table with a table: rows of equal keys, or rows that a foreign key points to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from eddyline.application.topology import foreign_key_join, table_table_join
from eddyline.application.topology.side import How
from eddyline.application.topology.views import JoinKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.topology.graph import Graph
    from eddyline.application.topology.side import Side
    from eddyline.application.topology.table import Table

K = TypeVar("K")
V = TypeVar("V")
W = TypeVar("W")
R = TypeVar("R")
F = TypeVar("F")


class TableJoins(ABC, Generic[K, V]):
    """The joins of a table. A joiner takes the values (left, right), with `with_key` (key, left, right); this is the left.

    `value` is the type of what the joiner gives, where its annotation does not tell it; it is needed with `store`, which
    keeps the joined table.
    """

    _graph: Graph

    @abstractmethod
    def side(self) -> Side:
        """What a join needs to know of this table."""

    @overload
    def join(
        self,
        other: Table[K, W],
        joiner: Callable[[V, W], R],
        *,
        value: type[R] | None = None,
        with_key: Literal[False] = False,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, R]: ...
    @overload
    def join(
        self,
        other: Table[K, W],
        joiner: Callable[[K, V, W], R],
        *,
        value: type[R] | None = None,
        with_key: Literal[True],
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, R]: ...
    @overload
    def join(
        self,
        other: Table[F, W],
        joiner: Callable[[V, W], R],
        *,
        foreign_key: Callable[[V], F | None],
        value: type[R] | None = None,
        with_key: Literal[False] = False,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, R]: ...
    @overload
    def join(
        self,
        other: Table[F, W],
        joiner: Callable[[K, V, W], R],
        *,
        foreign_key: Callable[[V], F | None],
        value: type[R] | None = None,
        with_key: Literal[True],
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, R]: ...
    def join(
        self,
        other: Table[Any, Any],
        joiner: Callable[..., Any],
        *,
        foreign_key: Callable[[V], Any] | None = None,
        value: type[Any] | None = None,
        with_key: bool = False,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, Any]:
        """The rows that both tables have, joined; an update of either side updates the result.

        With `foreign_key` a row of this table is joined with the row of the other whose key that function of the value gives;
        None points nowhere. The result is keyed as this table is. A joined row has the greater time of its two; one that an
        update of a foreign row changed has that row's own time.
        """
        how = How(joiner=joiner, value=value, with_key=with_key, name=name, store=store)
        return self._join(JoinKind.INNER, other, how, foreign_key)

    @overload
    def left_join(
        self,
        other: Table[K, W],
        joiner: Callable[[V, W | None], R],
        *,
        value: type[R] | None = None,
        with_key: Literal[False] = False,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, R]: ...
    @overload
    def left_join(
        self,
        other: Table[K, W],
        joiner: Callable[[K, V, W | None], R],
        *,
        value: type[R] | None = None,
        with_key: Literal[True],
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, R]: ...
    @overload
    def left_join(
        self,
        other: Table[F, W],
        joiner: Callable[[V, W | None], R],
        *,
        foreign_key: Callable[[V], F | None],
        value: type[R] | None = None,
        with_key: Literal[False] = False,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, R]: ...
    @overload
    def left_join(
        self,
        other: Table[F, W],
        joiner: Callable[[K, V, W | None], R],
        *,
        foreign_key: Callable[[V], F | None],
        value: type[R] | None = None,
        with_key: Literal[True],
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, R]: ...
    def left_join(
        self,
        other: Table[Any, Any],
        joiner: Callable[..., Any],
        *,
        foreign_key: Callable[[V], Any] | None = None,
        value: type[Any] | None = None,
        with_key: bool = False,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, Any]:
        """As `join`, with the rows of this table that have no partner too, joined with None."""
        how = How(joiner=joiner, value=value, with_key=with_key, name=name, store=store)
        return self._join(JoinKind.LEFT, other, how, foreign_key)

    @overload
    def outer_join(
        self,
        other: Table[K, W],
        joiner: Callable[[V | None, W | None], R],
        *,
        value: type[R] | None = None,
        with_key: Literal[False] = False,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, R]: ...
    @overload
    def outer_join(
        self,
        other: Table[K, W],
        joiner: Callable[[K, V | None, W | None], R],
        *,
        value: type[R] | None = None,
        with_key: Literal[True],
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, R]: ...
    def outer_join(
        self,
        other: Table[K, Any],
        joiner: Callable[..., Any],
        *,
        value: type[Any] | None = None,
        with_key: bool = False,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, Any]:
        """As `left_join` by equal keys, with the rows of both tables that have no partner."""
        how = How(joiner=joiner, value=value, with_key=with_key, name=name, store=store)
        return self._join(JoinKind.OUTER, other, how)

    def _join(
        self, kind: JoinKind, other: Table[Any, Any], how: How, foreign_key: Callable[[Any], Any] | None = None
    ) -> Table[K, Any]:
        sides = self.side(), other.side()
        if foreign_key is None:
            return table_table_join.said(self._graph, sides, kind, how)
        return foreign_key_join.said(self._graph, sides, kind, foreign_key, how)
