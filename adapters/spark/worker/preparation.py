"""Prepares the workers while the driver plans the first batch: they start, read the plan, and open what their tasks write."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from pyspark.sql import SparkSession

from eddyline.adapters.spark.exchange.task_ids import TaskIds
from eddyline.adapters.spark.failures import WorkerError
from eddyline.adapters.spark.plan import SparkPlan
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.cache import RunCache
from eddyline.adapters.spark.worker.run_server import request
from eddyline.adapters.spark.worker.servers import ServerEndedError, ServerUnavailableError

HANDLER: Final = "prepare"
"""The name of `handle` in requests."""

_MOST_TASKS: Final = 64


def prepare_workers(session: SparkSession, broadcast: Broadcast, plan: SparkPlan) -> None:
    """Start a job in the background that prepares the workers of this machine; without it the first batch does.

    Only on this machine is it known which process will run a task.
    """
    if not (session.sparkContext.master or "").startswith("local"):
        return

    def run() -> None:
        with suppress(Exception):  # the first batch meets the same problem, and reports it
            tasks = min(_MOST_TASKS, max(plan.groups, *plan.run.tasks))
            numbers = session.sparkContext.parallelize(range(tasks), plan.groups)  # as a data frame it would be compiled first
            numbers.foreach(preparer(broadcast, [plan.slots_of(task) for task in range(tasks)], plan.task_ids()))

    threading.Thread(target=run, name="prepare-workers", daemon=True).start()


def preparer(broadcast: Broadcast, slots: Sequence[Sequence[int]], ids: TaskIds) -> Callable[[int], None]:
    """Return a function that prepares the server process of the task with a number; `slots` has those of each task."""

    def prepare(task: int) -> None:
        with suppress(ServerUnavailableError, ServerEndedError, WorkerError):
            list(request(broadcast, HANDLER, ids.partition(task), slots[task]))

    return prepare


def handle(cache: RunCache, content: Any, ask: Callable[[Any], Any]) -> Iterator[Any]:
    """Open slots in the background; the cache has read the plan, which imports what it needs."""
    del ask
    for slot in content:
        cache.open_slot(slot)
    yield from ()
