"""Nodes that join. A joiner takes (left, right), or (key, left, right) with `with_key`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eddyline.application.topology.nodes.join_kind import JoinKind
from eddyline.application.topology.nodes.node import CopartitionedNode, Node
from eddyline.application.topology.nodes.value_getters import ValueGetter
from eddyline.application.topology.windows import JoinWindows


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinNode(CopartitionedNode):
    """What joins by equal keys have in common."""

    kind: JoinKind
    joiner: Callable[..., Any]
    with_key: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamStreamJoinNode(JoinNode):
    """Joins records of two parents, left and right, whose timestamps are within a window of each other.

    With `condition`, two records match only if it is true for (left, right). `left_store` and `right_store` buffer the records
    of each side. `unmatched_store` buffers the records of left and outer joins that have no match yet, until their window
    closes.
    """

    windows: JoinWindows
    left_store: str
    right_store: str
    unmatched_store: str | None = None
    condition: Callable[[Any, Any], bool] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamStreamUntilJoinNode(JoinNode):
    """Joins records of two parents like `StreamStreamJoinNode`, in windows that end as `windows.until` says of a left value.

    `left_store` has the left records by key, `ends_store` their keys by the ends of their windows, `right_store` the right
    records by key and timestamp.
    """

    windows: JoinWindows
    left_store: str
    ends_store: str
    right_store: str
    condition: Callable[[Any, Any], bool] | None = None


@dataclass(frozen=True, slots=True)
class JoinBuffer:
    """The buffer of a stream-table join: its records wait in `store` until stream time has passed them by `grace_ms`."""

    store: str
    grace_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamTableJoinNode(JoinNode):
    """Joins each record with the current row of a table, of a versioned table with the row as of the record's timestamp.

    `table` reads the row, of the record's own key, or of the key that `key_selector` returns for key and value of the record.
    """

    table: ValueGetter
    key_selector: Callable[[Any, Any], Any] | None = None
    buffer: JoinBuffer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTableJoinNode(JoinNode):
    """Joins the rows of two parents, left and right, that have the same key; `left` and `right` read them.

    The keys of the results are those of the left parent: in windows of `left_size_ms`, if the windows of the right parent have
    another size, else None.
    """

    left: ValueGetter
    right: ValueGetter
    left_size_ms: int | None = None
    store: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKeySubscriptionNode(Node):
    """Sends each update of a left row to the task of the right row that its foreign key refers to.

    Its output is keyed by the foreign key; the value is (left key, left value, instruction, version), see
    `eddyline.application.operators.foreign_key_join`. The rows of a versioned left table are in `versioned_store`.
    """

    kind: JoinKind
    foreign_key: Callable[[Any], Any]
    versioned_store: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKeyResponseNode(CopartitionedNode):
    """Stores which left rows refer to which right row, and responds when a row of either side changes.

    Its parents are the subscriptions and the right table, which `right` reads. Its output is keyed by the left key; the value
    is (left value, right value, version).
    """

    store: str
    right: ValueGetter


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKeyResultNode(Node):
    """Joins the values of the responses into a table; a response that is older than a previous one is ignored."""

    kind: JoinKind
    joiner: Callable[..., Any]
    with_key: bool = False
    store: str | None = None
