"""Runs stateless tasks where the log is read, so that they need no stage of Spark."""

from collections.abc import Iterator

from eddyline.adapters.spark.exchange.frames import Frame
from eddyline.adapters.spark.exchange.rows import Row
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.cache import CACHES


def run_stateless(broadcast: Broadcast, stage: int, task: int, frame: Frame) -> Iterator[Row]:
    """Process a batch; yield the rows that the task sends."""
    cache = CACHES.of(broadcast)
    hosted = cache.take_stateless(stage, task, frame.now_ms)
    yield from hosted.run([frame], frame.now_ms)
    cache.put_stateless(stage, task, hosted)
