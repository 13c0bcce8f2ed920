"""Writes slots in a server process, so that the producer of a slot stays in one process although Spark changes the worker."""

import pickle
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Final, NamedTuple

from eddyline.adapters.spark.exchange.frames import Frame, pack_frame
from eddyline.adapters.spark.sink.slot import write_slot
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.cache import CACHES, WorkerCaches
from eddyline.adapters.spark.worker.servers import SERVERS, ServerUnavailableError
from eddyline.adapters.spark.worker_logs import processing
from eddyline.application.runtime.changelog import BatchProgress

_UNKNOWN_RUN: Final = b""


class _Request(NamedTuple):
    """A slot to write; `broadcast` is None unless the server does not know the run, `path` is where the worker finds modules."""

    owner: str
    run: str
    slot: int
    batch: BatchProgress
    frames: Sequence[Frame]
    path: Sequence[str]
    broadcast: Broadcast | None = None


@dataclass
class _Slot:
    """What a server keeps for a slot; one request after the other uses it."""

    lock: Lock = field(default_factory=Lock)
    caches: WorkerCaches = field(default_factory=WorkerCaches)


_SLOTS: Final[defaultdict[int, _Slot]] = defaultdict(_Slot)


def written(broadcast: Broadcast, slot: int, batch: BatchProgress, frames: Sequence[Frame]) -> list[bytes]:
    """Write a slot in its server process, or in this one if there is none; return the packed frames for the driver.

    Raises:
        WorkerError: The slot could not be written.
    """
    request = _Request(broadcast.owner, broadcast.run, slot, batch, frames, sys.path)
    try:
        answer = SERVERS.request(slot, pickle.dumps(request))
        if answer == _UNKNOWN_RUN:
            answer = SERVERS.request(slot, pickle.dumps(request._replace(broadcast=broadcast)))
    except ServerUnavailableError:
        return [pack_frame(frame) for frame in write_slot(CACHES.of(broadcast), slot, batch, frames)]
    reports: list[bytes] = pickle.loads(answer)  # noqa: S301 - the socket is in a folder of this user
    return reports


def handle(payload: bytes) -> bytes:
    """Answer the request of a worker: write the slot, or answer that the run is not known."""
    request: _Request = pickle.loads(payload)  # noqa: S301 - likewise
    slot = _SLOTS[request.slot]
    with slot.lock:
        broadcast = request.broadcast
        if broadcast is None:
            broadcast = slot.caches.known(request.owner, request.run)
            if broadcast is None:
                return _UNKNOWN_RUN
        sys.path.extend(entry for entry in request.path if entry not in sys.path)
        cache = slot.caches.of(broadcast)
        with processing(request.batch.batch):
            return pickle.dumps([pack_frame(frame) for frame in write_slot(cache, request.slot, request.batch, request.frames)])
