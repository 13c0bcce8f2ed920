"""Runs tasks in server processes, so that a task and its state stay in one process although Spark changes the worker."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

from eddyline.adapters.spark.exchange.frames import Frame
from eddyline.adapters.spark.exchange.rows import Row
from eddyline.adapters.spark.state.chunks import ChunkStore
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.cache import CACHES, RunCache
from eddyline.adapters.spark.worker.hosted_task import HostedTask
from eddyline.adapters.spark.worker.results import write_task
from eddyline.adapters.spark.worker.run_server import request
from eddyline.adapters.spark.worker.servers import ServerUnavailableError
from eddyline.application.runtime.plan.changelogs import BatchProgress

HANDLER: Final = "task"
"""The name of `handle` in requests."""


_OF_SPARK: Final = ("set_timer", "shared_file")
"""The questions that are not about chunks."""


class TaskBatch(NamedTuple):
    """What a task processes in a batch, at this wall-clock time in ms since the epoch; `progress` is for its changelogs."""

    stage: int
    task: int
    frames: Sequence[Frame]
    now_ms: int
    progress: BatchProgress


class Spark(Protocol):
    """What Spark keeps for a task: the state, and the timer that is due next."""

    store: ChunkStore

    def set_timer(self, due_ms: int | None) -> None:
        """Let Spark run the task at this time, in ms since the epoch; None if it is not due."""

    def shared_file(self, name: str) -> bytes:
        """Return the content of a file that Spark has brought to this executor, nothing if there is no such file."""


def processed(broadcast: Broadcast, batch: TaskBatch, spark: Spark, partition: int) -> Iterator[Row]:
    """Process a batch in the server process of the Spark partition, or here if there is none; yield the rows that the task sends.

    Raises:
        ServerEndedError: The server process was killed.
        WorkerError: The batch has failed.
    """
    try:
        yield from request(broadcast, HANDLER, partition, batch, _Replies(spark))
    except ServerUnavailableError:
        yield from process(CACHES.of(broadcast), batch, spark)


def handle(cache: RunCache, content: Any, ask: Callable[[Any], Any]) -> Iterator[Row]:
    """Process a batch for a worker, which has access to Spark."""
    return process(cache, content, _RemoteSpark(ask))


def process(cache: RunCache, batch: TaskBatch, spark: Spark) -> Iterator[Row]:
    """Process a batch with the task that is cached in this process, and write its results; yield the rows that it sends."""
    stage, task, frames, now_ms, progress = batch
    state, hosted = cache.take(stage, task, now_ms)
    done = False
    try:
        missed = state.catch_up(spark.store)
        if missed.rebuilt:
            hosted.close_processors()
            hosted = HostedTask(cache.plan, stage, task, now_ms, hosted.stores)
        for entries in missed.portions:
            hosted.restore(entries)
        if state.is_new and cache.plan.imported is not None:
            hosted.begin_with(cache.plan.imported.entries(stage, task, spark.shared_file))
        yield from hosted.run(frames, now_ms, partial(state.commit, spark.store))
        yield from write_task(cache, hosted, progress)
        spark.set_timer(hosted.timer_due())
        done = True
    finally:
        if not done:
            with suppress(Exception):  # what a processor raises then must not hide why the batch has failed
                hosted.close()
    cache.put(stage, task, state, hosted)


class _RemoteSpark:
    """What Spark keeps for the task, as its server process sees it."""

    def __init__(self, ask: Callable[[Any], Any]) -> None:
        self._ask = ask
        self.store: ChunkStore = _RemoteChunkStore(ask)

    def set_timer(self, due_ms: int | None) -> None:
        if due_ms is not None:
            self._ask(("set_timer", due_ms))

    def shared_file(self, name: str) -> bytes:
        found: bytes = self._ask(("shared_file", name))
        return found


class _RemoteChunkStore:
    """The chunk store of the worker, as the server process uses it."""

    def __init__(self, ask: Callable[[Any], Any]) -> None:
        self._ask = ask

    def header(self) -> bytes | None:
        found: bytes | None = self._ask(("header",))
        return found

    def set_header(self, data: bytes) -> None:
        self._ask(("set_header", data))

    def chunk(self, number: int) -> bytes:
        found: bytes = self._ask(("chunk", number))
        return found

    def put_chunk(self, number: int, data: bytes) -> None:
        self._ask(("put_chunk", number, data))

    def remove_chunk(self, number: int) -> None:
        self._ask(("remove_chunk", number))


class _Replies:
    """Replies to a `_RemoteSpark`."""

    def __init__(self, spark: Spark) -> None:
        self._spark = spark

    def __call__(self, asked: tuple[Any, ...]) -> bytes | None:
        name, *arguments = asked
        target = self._spark if name in _OF_SPARK else self._spark.store
        found: bytes | None = getattr(target, name)(*arguments)
        return found
