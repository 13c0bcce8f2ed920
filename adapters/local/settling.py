"""Waits for what earlier owners of tasks have written."""

import time
from collections.abc import Callable, Collection
from functools import partial
from typing import Final

from eddyline.adapters.local.start import Started
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.task_streams import Commits
from eddyline.application.runtime.progress.task_records import tasks_topic
from eddyline.application.runtime.task.exchange import TaskId

_SETTLE_S: Final = 0.02


def settle(started: Started, tasks: Collection[TaskId], commits: Commits) -> None:
    """Wait until no transaction of an earlier owner is open, or committed but not visible.

    Args:
        started: what the start of the run has found.
        tasks: the tasks, which belong to this process now.
        commits: its commits, which are open.
    """
    plan, numbers = started.plan, {number for _, number in tasks}
    shared = {*plan.global_topics, plan.clock_topic}
    inputs = {at for task in tasks for at in started.partitions[task] if at.topic not in shared}
    written = {TopicPartition(tasks_topic(plan.options.application_id), number) for number in numbers}
    for sub, number in tasks:
        written |= {TopicPartition(topic, number) for topic in plan.changelogs.get(sub, {}).values()}
    _wait(lambda: commits.are_settled(sorted(inputs)), commits, numbers)
    for partition in sorted(written):
        _wait(partial(commits.is_settled, partition), commits, numbers)


def settle_written(started: Started, commits: Commits) -> None:
    """Wait until what was just written is visible: a transaction is committed before its records are."""
    plan = started.plan
    topics = [
        tasks_topic(plan.options.application_id),
        *(topic for found in plan.changelogs.values() for topic in found.values()),
    ]
    for topic in topics:
        for number in range(plan.ports.log.partitions(topic)):
            while not commits.is_settled(TopicPartition(topic, number)):
                time.sleep(_SETTLE_S)


def _wait(is_settled: Callable[[], bool], commits: Commits, numbers: Collection[int]) -> None:
    if not is_settled():
        commits.evict(numbers)
    while not is_settled():
        time.sleep(_SETTLE_S)
