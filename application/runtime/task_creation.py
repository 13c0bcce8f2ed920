"""Creates the task of a host: one whose exceptions end the run, or one that passes them to handlers; closes tasks."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any

from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.guarded_task import GuardedTask
from eddyline.application.runtime.run_plan import RunPlan
from eddyline.application.runtime.state_check import StateCheck
from eddyline.application.runtime.task import Task


def create_task(
    plan: RunPlan,
    sub_topology: int,
    partition: int,
    *,
    now_ms: int,
    produce: Callable[..., Any],
    produce_columns: Callable[..., Any] | None = None,
    classes: tuple[type[Task], type[GuardedTask]] = (Task, GuardedTask),
    stored: Callable[[Any], Any] = lambda value: value,
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
        stored: Returns what is stored of a value in the stores of the task.
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
    check = StateCheck(plan.topology, plan.ports.codecs)

    def check_state(changes: Iterable[tuple[str, StoreChange]]) -> None:
        check((store, StoreChange(change.key, stored(change.value))) for store, change in changes)

    producing: dict[str, Any] = {"produce": produce, "produce_columns": produce_columns}
    return guarded(plan.topology, sub_topology, partition, handlers=handlers, check_state=check_state, **producing, **common)


def close_tasks(tasks: Iterable[Task]) -> None:
    """Close tasks in their order; raise what one of them has raised when all are closed."""
    with ExitStack() as closed:
        for task in reversed(list(tasks)):
            closed.callback(task.close)
