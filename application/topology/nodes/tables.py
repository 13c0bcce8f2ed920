"""Nodes of tables; most receive and forward updates: key, new value, old value."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eddyline.application.topology.aggregations.fold import Fold
from eddyline.application.topology.nodes.node import CopartitionedNode, Node
from eddyline.application.topology.processor import ValueTransformerWithKey


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSourceNode(Node):
    """Stores the latest value of each key of its parent, a topic or a stream, as a table; a null value deletes the key."""

    store: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableToStreamNode(Node):
    """Forwards the updates of a table as a stream; a deletion has a null value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFilterNode(Node):
    """Forwards the rows that match the predicate, and a deletion for every other row.

    With `old_values` the deletion is left out for a row that did not match before, unless the table is `versioned`.
    """

    predicate: Callable[[Any, Any], bool]
    store: str | None = None
    old_values: bool = False
    versioned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMapValuesNode(Node):
    """Transforms the value of each row; with `with_key` the mapper takes (key, value). The table may be `versioned`."""

    mapper: Callable[..., Any]
    with_key: bool = False
    store: str | None = None
    versioned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTransformValuesNode(Node):
    """Passes the value of each row to a user-defined transformer, one per task.

    With `old_values` and without a store, the old value of each row is passed to it as well.
    """

    supplier: Callable[[], ValueTransformerWithKey[Any, Any, Any]]
    store: str | None = None
    old_values: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TableGroupByNode(Node):
    """Turns updates of rows into updates of groups: records keyed by group whose value is the pair (added, removed).

    The rows of a versioned table are in `versioned_store`.
    """

    selector: Callable[[Any, Any], tuple[Any, Any] | None]
    versioned_store: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableAggregateNode(Node):
    """Aggregates groups of rows, whose values the fold adds and subtracts."""

    store: str
    fold: Fold


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressNode(Node):
    """Buffers the latest update of each key in `store` for `wait_ms` of stream time.

    The time counts from the end of the key's window if `by_window`, else from the timestamp of the first buffered update.
    At most `max_records` keys, and `max_bytes` bytes, are buffered: beyond that the oldest are emitted early if `emit_early`,
    else the task fails. Keys with sessions have two timestamps, those with other windows one.
    """

    store: str
    wait_ms: int
    by_window: bool
    max_records: int | None = None
    max_bytes: int | None = None
    emit_early: bool = False
    sessions: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CogroupNode(CopartitionedNode):
    """Forwards the updates of its parents, which aggregate several streams into one table."""
