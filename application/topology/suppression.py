"""Holding a table's updates back: the buffer that it takes, and which windows it waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import require_types
from eddyline.application.topology.nodes import RepartitionSinkNode, SourceNode
from eddyline.application.topology.records import Headers
from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.suppressed import UntilTimeLimit, UntilWindowCloses
from eddyline.application.topology.views import SuppressedView
from eddyline.application.topology.window_nodes import SuppressNode
from eddyline.application.topology.windows import Windows

if TYPE_CHECKING:
    from eddyline.application.topology.graph import Graph
    from eddyline.application.topology.nodes import Node
    from eddyline.application.topology.side import Side
    from eddyline.application.topology.table import Table


def said(graph: Graph, side: Side, until: UntilWindowCloses | UntilTimeLimit, *, name: str | None) -> Table[Any, Any]:
    """The table whose updates wait. Raises TopologyError for types that are not known, and for windows that never close."""
    table, origin = side.node, side.origin
    step = graph.step_name(origin, "suppress", name)
    require_types(table, f"is held back in step '{step}'")
    store = f"{step}-store"
    by_window = isinstance(until, UntilWindowCloses)
    node = graph.add(
        SuppressNode(
            name=step,
            parents=(table.name,),
            stores=(store,),
            store=store,
            wait_ms=until.limit_ms if isinstance(until, UntilTimeLimit) else _wait_for_close(graph, table, step),
            by_window=by_window,
            max_records=until.max_records,
            emit_early=isinstance(until, UntilTimeLimit) and until.when_full == "emit-early",
            key_type=table.key_type,
            value_type=table.value_type,
        )
    )
    graph.add_store(
        StoreSpec(
            name=store,
            kind=StoreKind.KEY_VALUE,
            key_type=table.key_type,
            value_type=_held_type(table.value_type),
            timestamped=False,
            queryable=False,
        )
    )
    view = None if side.view is None else SuppressedView(side.view, store)
    suppressed: Table[Any, Any] = graph.handles.table(graph, node, origin=origin, store=None, view=view)
    return suppressed


def _held_type(value_type: Any) -> object:
    """What the buffer keeps of a key: when its wait began, the new value, the value before, the time and the headers."""
    either = Optional[value_type]  # noqa: UP045 - the type is a value here
    return tuple[int, either, either, int, Headers]


def _wait_for_close(graph: Graph, table: Node, step: str) -> int:
    """How long after its end every window that reaches the table is closed."""
    waits = [windows.closes_after_ms for windows in _windows_of(graph, table)]
    if not waits:
        msg = (
            f"step '{step}' waits for windows to close, but '{table.name}' has none: "
            "fold in windows first, with windowed_by(…), or wait until_time_limit(…)"
        )
        raise TopologyError(msg)
    known = [wait for wait in waits if wait is not None]
    if len(known) < len(waits):
        msg = f"step '{step}' waits for windows to close, but unlimited windows never do; wait until_time_limit(…) instead"
        raise TopologyError(msg)
    return max(known)


def _windows_of(graph: Graph, table: Node) -> list[Windows]:
    """The windows that the keys of a table come from: those of the nearest folds before it."""
    found: list[Windows] = []
    pending = [table]
    while pending:
        node = pending.pop()
        windows = getattr(node, "windows", None)
        if isinstance(windows, Windows):
            found.append(windows)
        elif not isinstance(node, SourceNode | RepartitionSinkNode):
            pending.extend(graph.node(parent) for parent in node.parents)
    return found
