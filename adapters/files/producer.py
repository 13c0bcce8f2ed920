"""Writes records one by one to topics in files and reports where each was written."""

import threading
import time
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.application.ports.event_sink import InvalidTopicError, SinkRecord
from eddyline.application.runtime.plan.partitioner import partition_for

_BATCH = 1_000


class FileReport(NamedTuple):
    """Where a record was written, and the time in ms from `send` until it was durable."""

    topic: str
    partition: int
    offset: int | None
    latency_ms: float
    error: None = None


class FileTotals(NamedTuple):
    """The numbers of written and failed records, and percentiles of their latency in ms."""

    delivered: int
    failed: int
    p50_ms: float
    p99_ms: float


class FileProducer:
    """A producer that collects records and writes them in batches, at the latest when it is polled.

    Args:
        root: The folder of the topics.
        on_report: Called for each record after it was written.
        partitioner: `by-key` (the hash of the key, without a key in turn) or `round-robin`.

    Raises:
        ValueError: The partitioner is another one.
    """

    def __init__(self, root: Path, *, on_report: Callable[[FileReport], None], partitioner: str = "by-key") -> None:
        if partitioner not in {"by-key", "round-robin"}:
            raise ValueError(f"unknown partitioner '{partitioner}' for topics in files; choose by-key or round-robin")
        self._log, self._sink = FileEventLog(root), FileEventSink(root)
        self._on_report, self._by_key = on_report, partitioner == "by-key"
        self._writer = f"produce-{uuid.uuid4()}"
        self._batches = self._turn = 0
        self._waiting: list[tuple[SinkRecord, float]] = []
        self._latencies: list[float] = []
        self._lock = threading.Lock()

    def send(self, record: SinkRecord) -> None:
        """Add a record to the next batch.

        Raises:
            UnknownTopicError: the topic does not exist.
            ValueError: the topic does not have the partition.
        """
        with self._lock:
            self._waiting.append((record._replace(partition=self._partition(record)), time.monotonic()))
            if len(self._waiting) >= _BATCH:
                self._write()

    def poll(self, timeout_s: float) -> None:
        """Write the records that wait, then wait for the timeout (in seconds)."""
        with self._lock:
            self._write()
        time.sleep(timeout_s)

    def flush(self) -> FileTotals:
        """Write the records that wait, and return the totals."""
        with self._lock:
            self._write()
        ordered = sorted(self._latencies)
        return FileTotals(len(ordered), 0, _quantile(ordered, 0.50), _quantile(ordered, 0.99))

    def _partition(self, record: SinkRecord) -> int:
        count = self._log.partitions(record.topic)
        if record.partition is not None:
            if not 0 <= record.partition < count:
                raise InvalidTopicError(f"topic '{record.topic}' has no partition {record.partition}; it has 0 to {count - 1}")
            return record.partition
        if self._by_key and record.key is not None:
            return partition_for(record.key, count)
        self._turn += 1
        return (self._turn - 1) % count

    def _write(self) -> None:
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        records = [record for record, _ in waiting]
        self._sink.write(self._writer, 0, self._batches, records)
        self._batches += 1
        now = time.monotonic()
        for (record, sent), offset in zip(waiting, self._offsets(records), strict=True):
            self._latencies.append((now - sent) * 1000)
            self._on_report(FileReport(record.topic, record.partition or 0, offset, (now - sent) * 1000))

    def _offsets(self, records: Iterable[SinkRecord]) -> list[int]:
        """Return the offsets of records that are the last of their partitions."""
        places = [(record.topic, record.partition or 0) for record in records]
        following = {place: self._log.end_offset(*place) - places.count(place) for place in set(places)}
        offsets = []
        for place in places:
            offsets.append(following[place])
            following[place] += 1
        return offsets


def _quantile(ordered: list[float], part: float) -> float:
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)] if ordered else 0.0
