"""Writes results in the order of arrival in a server process, where their producer stays although Spark changes the worker."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from eddyline.adapters.spark.exchange.columns import Sequenced, unpack_records
from eddyline.adapters.spark.exchange.frames import Frame, Kind, pack_frame
from eddyline.adapters.spark.plan import BY_ARRIVAL_SLOT, SparkPlan
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.adapters.spark.worker.cache import CACHES, RunCache
from eddyline.adapters.spark.worker.results import write_slot
from eddyline.adapters.spark.worker.run_server import request
from eddyline.adapters.spark.worker.servers import ServerEndedError, ServerUnavailableError
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.changelogs import BatchProgress, progress_records

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


def changelog_records(plan: SparkPlan, frames: Sequence[Frame], batch: BatchProgress) -> Iterator[SinkRecord]:
    """Yield the changes of tasks, in the order of sending, then their progress records."""
    for frame in frames:
        if frame.kind is Kind.CHANGELOG:
            yield from (SinkRecord(*record[:6]) for record in unpack_records(frame.body))
    for frame in frames:
        if frame.kind is Kind.STREAM_TIME:
            topics = plan.run.changelogs[plan.line[frame.sender.stage]].values()
            yield from progress_records(topics, frame.sender.task, json.loads(frame.body), batch)


_FIRST: Final = Sequenced(-1, -1)


def write_by_arrival(cache: RunCache, batch: BatchProgress, frames: Iterable[Frame]) -> Iterator[Frame]:
    """Write the results and the changelogs in the frames of all tasks.

    Yields the other frames, then the report, and the number of results written to each topic, if there are any.
    """
    results: list[Frame] = []
    changelog: list[Frame] = []
    for frame in frames:
        if frame.kind is Kind.RESULTS:
            results.append(frame)
        elif frame.kind is Kind.CHANGELOG or frame.kind is Kind.STREAM_TIME:
            changelog.append(frame)
        else:
            yield frame
    if results or changelog:
        records = _in_sequence(results)
        counts = Counter(record.topic for record in records)
        changes = changelog_records(cache.plan, sorted(changelog), batch)
        yield from write_slot(cache, BY_ARRIVAL_SLOT, batch.batch, [*records, *changes], counts)


def _in_sequence(frames: Sequence[Frame]) -> list[SinkRecord]:
    """Return the records in the order of arrival, then by stage, task and order of sending."""
    found = [(record.sequence or _FIRST, frame.sender, record) for frame in frames for record in unpack_records(frame.body)]
    found.sort(key=lambda row: (row[0].arrival, row[1].stage, row[1].task, row[0].number))
    return [SinkRecord(*record[:6]) for _, _, record in found]
