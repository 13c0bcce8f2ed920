"""Waits for what earlier owners of tasks have written."""

import time
from collections.abc import Callable, Collection
from functools import partial
from typing import Final

from eddyline.adapters.local.tasks import TaskId
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.task_streams import Commits
from eddyline.application.runtime.run_plan import RunPlan
from eddyline.application.runtime.task_records import tasks_topic

_SETTLE_S: Final = 0.02


def settle(plan: RunPlan, tasks: Collection[TaskId], commits: Commits) -> None:
    """Wait until no transaction of an earlier owner is open, or committed but not visible.

    Args:
        plan: the plan of the run.
        tasks: the tasks, which belong to this process now.
        commits: its commits, which are open.
    """
    topic, numbers = tasks_topic(plan.options.application_id), {number for _, number in tasks}
    inputs, partitions = set[TopicPartition](), {TopicPartition(topic, number) for number in numbers}
    for sub, number in tasks:
        read = (*plan.source_topics(sub), *plan.topology.sub_topologies[sub].repartition_sources)
        inputs |= {TopicPartition(found, number) for found in read}
        partitions |= {TopicPartition(found, number) for found in plan.changelogs.get(sub, {}).values()}
    _wait(lambda: commits.are_settled(sorted(inputs)), commits, numbers)
    for partition in sorted(partitions):
        _wait(partial(commits.is_settled, partition), commits, numbers)


def _wait(is_settled: Callable[[], bool], commits: Commits, numbers: Collection[int]) -> None:
    if not is_settled():
        commits.evict(numbers)
    while not is_settled():
        time.sleep(_SETTLE_S)
