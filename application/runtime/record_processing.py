"""How a task processes records: it finds the event time, advances stream time, and calls the operators."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from eddyline.application.operators.context import NO_TIME, DropReason, Forward
from eddyline.application.runtime.idle_sources import IdleSources
from eddyline.application.runtime.incoming_columns import rows_of
from eddyline.application.runtime.interruption import NEVER, Interruption
from eddyline.application.runtime.paths import apply
from eddyline.application.runtime.processing_together import Together, Work
from eddyline.application.runtime.punctuation import Punctuation
from eddyline.application.runtime.record_queue import IncomingRecord
from eddyline.application.runtime.task_context import TaskContext
from eddyline.application.topology.by_topic import ByTopic
from eddyline.application.topology.records import Headers, SourceRecord
from eddyline.application.topology.timestamps import MAX_TIMESTAMP

Extractor: TypeAlias = Callable[[SourceRecord], int | None]


class RecordProcessing(TaskContext):
    """The part of a task that processes records."""

    interruption: Interruption = NEVER
    """Whether `process_all` is to return after the record that it is processing."""
    idle_sources: IdleSources | None = None
    _path: Together | None = None
    _sources: ByTopic[tuple[Forward, Extractor | None, str]]
    _global_topics: set[str]
    _by_stream_time: list[Punctuation]

    def event_time(self, record: SourceRecord) -> int | None:
        """Return the timestamp that the extractor of the topic gives to a record, None if it is invalid."""
        extractor = self._sources[record.topic][1]
        if extractor is None:
            return record.timestamp
        timestamp = extractor(record)
        return None if timestamp is None or timestamp < 0 else timestamp

    def process(
        self,
        topic: str,
        key: Any,
        value: Any,
        timestamp: int,
        headers: Headers = (),
        *,
        partition: int = 0,
        offset: int = -1,
    ) -> None:
        """Process a record, then run the stream-time punctuations that are due.

        `timestamp` is that of the log, in ms since the epoch; the timestamp extractor of the topic may replace it.
        """
        entry, extractor, step = self._sources[topic]
        try:
            self._current = (topic, partition, offset, timestamp, headers)
            if extractor is not None or timestamp > self.stream_time or timestamp < 0:
                timestamp = self._observe(extractor, step, SourceRecord(topic, partition, offset, timestamp, key, value, headers))
                if timestamp < 0:
                    return
            entry(key, value, timestamp, headers)
            if self._by_stream_time:
                self._punctuate(self._by_stream_time, self.stream_time)
        except Exception as error:
            self._failed(error, SourceRecord(topic, partition, offset, timestamp, key, value, headers))
            raise

    def process_all(self, records: Sequence[IncomingRecord]) -> Sequence[int]:
        """Process records in order, as `process` does; return the number of outputs after each, or nothing if there are none.

        Once it is interrupted, it leaves the records after the present one, so that the numbers returned are fewer.
        """
        path = None if self._by_stream_time or self._output else self._path
        return () if path is not None and self._processed_together(path, records) else self.process_in_order(records)

    def process_in_order(self, records: Sequence[IncomingRecord]) -> Sequence[int]:
        """Process records one by one, as `process_all` does."""
        sources, by_stream_time, output, ends = self._sources, self._by_stream_time, self._output, list[int]()
        append, before, entry, extractor, step = ends.append, None, None, None, ""
        global_topics, interruption = self._global_topics, self.interruption
        for topic, partition, offset, timestamp, key, value, headers, _ in rows_of(records):
            if topic is not before:
                entry, extractor, step = sources[topic]
                before = topic
            try:
                self._current = (topic, partition, offset, timestamp, headers)
                if extractor is None and self.stream_time < timestamp <= MAX_TIMESTAMP and topic not in global_topics:
                    self.stream_time = timestamp
                elif extractor is not None or timestamp > self.stream_time or timestamp < 0:
                    record = SourceRecord(topic, partition, offset, timestamp, key, value, headers)
                    timestamp = self._observe(extractor, step, record)  # noqa: PLW2901 - the event time
                    if timestamp < 0:
                        append(len(output))
                        continue
                entry(key, value, timestamp, headers)  # type: ignore[misc] # that of the topic
                if by_stream_time:
                    self._punctuate(by_stream_time, self.stream_time)
            except Exception as error:
                self._failed(error, SourceRecord(topic, partition, offset, timestamp, key, value, headers))
                raise
            append(len(output))
            if interruption.requested:
                break
        return ends

    def process_each(self, records: Iterable[IncomingRecord]) -> Sequence[int]:
        """Call `process` for records in order, until it is interrupted; return the number of outputs after each of them."""
        ends = []
        for topic, partition, offset, timestamp, key, value, headers, _ in records:
            self.process(topic, key, value, timestamp, headers, partition=partition, offset=offset)
            ends.append(len(self._output))
            if self.interruption.requested:
                break
        return ends

    def _processed_together(self, path: Together, records: Sequence[IncomingRecord]) -> bool:
        """Process records together; return False if they must be processed one by one."""
        try:
            work = path.work_of(records)
        except Exception:  # noqa: BLE001 - nothing is changed yet: it is raised again where it belongs, for its record
            return False
        self._do(work, records)
        return True

    def _do(self, work: Work, records: Sequence[IncomingRecord]) -> None:
        """Do what is to be done with records; if that fails, the current record is the one that has caused it."""
        self._current, self._together = None, records
        try:
            if self.idle_sources is not None:
                for topic, newest in work.newest.items():
                    self.idle_sources.saw(self._sources[topic][2], newest)
            apply(work.effects)
        except Exception as error:
            record = self._processed_now()
            if record is not None:
                topic, partition, offset, timestamp, key, value, headers, _ = record
                self._current = (topic, partition, offset, timestamp, headers)
                self._failed(error, SourceRecord(topic, partition, offset, timestamp, key, value, headers))
            raise
        finally:
            self._together, self._processing = (), None
        self.stream_time = max(self.stream_time, *work.newest.values())

    def _observe(self, extractor: Extractor | None, step: str, record: SourceRecord) -> int:
        """Return the event time of a record, and advance stream time; drop it and return NO_TIME if its time is invalid."""
        topic, partition, offset, timestamp, key, value, headers = record
        if extractor is not None:
            self._current = None
            found = extractor(record)
            timestamp = NO_TIME if found is None else found
            self._current = (topic, partition, offset, timestamp, headers)
        if timestamp < 0 or timestamp > MAX_TIMESTAMP:
            self.drop(step, DropReason.INVALID_TIMESTAMP, key, value, timestamp, headers)
            return NO_TIME
        if timestamp > self.stream_time and topic not in self._global_topics:
            self.stream_time = timestamp
        return timestamp

    @abstractmethod
    def _punctuate(self, punctuations: Iterable[Punctuation], now: int) -> None:
        """Run the punctuations that are due."""

    @abstractmethod
    def _failed(self, error: Exception, record: SourceRecord | None = None, node: str = "") -> None:
        """Note in an exception where it was raised."""
