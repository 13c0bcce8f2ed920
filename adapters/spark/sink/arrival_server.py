"""Writes results in the order of arrival in a server process, where their producer stays although Spark changes the worker."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from eddyline.adapters.spark.exchange.frames import Frame, pack_frame
from eddyline.adapters.spark.plan import BY_ARRIVAL_SLOT
from eddyline.adapters.spark.sink.by_arrival import write_by_arrival
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.cache import CACHES, RunCache
from eddyline.adapters.spark.worker.run_server import request
from eddyline.adapters.spark.worker.servers import ServerEndedError, ServerUnavailableError
from eddyline.application.runtime.plan.changelogs import BatchProgress

HANDLER: Final = "write-by-arrival"
"""The name of `handle` in requests."""


def written(broadcast: Broadcast, batch: BatchProgress, frames: Sequence[Frame]) -> list[bytes]:
    """Write a batch in a server process, or in this one if there is none; return the packed frames for the driver.

    If the server ends meanwhile, the batch may have been written: the sink knows.

    Raises:
        WorkerError: The batch could not be written.
    """
    try:
        return list(request(broadcast, HANDLER, BY_ARRIVAL_SLOT, (batch, frames)))
    except (ServerUnavailableError, ServerEndedError):
        return [pack_frame(frame) for frame in write_by_arrival(CACHES.of(broadcast), batch, frames)]


def handle(cache: RunCache, content: Any, ask: Callable[[Any], Any]) -> Iterator[bytes]:
    """Write a batch for a worker."""
    del ask
    yield from map(pack_frame, write_by_arrival(cache, *content))
