"""Tasks that need no state: they run in the worker that reads the log, and no stage of Spark is spent on them."""

from collections.abc import Iterator

from eddyline.adapters.spark.frames import Frame
from eddyline.adapters.spark.hosting import HostedTask
from eddyline.adapters.spark.outbox import Row
from eddyline.adapters.spark.shipping import Shipped

_KEPT: dict[tuple[str, int, int], HostedTask] = {}


def run_stateless(plan: Shipped, stage: int, number: int, frame: Frame) -> Iterator[Row]:
    """Runs a batch of a task; gives what it sends."""
    place = (plan.name, stage, number)
    hosted = _KEPT.pop(place, None) or HostedTask(plan.value, stage, number, frame.now_ms)
    yield from hosted.run([frame], frame.now_ms)
    _KEPT[place] = hosted
