"""Nodes that aggregate the records of a stream by key, with or without windows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eddyline.application.topology.aggregations.fold import Fold
from eddyline.application.topology.nodes.node import Node
from eddyline.application.topology.windows import EnumerableWindows, SessionWindows, SlidingWindows


@dataclass(frozen=True, slots=True)
class EmitOnClose:
    """The final result of each window is emitted once, when the window closes.

    `interval_ms` is the minimum wall-clock time between two emissions, `retention_ms` the retention of the store.
    """

    interval_ms: int
    retention_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregateNode(Node):
    """Aggregates the records of each key.

    With `emit_on_close`, windowed results are emitted when their window closes. With `caching` only the latest update per key and
    commit is emitted, without it every one; None leaves it to the run.
    """

    store: str
    fold: Fold
    emit_on_close: EmitOnClose | None = None
    caching: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowAggregateNode(AggregateNode):
    """Aggregates the records of each key and window, for windows that follow from a timestamp alone.

    `records_in` returns how many records a value stands for, if values are partial aggregates.
    """

    windows: EnumerableWindows
    records_in: Callable[[Any], int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SlidingAggregateNode(AggregateNode):
    """Aggregates the records of each key and sliding window."""

    windows: SlidingWindows


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionAggregateNode(AggregateNode):
    """Aggregates the records of each key and session; the fold merges the sessions that a new record connects.

    With `combined`, records are those of a `SessionCombineNode`.
    """

    windows: SessionWindows
    combined: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CombineNode(Node):
    """Adds the records of each key to a partial aggregate, before they are repartitioned.

    `aggregation` is the node that merges the partial aggregates, and `fold` its fold of records.
    """

    aggregation: str
    fold: Fold


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowCombineNode(CombineNode):
    """Adds the records of each key and pane to a partial aggregate, before they are repartitioned.

    All records of a pane belong to the same windows. The values are pairs: the number of records, and the partial aggregate.
    """

    windows: EnumerableWindows


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCombineNode(CombineNode):
    """Collects the records of each key that belong to one session, before they are repartitioned.

    The values are pairs: how much earlier each record is than the last one, in ms, and the aggregate of each record alone. Which
    of them are late depends on the time of each.
    """

    windows: SessionWindows
