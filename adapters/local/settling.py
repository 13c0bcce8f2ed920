"""Waits for what earlier owners of tasks have written."""

import time
from collections.abc import Collection
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
    topic = tasks_topic(plan.options.application_id)
    partitions = {TopicPartition(topic, number) for _, number in tasks}
    for sub, number in tasks:
        partitions |= {TopicPartition(found, number) for found in plan.changelogs.get(sub, {}).values()}
    for partition in sorted(partitions):
        if not commits.is_settled(partition):
            commits.evict({number for _, number in tasks})
        while not commits.is_settled(partition):
            time.sleep(_SETTLE_S)
