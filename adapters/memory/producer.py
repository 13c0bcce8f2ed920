"""Writes records one by one to an event sink in this process, and reports where each was written."""

import threading
import time
import uuid
from collections.abc import Mapping, Sequence

from eddyline.application.ports.event_log import EventLog, LogRecord
from eddyline.application.ports.event_sink import EventSink, InvalidTopicError, SinkRecord
from eddyline.application.ports.record_clients import DeliveryCounter, DeliveryReport, DeliveryTotals, OnReport, ProducerClient
from eddyline.application.runtime.plan.partitioner import partition_for

_BATCH = 1_000


class LogProducer(ProducerClient):
    """A producer that collects records and writes them in batches, at the latest when it is polled.

    Args:
        log: The event log that has the topics.
        sink: The sink that writes to them.
        on_report: Called for each record after it was written.
        partitioner: `by-key` (the hash of the key, without a key in turn) or `round-robin`.

    Raises:
        ValueError: The partitioner is another one.
    """

    def __init__(self, log: EventLog, sink: EventSink, *, on_report: OnReport | None = None, partitioner: str = "by-key") -> None:
        if partitioner not in {"by-key", "round-robin"}:
            raise ValueError(f"unknown partitioner '{partitioner}' for topics in files or memory; choose by-key or round-robin")
        self._log, self._sink = log, sink
        self._on_report, self._by_key = on_report, partitioner == "by-key"
        self._writer = f"produce-{uuid.uuid4()}"
        self._batches = self._turn = 0
        self._waiting: list[tuple[SinkRecord, float, OnReport | None]] = []
        self._counter = DeliveryCounter()
        self._lock, self._has_records = threading.RLock(), threading.Event()

    def partitions(self, topic: str) -> int:
        return self._log.partitions(topic)

    def send(self, record: SinkRecord, on_report: OnReport | None = None) -> None:
        with self._lock:
            self._waiting.append((record._replace(partition=self._partition(record)), time.monotonic(), on_report))
            if len(self._waiting) >= _BATCH:
                self._write()
        self._has_records.set()

    def poll(self, timeout_s: float) -> None:
        """Write the records that wait; if there are none, wait up to the timeout (in seconds) for one."""
        self._has_records.wait(timeout_s)
        with self._lock:
            self._write()

    def flush(self) -> DeliveryTotals:
        """Write the records that wait, and return the totals."""
        with self._lock:
            self._write()
            return self._counter.totals()

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
        self._has_records.clear()
        if not self._waiting:
            return
        waiting = self._waiting
        records = [record for record, _, _ in waiting]
        before = {place: self._log.end_offset(*place) for place in set(map(_place, records))}
        self._sink.write(self._writer, 0, self._batches, records)  # with the same number and records again if it fails
        self._waiting = []
        self._batches += 1
        now = time.monotonic()
        for (record, sent, on_report), offset in zip(waiting, self._offsets(records, before), strict=True):
            latency_ms = (now - sent) * 1000
            self._counter.add(latency_ms)
            report = DeliveryReport(record.topic, record.partition or 0, offset, latency_ms, None)
            for receive in (self._on_report, on_report):
                if receive is not None:
                    receive(report)

    def _offsets(self, records: Sequence[SinkRecord], before: Mapping[tuple[str, int], int]) -> list[int]:
        """Return the offsets of records that were written at or after the offsets `before`, in one piece in each partition."""
        following = {}
        for place, begin in before.items():
            own = [_content(record) for record in records if _place(record) == place]
            end = self._log.end_offset(*place)
            following[place] = begin if end - begin == len(own) else self._find(place, begin, end, own)
        offsets = []
        for place in map(_place, records):
            offsets.append(following[place])
            following[place] += 1
        return offsets

    def _find(self, place: tuple[str, int], begin: int, end: int, own: Sequence[object]) -> int:
        """Return the offset of the first of these records, among which another writer has written."""
        found = [record for batch in self._log.read(*place, begin, end) for record in batch]
        contents = list(map(_content, found))
        at = next(first for first in range(len(found)) if contents[first : first + len(own)] == own)
        return found[at].offset


def _place(record: SinkRecord) -> tuple[str, int]:
    return record.topic, record.partition or 0


def _content(record: SinkRecord | LogRecord) -> object:
    return record.key, record.value, record.timestamp, record.headers
