"""Assigns the tasks of a new checkpoint to Spark partitions, so that each has as much to do as the others."""

from collections.abc import Sequence

from eddyline.application.runtime.input.batch_planner import records_by_task
from eddyline.application.runtime.plan.run_plan import RunPlan


def assigned_partitions(plan: RunPlan, partitions: int) -> list[int] | None:
    """Return the Spark partition of each task, by the records that the log has; None if it is the task modulo their number."""
    if partitions >= max(plan.tasks):
        return None
    found = balanced(records_by_task(plan), partitions)
    return None if all(partition == task % partitions for task, partition in enumerate(found)) else found


def balanced(records: Sequence[int], partitions: int) -> list[int]:
    """Return the Spark partition of each task.

    No partition gets more tasks than it must, since the records of the past say little about those of the future. The largest
    tasks are assigned first, each to the partition with the fewest records so far (the rule of the longest processing time).
    Without records, task t is assigned to partition t modulo the number of partitions.

    Args:
        records: The number of records of each task.
        partitions: The number of Spark partitions.
    """
    most = -(-len(records) // partitions)
    loads, counts, assigned = [0] * partitions, [0] * partitions, [0] * len(records)
    for task in sorted(range(len(records)), key=lambda task: -records[task]):
        with_room = (number for number in range(partitions) if counts[number] < most)
        chosen = min(with_room, key=lambda number: (loads[number], counts[number]))
        assigned[task] = chosen
        loads[chosen] += records[task]
        counts[chosen] += 1
    return assigned
