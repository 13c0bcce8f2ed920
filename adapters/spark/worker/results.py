"""Writes the results of tasks to the event sink: the results and the changelog of a task are one slot of the batch."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from eddyline.adapters.spark.exchange.frames import Frame, Kind, Sender, pack_frame
from eddyline.adapters.spark.exchange.reports import machine_ms, pack_report, pack_written
from eddyline.adapters.spark.exchange.rows import END, Row
from eddyline.adapters.spark.worker.cache import RunCache
from eddyline.adapters.spark.worker.hosted_task import HostedTask
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.output.result_writer import BatchId, write_results
from eddyline.application.runtime.plan.changelogs import BatchProgress


def write_task(cache: RunCache, hosted: HostedTask, batch: BatchProgress) -> Iterator[Row]:
    """Write what a task has kept in a batch; yield rows for the driver with the report and the numbers of results.

    A repeated batch has the same records in the same order, so the event sink can skip a batch that it has written.
    """
    results = hosted.take_results()
    counts = results.count_by_topic()
    results.add_changes(hosted.changelog(batch))
    if results:
        for frame in write_slot(cache, cache.plan.slot(hosted.stage, hosted.number), batch.batch, results, counts):
            yield Row(hosted.number, END, pack_frame(frame))


def write_slot(
    cache: RunCache, slot: int, batch: int, records: Sequence[SinkRecord], counts: Mapping[str, int]
) -> Iterator[Frame]:
    """Write a slot of a batch; yield the report, and the number of results written to each topic, if there are any.

    Args:
        cache: The cache of the run.
        slot: The number of the slot.
        batch: The number of the batch.
        records: The results, and the records of changelogs.
        counts: The number of results of each topic, whose topics are created if necessary.
    """
    began_ms = machine_ms()
    cache.await_slot(slot)
    cache.topics.ensure(counts)
    report, difference = write_results(cache.plan.run, cache.topics, BatchId(cache.plan.writer, slot, batch), records)
    written = Counter(counts)
    written.update(difference)
    yield Frame(Sender(0, slot, 0), Kind.REPORT, 0, pack_report(report._replace(times=(began_ms, machine_ms()))))
    if counts:
        yield Frame(Sender(0, slot, 0), Kind.WRITTEN, 0, pack_written(+written))
