"""Runs stateless tasks where the log is read, so that they need no stage of Spark.

A server process runs them, which keeps their consumers, whichever worker Spark gives the partition to.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from eddyline.adapters.spark.exchange.frames import Frame
from eddyline.adapters.spark.exchange.rows import Row
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.cache import CACHES, RunCache
from eddyline.adapters.spark.worker.results import write_task
from eddyline.adapters.spark.worker.run_server import request
from eddyline.adapters.spark.worker.servers import ServerUnavailableError
from eddyline.application.runtime.plan.changelogs import BatchProgress

HANDLER: Final = "stateless"
"""The name of `handle` in requests."""


class StatelessBatch(NamedTuple):
    """The task, the frame with the offset ranges that it reads, and what changelogs say about the batch."""

    stage: int
    task: int
    frame: Frame
    progress: BatchProgress


def run_stateless(broadcast: Broadcast, batch: StatelessBatch, partition: int) -> Iterator[Row]:
    """Process a batch in the server process of the Spark partition, or here if there is none; yield the rows that the task sends.

    Raises:
        ServerEndedError: The server process was killed.
        WorkerError: The batch has failed.
    """
    try:
        yield from request(broadcast, HANDLER, partition, batch)
    except ServerUnavailableError:
        yield from _process(CACHES.of(broadcast), batch)


def handle(cache: RunCache, content: Any, ask: Callable[[Any], Any]) -> Iterator[Row]:
    """Process a batch for a worker."""
    del ask
    return _process(cache, content)


def _process(cache: RunCache, batch: StatelessBatch) -> Iterator[Row]:
    stage, task, frame, progress = batch
    hosted = cache.take_stateless(stage, task, frame.now_ms)
    yield from hosted.run([frame], frame.now_ms)
    yield from write_task(cache, hosted, progress)
    cache.put_stateless(stage, task, hosted)
