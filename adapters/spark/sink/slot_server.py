"""Writes slots in server processes, so that the producer of a slot stays in one process although Spark changes the worker."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from eddyline.adapters.spark.exchange.frames import Frame, pack_frame
from eddyline.adapters.spark.sink.slot import write_slot
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.cache import CACHES, RunCache
from eddyline.adapters.spark.worker.run_server import request
from eddyline.adapters.spark.worker.servers import ServerEndedError, ServerUnavailableError
from eddyline.application.runtime.changelog import BatchProgress

HANDLER: Final = "slot"
"""The name of `handle` in requests."""


def written(broadcast: Broadcast, slot: int, batch: BatchProgress, frames: Sequence[Frame]) -> list[bytes]:
    """Write a slot in its server process, or in this one if there is none; return the packed frames for the driver.

    If the server ends meanwhile, the batch may have been written: the sink knows.

    Raises:
        WorkerError: The slot could not be written.
    """
    try:
        return list(request(broadcast, HANDLER, slot, (slot, batch, frames)))
    except (ServerUnavailableError, ServerEndedError):
        return [pack_frame(frame) for frame in write_slot(CACHES.of(broadcast), slot, batch, frames)]


def handle(cache: RunCache, content: Any, ask: Callable[[Any], Any]) -> Iterator[bytes]:
    """Write a slot for a worker."""
    del ask
    slot, batch, frames = content
    cache.await_slot(slot)
    yield from map(pack_frame, write_slot(cache, slot, batch, frames))
