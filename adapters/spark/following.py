"""Follows a streaming query: how far it is, and when it is at its end."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, TypeAlias

from pyspark.sql.streaming import StreamingQuery

from eddyline.application.ports.event_log import EventLog
from eddyline.application.runtime.report import Progress

Ends: TypeAlias = Mapping[str, Sequence[int]]
"""Where each partition of each topic ends."""


class Follower:
    """Tells the progress of one query, each batch once. `target` is where the log ended when a run with an end began.

    How far `application_id` has come is told to the log, too.
    """

    def __init__(self, query: StreamingQuery, log: EventLog, target: Ends | None, application_id: str) -> None:
        self._query, self._log, self._target, self._application_id = query, log, target, application_id
        self._begun: Ends | None = None
        self._noted: str | None = None
        self._seen = -1
        self.idle = False

    def news(self) -> Iterator[Progress]:
        """The batches that have ended since the last call.

        `idle` is set by one that had nothing to read though the target was reached: the first batch after a restart may be one
        without data, which the run before had begun.
        """
        for progress in self._query.recentProgress:
            if progress["batchId"] > self._seen:
                self._seen = progress["batchId"]
                self._note(progress)
                self.idle = progress["numInputRows"] == 0 and self._at_target(progress)
                yield self._progress(progress)

    def note(self) -> None:
        """Tells the log how far the last batch came, once."""
        last = self._query.lastProgress
        if last is not None:
            self._note(last)

    def _note(self, progress: Any) -> None:
        ends = progress["sources"][0]["endOffset"]
        if ends is not None and ends != self._noted:
            self._noted = ends
            reached: Ends = json.loads(ends)["ends"]
            places = {(topic, number): end for topic, numbers in reached.items() for number, end in enumerate(numbers)}
            self._log.commit_offsets(self._application_id, places)

    def has_ended(self, batch: int) -> bool:
        """Whether the batch is done, commit included."""
        last = self._query.lastProgress
        return last is not None and int(last["batchId"]) >= batch

    def _at_target(self, progress: Any) -> bool:
        ends: Ends = json.loads(progress["sources"][0]["endOffset"])["ends"]
        return self._target is None or all(
            end >= wanted
            for topic, numbers in self._target.items()
            for end, wanted in zip_longest(ends[topic], numbers, fillvalue=0)
        )

    def _progress(self, progress: Any) -> Progress:
        source = progress["sources"][0]
        ends: Ends = json.loads(source["endOffset"])["ends"]
        if self._begun is None:
            start = json.loads(source["startOffset"] or "null")
            self._begun = start["ends"] if start else self._beginnings(ends)
        done = records_between(self._begun, ends)
        total = None if self._target is None else max(done, records_between(self._begun, self._target))
        return Progress(progress["batchId"], done, total, progress["durationMs"]["triggerExecution"] / 1000)

    def _beginnings(self, ends: Ends) -> Ends:
        beginning = self._log.beginning_offset
        return {topic: [beginning(topic, number) for number in range(len(numbers))] for topic, numbers in ends.items()}


def log_ends(log: EventLog, topics: Sequence[str]) -> Ends:
    """Where the partitions of the topics end now."""
    return {topic: [log.end_offset(topic, number) for number in range(log.partitions(topic))] for topic in topics}


def records_between(begun: Ends, ends: Ends) -> int:
    """How many records lie between; a partition that was not there at first counts from 0."""
    return sum(
        end - old for topic, numbers in ends.items() for end, old in zip_longest(numbers, begun.get(topic, ()), fillvalue=0)
    )
