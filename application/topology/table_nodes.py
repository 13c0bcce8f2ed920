"""The steps on tables as frozen data; what they take and give are updates: key, new value, old value."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eddyline.application.topology.nodes import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFilterNode(Node):
    """Keeps the rows that the predicate holds for; a row that it no longer holds for is deleted."""

    predicate: Callable[[Any, Any], bool]
    store: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMapValuesNode(Node):
    """Makes a new value for each row; `with_key` hands the key to the mapper first."""

    mapper: Callable[..., Any]
    with_key: bool = False
    store: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableGroupByNode(Node):
    """Turns updates of rows into changes of groups: a record keyed by the group, its value the pair of what enters and leaves."""

    selector: Callable[[Any, Any], tuple[Any, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableAggregateNode(Node):
    """Folds what enters a group with `adder` and takes out what leaves it with `subtractor`.

    Both take (aggregate, value), with `with_key` (key, aggregate, value).
    """

    store: str
    initializer: Callable[[], Any]
    adder: Callable[..., Any]
    subtractor: Callable[..., Any]
    with_key: bool = False
