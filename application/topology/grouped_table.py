"""Tables grouped by another key: what can be folded in and taken out again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, Optional, TypeVar, overload

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import Graph, explicit
from eddyline.application.topology.nodes import Node
from eddyline.application.topology.table_nodes import TableAggregateNode, TableGroupByNode
from eddyline.application.topology.types import UNKNOWN, returned_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.topology.table import Table

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")


class GroupedTable(Generic[K, V]):
    """A table whose rows are seen together by the key of their group.

    A new row enters its group, a deleted one leaves it, a changed one does both: in one step where the group stays the same,
    else it first leaves the old one. A row that did not change leaves and enters all the same.
    """

    def __init__(
        self,
        graph: Graph,
        table: Node,
        selector: Callable[[Any, Any], tuple[Any, Any]],
        *,
        origin: str,
        name: str | None,
        key_type: object,
        value_type: object,
    ) -> None:
        self._graph = graph
        self._table = table
        self._selector = selector
        self._origin = origin
        self._name = name
        self._key_type = key_type
        self._value_type = value_type
        self._source: Node | None = None

    def count(self, *, store: str | None = None, name: str | None = None) -> Table[K, int]:
        """How many rows each group has, kept in `store`."""
        return self._fold("count", store, name, int, initializer=int, adder=_one_more, subtractor=_one_less)

    def reduce(
        self,
        adder: Callable[[V, V], V],
        subtractor: Callable[[V, V], V],
        *,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, V]:
        """The values of each group combined: the first as it is, then `adder(so far, value)`; `subtractor` takes a value out."""
        return self._fold(
            "reduce", store, name, self._value_type, initializer=_nothing, adder=_Reduce(adder), subtractor=subtractor
        )

    @overload
    def aggregate(
        self,
        initializer: Callable[[], A],
        adder: Callable[[A, V], A],
        subtractor: Callable[[A, V], A],
        *,
        value: type[A] | None = None,
        with_key: Literal[False] = False,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, A]: ...
    @overload
    def aggregate(
        self,
        initializer: Callable[[], A],
        adder: Callable[[K, A, V], A],
        subtractor: Callable[[K, A, V], A],
        *,
        value: type[A] | None = None,
        with_key: Literal[True],
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, A]: ...
    def aggregate(
        self,
        initializer: Callable[[], Any],
        adder: Callable[..., Any],
        subtractor: Callable[..., Any],
        *,
        value: type[Any] | None = None,
        with_key: bool = False,
        store: str | None = None,
        name: str | None = None,
    ) -> Table[K, Any]:
        """The rows of each group folded: from `initializer()` on by `adder(aggregate, value)`, kept in `store`.

        `subtractor(aggregate, value)` takes out the value of a row that leaves. Both give a new aggregate and leave the old
        one as it is; with `with_key` they take (key, aggregate, value). `value` is the aggregate's type, where the
        initializer's annotation does not tell it.
        """
        return self._fold(
            "aggregate",
            store,
            name,
            explicit(value, returned_type(initializer)),
            initializer=initializer,
            adder=adder,
            subtractor=subtractor,
            with_key=with_key,
        )

    def _fold(self, verb: str, store: str | None, name: str | None, value_type: object, **fold: Any) -> Table[K, Any]:
        store = store or f"{self._origin}-{verb}"
        step = name or f"{store}-{verb}"
        if value_type is UNKNOWN:
            msg = (
                f"the type that step '{step}' folds into is not known; "
                f"annotate what its initializer returns, or give value= to {verb}"
            )
            raise TopologyError(msg)
        parent = self._moved(store)
        node = self._graph.add(
            TableAggregateNode(
                name=step,
                parents=(parent.name,),
                stores=(store,),
                store=store,
                key_type=self._key_type,
                value_type=value_type,
                **fold,
            )
        )
        self._graph.keep(node, store)
        table: Table[K, Any] = self._graph.handles.table(self._graph, node, origin=store, store=store)
        return table

    def _moved(self, store: str) -> Node:
        """The changes of groups, where their group is kept. Two folds of one group share the topic that is named after it."""
        base = self._name or store
        for side, found in (("key", self._key_type), ("value", self._value_type)):
            if found is UNKNOWN:
                msg = (
                    f"the {side} type that table '{self._origin}' is grouped by is not known; annotate what the selector of "
                    f"group_by returns as a pair of key and value, or give {side}= to group_by"
                )
                raise TopologyError(msg)
        if self._name and self._source:
            return self._source
        grouping = self._graph.add(
            TableGroupByNode(
                name=self._name or self._graph.step_name(store, "group-by", None),
                parents=(self._table.name,),
                selector=self._selector,
                key_type=self._key_type,
                value_type=tuple[Optional[self._value_type], Optional[self._value_type]],  # type: ignore[name-defined] # noqa: UP045 - types are values here
            )
        )
        self._source = self._graph.repartition(grouping, base, None)
        return self._source


def _one_more(count: int, _value: object) -> int:
    return count + 1


def _one_less(count: int, _value: object) -> int:
    return count - 1


def _nothing() -> None:
    return None


class _Reduce:
    """An adder for `reduce`: the first value stands for itself."""

    __slots__ = ("reducer",)

    def __init__(self, reducer: Callable[[Any, Any], Any]) -> None:
        self.reducer = reducer

    def __call__(self, so_far: Any, value: Any) -> Any:
        return value if so_far is None else self.reducer(so_far, value)
