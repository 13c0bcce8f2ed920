"""How a step reads the current row of a table that another step keeps: from its store, or from its parents' rows."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from eddyline.application.topology.stores import StoreKind


class JoinKind(Enum):
    """Which rows come out of a join that have no partner: none, those of the left side, those of both."""

    INNER = "inner"
    LEFT = "left"
    OUTER = "outer"

    @property
    def verb(self) -> str:
        """What steps of this kind are named after."""
        return "join" if self is JoinKind.INNER else f"{self.value}-join"

    @property
    def keeps_left(self) -> bool:
        """Whether left rows without a partner come out."""
        return self is not JoinKind.INNER

    @property
    def keeps_right(self) -> bool:
        """Whether right rows without a partner come out."""
        return self is JoinKind.OUTER


@dataclass(frozen=True, slots=True)
class StoredView:
    """The rows of a store; windowed tables are addressed by key and window."""

    store: str
    kind: StoreKind

    @property
    def stores(self) -> tuple[str, ...]:
        """The stores that are read."""
        return (self.store,)


@dataclass(frozen=True, slots=True)
class FilteredView:
    """The parent's rows that the predicate of key and value holds for."""

    parent: "TableView"
    predicate: Callable[[Any, Any], bool]

    @property
    def stores(self) -> tuple[str, ...]:
        """The stores that are read."""
        return self.parent.stores


@dataclass(frozen=True, slots=True)
class MappedView:
    """The parent's rows with the values that the mapper makes."""

    parent: "TableView"
    mapper: Callable[..., Any]
    with_key: bool

    @property
    def stores(self) -> tuple[str, ...]:
        """The stores that are read."""
        return self.parent.stores


@dataclass(frozen=True, slots=True)
class JoinedView:
    """The rows of two tables, joined when they are read."""

    left: "TableView"
    right: "TableView"
    kind: JoinKind
    joiner: Callable[..., Any]
    with_key: bool

    @property
    def stores(self) -> tuple[str, ...]:
        """The stores that are read."""
        return tuple(dict.fromkeys((*self.left.stores, *self.right.stores)))


@dataclass(frozen=True, slots=True)
class SuppressedView:
    """The parent's rows as those who hear them know them: where an update is held back in `store`, the value before it."""

    parent: "TableView"
    store: str

    @property
    def stores(self) -> tuple[str, ...]:
        """The stores that are read."""
        return (*self.parent.stores, self.store)


TableView: TypeAlias = StoredView | FilteredView | MappedView | JoinedView | SuppressedView
