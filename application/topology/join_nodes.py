"""The steps that join, as frozen data. A joiner takes (left, right), with `with_key` (key, left, right)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eddyline.application.topology.join_windows import JoinWindows
from eddyline.application.topology.nodes import Node
from eddyline.application.topology.views import JoinKind, TableView


@dataclass(frozen=True, slots=True, kw_only=True)
class CopartitionedNode(Node):
    """A step that needs equal keys of several steps, its `sides`, in one task: their topics have the same number of partitions.

    There are none where nothing has to lie together.
    """

    sides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinNode(CopartitionedNode):
    """What all joins of two sides have."""

    kind: JoinKind
    joiner: Callable[..., Any]
    with_key: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamStreamJoinNode(JoinNode):
    """Joins records of two parents, left and right, that are near in time.

    `left_store` and `right_store` hold the records of each side, `unmatched_store` those that wait for the end of their window,
    where the kind lets them out.
    """

    windows: JoinWindows
    left_store: str
    right_store: str
    unmatched_store: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamTableJoinNode(JoinNode):
    """Joins each record with the row that the table has for it at that moment.

    `key_selector` gives the key of the row from key and value of the record; without it the record's own key is it.
    """

    table: TableView
    key_selector: Callable[[Any, Any], Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTableJoinNode(JoinNode):
    """Joins the rows of two parents, left and right, that have the same key."""

    left: TableView
    right: TableView
    store: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKeySubscribeNode(Node):
    """Sends each change of a left row to where the right row with its foreign key is.

    What it gives is keyed by the foreign key, with (left key, left value, instruction, version) as its value; see
    `eddyline.application.operators.foreign_key`.
    """

    kind: JoinKind
    foreign_key: Callable[[Any], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKeyAnswerNode(CopartitionedNode):
    """Keeps which left rows point to which foreign key, and answers when a row of either side changes.

    Its parents are the subscriptions and the right table. What it gives is keyed by the left row's key, with (left value,
    right value, version) as its value.
    """

    store: str
    right: TableView


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKeyResultNode(Node):
    """Makes the table of the results from the answers; where two answers for a row overtook each other, the newer one stays."""

    kind: JoinKind
    joiner: Callable[..., Any]
    with_key: bool = False
    store: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMergeNode(CopartitionedNode):
    """Gives the updates of all its parents, which fold into one table."""
