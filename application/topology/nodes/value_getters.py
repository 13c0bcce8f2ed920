"""How an operator reads the current row of another operator's table: from its store, or derived from its parents' rows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from eddyline.application.topology.nodes.join_kind import JoinKind
from eddyline.application.topology.processor import ValueTransformerWithKey
from eddyline.application.topology.stores import StoreKind


@dataclass(frozen=True, slots=True)
class StoredValueGetter:
    """Reads rows from a store; rows of windowed tables by key and window.

    Sessions that ended `hidden_after_ms` or more before the newest one are not read, even if the store still has them.
    """

    store: str
    kind: StoreKind
    hidden_after_ms: int | None = None

    @property
    def stores(self) -> tuple[str, ...]:
        """The names of the stores that are read."""
        return (self.store,)

    @property
    def versioned_store(self) -> str | None:
        """The store of the versions that the rows are read from, None if they are not versioned."""
        return self.store if self.kind is StoreKind.VERSIONED else None


@dataclass(frozen=True, slots=True)
class FilteredValueGetter:
    """Reads the rows of the parent that match the predicate."""

    parent: "ValueGetter"
    predicate: Callable[[Any, Any], bool]

    @property
    def stores(self) -> tuple[str, ...]:
        """The names of the stores that are read."""
        return self.parent.stores

    @property
    def versioned_store(self) -> str | None:
        """The store of the versions that the rows are read from, None if they are not versioned."""
        return self.parent.versioned_store


@dataclass(frozen=True, slots=True)
class MappedValueGetter:
    """Reads the rows of the parent, with their values transformed by the mapper."""

    parent: "ValueGetter"
    mapper: Callable[..., Any]
    with_key: bool

    @property
    def stores(self) -> tuple[str, ...]:
        """The names of the stores that are read."""
        return self.parent.stores

    @property
    def versioned_store(self) -> str | None:
        """The store of the versions that the rows are read from, None if they are not versioned."""
        return self.parent.versioned_store


@dataclass(frozen=True, slots=True)
class TransformedValueGetter:
    """Reads the rows of the parent, with their values passed to a transformer of its own, which uses `own_stores`.

    `node` is the name of the node that transforms the updates of the same table.
    """

    parent: "ValueGetter"
    node: str
    supplier: Callable[[], ValueTransformerWithKey[Any, Any, Any]]
    own_stores: tuple[str, ...]

    @property
    def stores(self) -> tuple[str, ...]:
        """The names of the stores that are read."""
        return tuple(dict.fromkeys((*self.parent.stores, *self.own_stores)))

    @property
    def versioned_store(self) -> str | None:
        """The store of the versions that the rows are read from, None if they are not versioned."""
        return self.parent.versioned_store


@dataclass(frozen=True, slots=True)
class JoinedValueGetter:
    """Reads the rows of two tables and joins them."""

    left: "ValueGetter"
    right: "ValueGetter"
    kind: JoinKind
    joiner: Callable[..., Any]
    with_key: bool

    @property
    def stores(self) -> tuple[str, ...]:
        """The names of the stores that are read."""
        return tuple(dict.fromkeys((*self.left.stores, *self.right.stores)))

    @property
    def versioned_store(self) -> None:
        """None: joined rows are not versioned, even if those of both tables are (KIP-914)."""
        return


@dataclass(frozen=True, slots=True)
class SuppressedValueGetter:
    """Reads the rows of the parent as emitted: while an update is buffered in `store`, the value before the update."""

    parent: "ValueGetter"
    store: str

    @property
    def stores(self) -> tuple[str, ...]:
        """The names of the stores that are read."""
        return (*self.parent.stores, self.store)

    @property
    def versioned_store(self) -> None:
        """None: updates of versioned tables cannot be suppressed."""
        return


@dataclass(frozen=True, slots=True)
class WindowSizeValueGetter:
    """Reads the rows of the parent, whose windows have `size_ms`, by keys in windows of another size with the same start."""

    parent: "ValueGetter"
    size_ms: int

    @property
    def stores(self) -> tuple[str, ...]:
        """The names of the stores that are read."""
        return self.parent.stores

    @property
    def versioned_store(self) -> str | None:
        """The store of the versions that the rows are read from, None if they are not versioned."""
        return self.parent.versioned_store


ValueGetter: TypeAlias = (
    StoredValueGetter
    | FilteredValueGetter
    | MappedValueGetter
    | TransformedValueGetter
    | JoinedValueGetter
    | SuppressedValueGetter
    | WindowSizeValueGetter
)
