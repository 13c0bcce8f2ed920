"""The progress of a streaming query: which batches it has completed, and whether it has reached its target."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from types import MappingProxyType
from typing import Any

from pyspark.sql.streaming import StreamingQuery

from eddyline.application.ports.event_log import EventLog
from eddyline.application.runtime.input.offsets import Offsets, by_partition, partitions_of, records_between
from eddyline.application.runtime.progress.offset_reset import PositionReset, shifted, skipped_offsets
from eddyline.application.runtime.progress.report import Progress, RunReport


class QueryProgress:
    """Reports each batch of a query once, and commits its offsets to the log for the consumer group `application_id`.

    `target` has the end offsets that the log had when an available-now run began; it is None for a run without an end.
    Offsets that a batch has skipped are added to `report`; `reports` has the counts of each batch by number.
    """

    def __init__(
        self,
        query: StreamingQuery,
        log: EventLog,
        target: Offsets | None,
        application_id: str,
        report: RunReport,
        reports: Mapping[int, RunReport] = MappingProxyType({}),
    ) -> None:
        self._query, self._log, self._target, self._application_id = query, log, target, application_id
        self._report, self._reports = report, reports
        self._begin: Offsets | None = None
        self._committed: str | None = None
        self._last_batch = -1
        self.idle = False

    def new_batches(self) -> Iterator[Progress]:
        """Yield the progress of each batch that was completed since the last call, and where a query waits that had none yet.

        `idle` is true if the last of them was empty, or Spark waits for data, and the target is reached. An empty batch alone is
        no proof: the first batch after a restart may repeat an empty batch of the previous run.
        """
        for progress in self._recent():
            if progress["batchId"] > self._last_batch and not _is_batch(progress):
                has_offsets = progress["sources"][0]["endOffset"] is not None
                self.idle = has_offsets and self._at_target(progress)
                if has_offsets and self._begin is None:
                    yield self._waiting(progress)
            elif progress["batchId"] > self._last_batch:
                self._last_batch = progress["batchId"]
                self._commit(progress)
                self.idle = progress["numInputRows"] == 0 and self._at_target(progress)
                yield self._progress(progress)

    def _recent(self) -> Sequence[Any]:
        """Return what Spark has reported, at least since the last batch that was yielded.

        The last report alone if none can be missing before it: Java writes each as JSON, a hundred of them in 50 ms.
        """
        last = self._query.lastProgress
        if last is None:
            return []
        return [last] if last["batchId"] <= self._last_batch + 1 else self._query.recentProgress

    def commit(self) -> None:
        """Commit the offsets of the last batch, if they have not been committed yet."""
        last = self._query.lastProgress
        if last is not None:
            self._commit(last)

    def has_ended(self, batch: int) -> bool:
        """Return whether a batch is completed and committed to the checkpoint."""
        last = self._query.lastProgress
        return last is not None and (int(last["batchId"]) > batch or (int(last["batchId"]) == batch and _is_batch(last)))

    def _commit(self, progress: Any) -> None:
        ends = progress["sources"][0]["endOffset"]
        if ends is not None and ends != self._committed:
            self._committed = ends
            reached: Offsets = json.loads(ends)["ends"]
            offsets = {partition: reached[partition.topic][partition.partition] for partition in partitions_of(reached)}
            self._log.commit_offsets(self._application_id, offsets)

    def _at_target(self, progress: Any) -> bool:
        ends: Offsets = json.loads(progress["sources"][0]["endOffset"])["ends"]
        return self._target is None or all(
            end >= wanted
            for topic, numbers in self._target.items()
            for end, wanted in zip_longest(ends.get(topic, ()), numbers, fillvalue=0)
        )

    def _progress(self, progress: Any) -> Progress:
        source = progress["sources"][0]
        ends: Offsets = json.loads(source["endOffset"])["ends"]
        stored = json.loads(source["startOffset"] or "null")
        start: Offsets = stored["ends"] if stored else self._beginnings(ends)
        if self._begin is None:
            self._begin = start
        resets = [PositionReset(*reset) for reset in json.loads(source["endOffset"]).get("resets", ())]
        if resets and source["startOffset"] != source["endOffset"]:
            self._begin = shifted(self._begin, resets)
            self._report.add_skipped(skipped_offsets(resets))
        done = records_between(self._begin, ends)
        total = None if self._target is None else max(done, records_between(self._begin, self._target))
        batch, seconds = progress["batchId"], progress["durationMs"]["triggerExecution"] / 1000
        return Progress(
            batch, done, total, seconds, self._reports.get(batch) or RunReport(), by_partition(start), by_partition(ends)
        )

    def _waiting(self, progress: Any) -> Progress:
        """Return the progress of a query that waits for data after the last batch of the query before it."""
        ends: Offsets = json.loads(progress["sources"][0]["endOffset"])["ends"]
        self._begin, positions = ends, by_partition(ends)
        total = None if self._target is None else records_between(ends, self._target)
        return Progress(progress["batchId"] - 1, 0, total, 0.0, RunReport(), positions, positions)

    def _beginnings(self, ends: Offsets) -> Offsets:
        beginning = self._log.beginning_offset
        return {topic: [beginning(topic, number) for number in range(len(numbers))] for topic, numbers in ends.items()}


def _is_batch(progress: Any) -> bool:
    """Return whether Spark reports a batch, not that it has waited for data: then it gives the number of the next batch."""
    return "addBatch" in progress["durationMs"]
