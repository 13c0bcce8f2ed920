"""Prepares the workers while the driver plans the first batch: they start, read the plan, and open what their slots need."""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import SparkSession

from eddyline.adapters.spark.failures import WorkerError
from eddyline.adapters.spark.plan import SparkPlan
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.cache import RunCache
from eddyline.adapters.spark.worker.run_server import request
from eddyline.adapters.spark.worker.servers import ServerEndedError, ServerUnavailableError

HANDLER: Final = "prepare"
"""The name of `handle` in requests."""


def prepare_workers(session: SparkSession, broadcast: Broadcast, plan: SparkPlan) -> None:
    """Start a job in the background that prepares the workers of this machine; without it the first batch does.

    Only on this machine is it known which process will write a slot.
    """
    if not (session.sparkContext.master or "").startswith("local"):
        return

    def run() -> None:
        with suppress(Exception):  # the first batch meets the same problem, and reports it
            numbers = session.range(0, plan.groups, 1, plan.groups)
            numbers.mapInArrow(preparer(broadcast, plan.slots), numbers.schema).collect()

    threading.Thread(target=run, name="prepare-workers", daemon=True).start()


def preparer(broadcast: Broadcast, slots: int) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return a function that prepares the server processes of these numbers, and their slots."""

    def prepare(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for rows in batches:
            for number in rows.column(0).to_pylist():
                with suppress(ServerUnavailableError, ServerEndedError, WorkerError):
                    list(request(broadcast, HANDLER, number, number if number < slots else None))
            yield rows

    return prepare


def handle(cache: RunCache, content: Any, ask: Callable[[Any], Any]) -> Iterator[Any]:
    """Open a slot in the background; the cache has read the plan, which imports what it needs."""
    del ask
    if content is not None:
        cache.open_slot(content)
    yield from ()
