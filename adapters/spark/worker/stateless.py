"""Runs tasks without state: where the log is read, so that no stage of Spark is spent on them."""

from collections.abc import Iterator

from eddyline.adapters.spark.exchange.frames import Frame
from eddyline.adapters.spark.exchange.rows import Row
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.cache import CACHES


def run_stateless(broadcast: Broadcast, stage: int, task: int, frame: Frame) -> Iterator[Row]:
    """Process a batch of a task; yield what it sends."""
    cache = CACHES.of(broadcast)
    hosted = cache.take_stateless(stage, task, frame.now_ms)
    yield from hosted.run([frame], frame.now_ms)
    cache.put_stateless(stage, task, hosted)
