"""The steps that windows bring with them, as frozen data: folds into sliding windows and sessions, and suppression."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eddyline.application.topology.event_windows import SessionWindows, SlidingWindows
from eddyline.application.topology.nodes import AggregateNode, Node


@dataclass(frozen=True, slots=True, kw_only=True)
class SlidingAggregateNode(AggregateNode):
    """Folds the records of a key in the sliding windows that they make."""

    windows: SlidingWindows


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionAggregateNode(AggregateNode):
    """Folds the records of a key in sessions; `merge` combines sessions that a record brings together."""

    merge: Callable[[Any, Any], Any]
    windows: SessionWindows


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressNode(Node):
    """Holds the latest update of each key back for `wait_ms` of stream time, in `store`.

    The wait begins with the end of the key's window, or without `by_window` with the time of the first update that is held.
    No more than `max_records` keys are held: then the oldest leave early, or without `emit_early` the task fails.
    """

    store: str
    wait_ms: int
    by_window: bool
    max_records: int | None = None
    emit_early: bool = False
