"""Nodes of streams that need no state."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from eddyline.application.topology.nodes.node import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterNode(Node):
    """Forwards the records that match the predicate; with a `drop_reason` the others are counted as dropped for this reason."""

    predicate: Callable[[Any, Any], bool]
    drop_reason: str | None = None


class KeyMapper:
    """A mapper that changes only the key."""

    __slots__ = ("selector",)

    def __init__(self, selector: Callable[[Any, Any], Any]) -> None:
        self.selector = selector

    def __call__(self, key: Any, value: Any) -> tuple[Any, Any]:
        """Return the new key and the value."""
        return self.selector(key, value), value


@dataclass(frozen=True, slots=True, kw_only=True)
class MapNode(Node):
    """Transforms each record into one record with a new key and value."""

    mapper: Callable[[Any, Any], tuple[Any, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class MapValuesNode(Node):
    """Transforms the value of each record; with `with_key` the mapper takes (key, value)."""

    mapper: Callable[..., Any]
    with_key: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FlatMapNode(Node):
    """Transforms each record into any number of records with new keys and values."""

    mapper: Callable[[Any, Any], Iterable[tuple[Any, Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlatMapValuesNode(Node):
    """Transforms each record into any number of records with the same key; with `with_key` the mapper takes (key, value)."""

    mapper: Callable[..., Iterable[Any]]
    with_key: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PeekNode(Node):
    """Calls an action with each record, then forwards the record."""

    action: Callable[[Any, Any], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeNode(Node):
    """Forwards the records of all its parents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitNode(Node):
    """Forwards each record to the first branch whose predicate matches; a predicate of None matches every record.

    The branch of a predicate is the child whose `index` is the predicate's.
    """

    predicates: tuple[Callable[[Any, Any], bool] | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchNode(Node):
    """One branch of a split."""

    index: int
