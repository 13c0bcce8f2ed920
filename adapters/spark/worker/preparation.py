"""Prepares the workers while the driver plans the first batch, and lets them close the tasks of a run that has ended.

To prepare, they start, read the plan, and open what their tasks write.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from pyspark.sql import SparkSession

from eddyline.adapters.spark.exchange.task_ids import TaskIds
from eddyline.adapters.spark.failures import EngineError, WorkerError, engine_error, is_slow_start
from eddyline.adapters.spark.plan import SparkPlan
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.cache import CACHES, RunCache
from eddyline.adapters.spark.worker.run_server import request
from eddyline.adapters.spark.worker.servers import SERVERS, ServerEndedError, ServerUnavailableError
from eddyline.application.topology.nodes import Node, ProcessorNode, TableTransformValuesNode
from eddyline.application.topology.processor import Processor, ValueTransformerWithKey

HANDLER: Final = "prepare"
"""The name of `handle` in requests."""

_MOST_TASKS: Final = 64
_ATTEMPTS: Final = 3


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


def close_tasks(session: SparkSession, broadcast: Broadcast, plan: SparkPlan, *, failed: bool) -> None:
    """Close the tasks of a run, if it has processors or transformers that do anything then.

    On a cluster, executors that have ended, or that get no part of the job, are left out.

    Raises:
        EngineError: A processor has raised an exception, after a run that has not `failed`.
    """
    if not any(_closes(node) for node in plan.run.topology.nodes):
        return
    for attempts_left in reversed(range(_ATTEMPTS)):
        try:
            numbers = session.sparkContext.parallelize(range(plan.groups), plan.groups)
            numbers.foreach(partial(_close_here, broadcast, plan.groups))
        except Exception as error:
            if attempts_left and is_slow_start(error):
                continue  # the tasks are still open; another run of the flow would not close them
            if not failed:
                raise EngineError(str(engine_error(error))) from error
        return


def _closes(node: Node) -> bool:
    """Return whether a node has a method `close` of the user."""
    if not isinstance(node, ProcessorNode | TableTransformValuesNode):
        return False
    made: Any = node.supplier if isinstance(node.supplier, type) else type(node.supplier())
    return made.close not in (Processor.close, ValueTransformerWithKey.close)


def _close_here(broadcast: Broadcast, groups: int, _number: int) -> None:
    """Close the tasks of a run in the server processes of an executor, and in the worker if it has any."""
    for server in range(min(groups, SERVERS.count)):
        with suppress(ServerUnavailableError, ServerEndedError):
            list(request(broadcast, HANDLER, server, None))
    if CACHES.known(broadcast.owner, broadcast.run) is not None:
        CACHES.of(broadcast).close_tasks()


def handle(cache: RunCache, content: Any, ask: Callable[[Any], Any]) -> Iterator[Any]:
    """Open slots in the background; the cache has read the plan, which imports what it needs. Without slots, close the tasks."""
    del ask
    if content is None:
        cache.close_tasks()
        return
    for slot in content:
        cache.open_slot(slot)
    yield from ()
