"""Writes the results and the changelogs of one slot of a batch."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, overload

from eddyline.adapters.spark.exchange.columns import Sequenced, count_by_topic, unpack_fields, unpack_records
from eddyline.adapters.spark.exchange.frames import Frame, Kind, Sender
from eddyline.adapters.spark.exchange.reports import pack_report, pack_written
from eddyline.adapters.spark.sink.changelog_frames import changelog_bodies
from eddyline.adapters.spark.worker.cache import RunCache
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.changelog import BatchProgress
from eddyline.application.runtime.result_writer import BatchId, write_results

_FIRST: Final = Sequenced(-1, -1)


def write_slot(cache: RunCache, slot: int, batch: BatchProgress, frames: Iterable[Frame]) -> Iterator[Frame]:
    """Write the results and the changelogs in the frames of a slot.

    Yields the other frames, then the number of results written to each topic, if there are any.
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
    if not results and not changelog:
        return
    results.sort()
    changelog.sort()
    written = sum((Counter(count_by_topic(frame.body)) for frame in results), Counter[str]())
    run = cache.plan.run
    cache.topics.ensure(written)
    changes = changelog_bodies(cache.plan, changelog, batch) if changelog else []
    records: Sequence[SinkRecord]
    if run.options.order == "arrival":
        records = [*_in_sequence(results), *_Records(changes)]
    else:
        records = _Records([*(frame.body for frame in results), *changes])
    report, difference = write_results(run, cache.topics, BatchId(cache.plan.writer, slot, batch.batch), records)
    written.update(difference)
    yield Frame(Sender(0, slot, 0), Kind.REPORT, 0, pack_report(report))
    if results:
        yield Frame(Sender(0, slot, 0), Kind.WRITTEN, 0, pack_written(+written))


class _Records(Sequence[SinkRecord]):
    """The records in the bodies of frames, unpacked one by one during each iteration, so that few are in memory at once."""

    def __init__(self, bodies: Sequence[bytes]) -> None:
        self._bodies = bodies

    def __len__(self) -> int:
        return sum(sum(count_by_topic(body).values()) for body in self._bodies)

    def __iter__(self) -> Iterator[SinkRecord]:
        for body in self._bodies:
            yield from map(_sink_record, zip(*unpack_fields(body)[:-1], strict=True))

    @overload
    def __getitem__(self, index: int) -> SinkRecord: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[SinkRecord]: ...

    def __getitem__(self, index: int | slice) -> SinkRecord | Sequence[SinkRecord]:
        return list(self)[index]


_sink_record: Callable[[Iterable[Any]], SinkRecord] = partial(tuple.__new__, SinkRecord)  # twice as fast as the class itself


def _in_sequence(frames: Sequence[Frame]) -> list[SinkRecord]:
    """Return the records in the order of arrival over all topics, then by stage, task and order of sending."""
    found = [(record.sequence or _FIRST, frame.sender, record) for frame in frames for record in unpack_records(frame.body)]
    found.sort(key=lambda row: (row[0].arrival, row[1].stage, row[1].task, row[0].number))
    return [SinkRecord(*record[:6]) for _, _, record in found]
