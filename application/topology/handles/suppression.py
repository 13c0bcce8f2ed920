"""Adds suppression to a graph."""

from typing import Any, Optional

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import Graph, TableRef, check_types
from eddyline.application.topology.nodes import Node, RepartitionSinkNode, SourceNode, SuppressedValueGetter, SuppressNode
from eddyline.application.topology.records import Headers
from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.windows import SessionWindows, UntilTimeLimit, UntilWindowCloses, Windows


def add_suppress(graph: Graph, table: TableRef, until: UntilWindowCloses | UntilTimeLimit, *, name: str | None) -> TableRef:
    """Add the suppression of a table's updates, with its buffer, and return the table of those that are emitted.

    Raises:
        TopologyError: If types of keys or values are unknown, or the table has no windows that close.
    """
    name = graph.node_name(table.origin, "suppress", name)
    check_types(table.node, f"for the buffer of '{name}'")
    if table.versioned_store is not None:
        msg = (
            f"operator '{name}' suppresses updates of the versioned table '{table.node.name}', which may be out of order; "
            "store the table without versions first, with .map_values(…, store=…)"
        )
        raise TopologyError(msg)
    graph.old_values.enable(table.node.name)
    store = f"{name}-store"
    node = graph.add(
        SuppressNode(
            name=name,
            parents=(table.node.name,),
            stores=(store,),
            store=store,
            wait_ms=until.limit_ms if isinstance(until, UntilTimeLimit) else _close_after_ms(graph, table.node, name),
            by_window=isinstance(until, UntilWindowCloses),
            max_records=until.max_records,
            max_bytes=until.max_bytes,
            emit_early=isinstance(until, UntilTimeLimit) and until.when_full == "emit-early",
            sessions=any(isinstance(windows, SessionWindows) for windows in _windows_of(graph, table.node)),
            key_type=table.node.key_type,
            value_type=table.node.value_type,
        )
    )
    graph.add_store(
        StoreSpec(
            name=store,
            kind=StoreKind.KEY_VALUE,
            key_type=node.key_type,
            value_type=_buffered_type(node.value_type, sized=until.max_bytes is not None),
            timestamped=False,
            internal=True,
        )
    )
    getter = None if table.getter is None else SuppressedValueGetter(table.getter, store)
    return TableRef(node, table.origin, getter=getter)


def _buffered_type(value_type: Any, *, sized: bool) -> object:
    """Return the type of the buffer's values: start of the wait, new value, last emitted value, timestamp, headers, size."""
    nullable = Optional[value_type]  # noqa: UP045 - the type is a value here
    if sized:
        return tuple[int, nullable, nullable, int, Headers, int]
    return tuple[int, nullable, nullable, int, Headers]


def _close_after_ms(graph: Graph, table: Node, name: str) -> int:
    """Return how long after its end every window of a table is closed."""
    waits = [windows.closes_after_ms for windows in _windows_of(graph, table)]
    if not waits:
        msg = (
            f"operator '{name}' suppresses until windows close, but table '{table.name}' has no windows; "
            "aggregate with windowed_by(…) first, or pass until_time_limit(…)"
        )
        raise TopologyError(msg)
    limited = [wait for wait in waits if wait is not None]
    if len(limited) < len(waits):
        msg = (
            f"operator '{name}' suppresses until windows close, but the unlimited windows of '{table.name}' never close; "
            "pass until_time_limit(…) instead"
        )
        raise TopologyError(msg)
    return max(limited)


def _windows_of(graph: Graph, table: Node) -> list[Windows]:
    """Return the windows that the keys of a table belong to: those of the nearest windowed aggregations upstream."""
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
