"""Creates the task of a host: one whose exceptions end the run, or one that passes them to handlers; closes tasks."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

from eddyline.application.ports.codec import Codec, Codecs
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.ports.state_stores import StateStores
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.runtime.plan.run_plan import RunPlan, topology_of_run
from eddyline.application.runtime.plan.topic_types import state_codecs, store_types
from eddyline.application.runtime.task.guarded import GuardedTask
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import Topology


class StateCheck:
    """Encodes entries of stores as the engine does when it saves them; `stored` returns what is saved of a value."""

    def __init__(self, topology: Topology, codecs: Codecs, stored: Callable[[Any], Any] | None = None) -> None:
        self._topology, self._codecs, self._stored = topology, codecs, stored
        self._found: dict[str, tuple[Codec, Codec]] = {}

    def __call__(self, changes: Iterable[tuple[str, StoreChange]]) -> None:
        """Check entries of stores.

        Raises:
            CodecError: a key or a value cannot be encoded.
        """
        by_store: dict[str, list[StoreChange]] = {}
        for store, change in changes:
            by_store.setdefault(store, []).append(change)
        for store, entries in by_store.items():
            key, value = self._codecs_of(store)
            keys, values = zip(*entries, strict=True)
            key.encode_all(keys)
            value.encode_all(values if self._stored is None else list(map(self._stored, values)))

    def _codecs_of(self, store: str) -> tuple[Codec, Codec]:
        found = self._found.get(store)
        if found is None:
            found = self._found[store] = state_codecs(store_types(self._topology.stores[store]), self._codecs)
        return found


class NodePlan(NamedTuple):
    """How the records of a node are processed.

    Attributes:
        sub_topology: The index of the sub-topology.
        node: The name of the node.
        one_by_one: Why records are processed one by one, and what would change it; None if many are processed at once.
    """

    sub_topology: int
    node: str
    one_by_one: str | None


def task_plan(topology: Topology, options: RunOptions, stores: StateStores) -> Iterator[NodePlan]:
    """Yield how each node is processed in runs with these options, on every engine; `stores` creates empty stores."""
    topology = topology_of_run(topology, options)
    for sub in topology.sub_topologies:
        if not sub.nodes:
            continue
        task = Task(topology, sub.index, 0, stores=stores, emit=topology.emit_with(options.emit))
        yield from (NodePlan(sub.index, name, task.one_by_one(name)) for name in sub.nodes)


def create_task(
    plan: RunPlan,
    sub_topology: int,
    partition: int,
    *,
    now_ms: int,
    produce: Callable[..., Any],
    produce_columns: Callable[..., Any] | None = None,
    classes: tuple[type[Task], type[GuardedTask]] = (Task, GuardedTask),
    stored: Callable[[Any], Any] | None = None,
    **options: Any,
) -> Task:
    """Return a task that is as the options of the run say.

    Args:
        plan: The plan of the run.
        sub_topology: The index of the sub-topology.
        partition: The partition.
        now_ms: The wall-clock time in ms since the epoch, for runs whose clock is that of the system.
        produce: Encodes and routes what a task with handlers sends, so that they get the exceptions of that, too.
        produce_columns: Does so for what it sends by column.
        classes: The class of tasks, and that of those with handlers.
        stored: Returns what is saved of a value in the stores of the task, if it is not the value itself.
        options: Further arguments of the class.
    """
    clock, handlers = plan.options.clock, plan.options.exception_handlers
    common: dict[str, Any] = {"emit": plan.emit, "wall_clock_ms": now_ms if clock is None else clock.start_ms, **options}
    unguarded, guarded = classes
    if handlers.always_fail:
        task = unguarded(plan.topology, sub_topology, partition, **common)
        with_changelog = plan.changelogs.get(sub_topology, ())
        for name, store in task.stores.items():
            if name not in with_changelog:
                store.omit_short_lived()
        return task
    check_state = StateCheck(plan.topology, plan.ports.codecs, stored)
    producing: dict[str, Any] = {"produce": produce, "produce_columns": produce_columns}
    return guarded(plan.topology, sub_topology, partition, handlers=handlers, check_state=check_state, **producing, **common)


def close_tasks(tasks: Iterable[Task]) -> None:
    """Close tasks in their order; raise what one of them has raised when all are closed."""
    with ExitStack() as closed:
        for task in reversed(list(tasks)):
            closed.callback(task.close)
