"""Which values wait in the state of tasks for their results to be emitted."""

from collections.abc import Iterator, Sequence
from typing import Any

from eddyline.application.lineage.explanation import Step
from eddyline.application.lineage.origins import origins_of
from eddyline.application.lineage.times import span, utc
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.progress.store_rows import row_of
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import Topology
from eddyline.application.topology.nodes import Node, StreamStreamJoinNode, StreamTableJoinNode, SuppressNode


def waiting_steps(topology: Topology, tasks: Sequence[Task]) -> Iterator[Step]:
    """Yield a step for each value of the watched record that waits: in a suppression, in an open window, in a buffer."""
    for task in tasks:
        for node in topology.nodes:
            stores = [name for name in node.stores if name in task.stores]
            if stores:
                yield from _of_node(topology, node, task)


def _of_node(topology: Topology, node: Node, task: Task) -> Iterator[Step]:
    if isinstance(node, SuppressNode):
        yield from _suppressed(node, task)
    elif getattr(node, "emit_on_close", None) is not None:
        yield from _open(topology, node, task)
    elif isinstance(node, StreamStreamJoinNode) and node.unmatched_store is not None:
        for (timestamp, _, key), _ in _watched(task, node.unmatched_store):
            wait = max(node.windows.before_ms, node.windows.after_ms) + node.windows.grace_ms
            text = (
                f"{node.name} has found no match yet; without one it emits the record of key {key!r} when stream time has passed "
                f"{utc(timestamp + wait)}; it is {_stream_time(task, node.name)}"
            )
            yield Step("suppressed", node.name, text)
    elif isinstance(node, StreamTableJoinNode) and node.buffer is not None:
        for (timestamp, key, _), _ in _watched(task, node.buffer.store):
            due = timestamp + node.buffer.grace_ms
            text = f"{node.name} joins key {key!r} when stream time reaches {utc(due)}; it is {_stream_time(task, node.name)}"
            yield Step("suppressed", node.name, text)


def _suppressed(node: SuppressNode, task: Task) -> Iterator[Step]:
    for key, row in _watched(task, node.store):
        due = row[0] + node.wait_ms
        text = f"{node.name} suppresses {_named(key)} until stream time reaches {utc(due)}; it is {_stream_time(task, node.name)}"
        yield Step("suppressed", node.name, text)


def _open(topology: Topology, node: Any, task: Task) -> Iterator[Step]:
    after = node.windows.closes_after_ms or 0
    now: int = task.stream_time_of(node.name)  # type: ignore[attr-defined] # replays have traced tasks
    for key, row in _watched(task, node.store):
        found = row_of(topology.stores[node.store], StoreChange(key, row))
        if found.window is None or found.window.end + after <= now:
            continue
        start, end = found.window
        text = (
            f"{node.name} emits window {span(start, end)} of key {found.key!r} when it closes, at stream time "
            f"{utc(end + after)}; it is {utc(now)}"
        )
        yield Step("open", node.name, text)


def _watched(task: Task, store: str) -> Iterator[tuple[Any, Any]]:
    """Yield the entries of a store that come from the watched record."""
    for key, row in task.stores[store].snapshot():
        if origins_of(row) is not None:
            yield key, row


def _stream_time(task: Task, node: str) -> str:
    return utc(task.stream_time_of(node))  # type: ignore[attr-defined] # likewise


def _named(key: Any) -> str:
    window = getattr(key, "window", None)
    if window is None:
        return f"key {key!r}"
    return f"window {span(*window)} of key {key.key!r}"
