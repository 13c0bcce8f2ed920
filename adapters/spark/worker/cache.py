"""Caches in a worker what it needs in the next batch of a run: its copy of the plan, and its tasks with their state.

A cache belongs to one run. It is dropped as soon as the worker sees another run of the same checkpoint, or when it has not
been used for a while, since the run has ended or its tasks run elsewhere. Dropping a cache costs time, never correctness.
"""

import logging
import threading
import time
from contextlib import ExitStack, suppress
from hashlib import blake2s
from typing import Final, TypeAlias

from eddyline.adapters.spark.plan import SparkPlan
from eddyline.adapters.spark.state.chunks import ChunkedState
from eddyline.adapters.spark.state.indexed_chunks import IndexedChunkedState
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.hosted_task import HostedTask
from eddyline.application.ports.state_stores import TaskStateStores
from eddyline.application.runtime.output.topics import TopicCreator

TaskState: TypeAlias = ChunkedState | IndexedChunkedState
"""The log of chunks of a task: with a copy of its entries in memory, or with stores on the local disk."""

_IDLE_S: Final = 300.0
_LOGGER: Final = logging.getLogger(__name__)


class RunCache:
    """The plan, the hosted tasks and the clients of one run in this worker."""

    def __init__(self, broadcast: Broadcast) -> None:
        self.broadcast = broadcast
        self.plan: SparkPlan = broadcast.unpickle()
        self.topics = TopicCreator(self.plan.run.ports.sink, self.plan.run.options.new_topic_partitions)
        self.used = time.monotonic()
        self._stateful: dict[tuple[int, int], tuple[TaskState, HostedTask]] = {}
        self._stateless: dict[tuple[int, int], HostedTask] = {}
        self._opening: dict[int, threading.Thread] = {}

    def take(self, stage: int, task: int, now_ms: int) -> tuple[TaskState, HostedTask]:
        """Remove a task and its state from the cache and return them; create them if they are not cached.

        Put them back when the batch is done, but not when it has failed: the task may have processed a part of it.
        """
        cached = self._stateful.pop((stage, task), None)
        if cached is not None:
            return cached
        checkpoint = blake2s(self.broadcast.owner.encode(), digest_size=8).hexdigest()
        stores = self.plan.run.ports.stores.of_task(f"{self.plan.run.options.application_id}-{checkpoint}-{stage}_{task}")
        hosted = HostedTask(self.plan, stage, task, now_ms, stores)
        return self._state_of(hosted), hosted

    def _state_of(self, hosted: HostedTask) -> TaskState:
        """Return the state of a new task as far as this machine has it."""
        if not isinstance(hosted.stores, TaskStateStores):
            return ChunkedState()
        specs = self.plan.run.topology.stores
        return IndexedChunkedState(hosted.stores, [name for name in hosted.host.task.stores if specs[name].factory is None])

    def put(self, stage: int, task: int, state: TaskState, hosted: HostedTask) -> None:
        """Put a task and its state into the cache."""
        self._stateful[stage, task] = (state, hosted)

    def take_stateless(self, stage: int, task: int, now_ms: int) -> HostedTask:
        """Remove a stateless task from the cache and return it; create it if it is not cached."""
        return self._stateless.pop((stage, task), None) or HostedTask(self.plan, stage, task, now_ms)

    def put_stateless(self, stage: int, task: int, hosted: HostedTask) -> None:
        """Put a stateless task into the cache."""
        self._stateless[stage, task] = hosted

    def open_slot(self, slot: int) -> None:
        """Open what the event sink needs to write a slot, in the background."""

        def run() -> None:
            with suppress(Exception):  # writing meets the same problem, and reports it
                self.plan.run.ports.sink.open_slot(self.plan.writer, slot)

        opening = self._opening[slot] = threading.Thread(target=run, daemon=True)
        opening.start()

    def await_slot(self, slot: int) -> None:
        """Wait until a slot is open, if it is being opened."""
        opening = self._opening.pop(slot, None)
        if opening is not None:
            opening.join()

    def close_tasks(self) -> None:
        """Close the tasks; raise what one of their processors has raised when all are closed."""
        hosted = [*(found for _, found in self._stateful.values()), *self._stateless.values()]
        self._stateful.clear()
        self._stateless.clear()
        with ExitStack() as closed:
            for each in sorted(hosted, key=lambda found: (found.stage, found.number), reverse=True):
                closed.callback(each.close)

    def close(self) -> None:
        """Close the tasks and the clients of the run; what a processor raises is logged, since it belongs to an earlier run."""
        for slot in list(self._opening):
            self.await_slot(slot)
        try:
            self.close_tasks()
        except Exception:
            _LOGGER.warning("a processor of an earlier run could not be closed", exc_info=True)
        self.plan.run.ports.log.close()
        self.plan.run.ports.sink.close()


class WorkerCaches:
    """The caches of the runs that this worker takes part in, one for each checkpoint."""

    def __init__(self, idle_s: float = _IDLE_S) -> None:
        self._idle_s = idle_s
        self._caches: dict[str, RunCache] = {}

    def of(self, broadcast: Broadcast) -> RunCache:
        """Return the cache of a run; drop those of earlier runs of its checkpoint, and those not used for a while."""
        now = time.monotonic()
        for owner, cache in list(self._caches.items()):
            superseded = owner == broadcast.owner and cache.broadcast.run != broadcast.run
            if superseded or (owner != broadcast.owner and now - cache.used > self._idle_s):
                self._caches.pop(owner).close()
        found = self._caches.get(broadcast.owner)
        if found is None:
            found = self._caches[broadcast.owner] = RunCache(broadcast)
        found.used = now
        return found

    def known(self, owner: str, run: str) -> Broadcast | None:
        """Return the broadcast of a run of a checkpoint if there is a cache of it, else None."""
        found = self._caches.get(owner)
        return None if found is None or found.broadcast.run != run else found.broadcast

    def __len__(self) -> int:
        return len(self._caches)


CACHES: Final = WorkerCaches()
"""The caches of this process."""
