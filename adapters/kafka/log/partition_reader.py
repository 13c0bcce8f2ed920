"""Reads one partition in large batches; a range that continues the previous one needs no new fetch."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from eddyline.adapters.kafka.clients.broker_errors import as_broker_error, partition_label, unavailable
from eddyline.adapters.kafka.clients.deadline import Deadline
from eddyline.adapters.kafka.clients.error_codes import TRANSIENT
from eddyline.adapters.kafka.clients.factory import READER_GROUP, new_consumer
from eddyline.adapters.kafka.clients.logs import CLIENT_LOGGER
from eddyline.adapters.kafka.log.read_ahead import READ_AHEAD
from eddyline.adapters.kafka.metadata import UNKNOWN_PARTITION, UNKNOWN_TOPIC_ID, has_partition
from eddyline.adapters.kafka.records import log_records
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_log import LogRecord, OffsetOutOfRangeError, UnknownTopicError
from eddyline.application.ports.log_columns import LogColumns

_BATCH = 2_048
_POLL_S = 0.5
_MAX_SKIPPED = 50_000
_UNASSIGNED = -1
_RECORD_BYTES: Final = 200
"""What a record takes besides the bytes of its value, about: key, offset, timestamp and the objects of Python."""

_DEFAULTS = {
    "queued.min.messages": "1",
    "fetch.queue.backoff.ms": "5",
    "fetch.wait.max.ms": "100",
    "fetch.message.max.bytes": "2097152",
    "queued.max.messages.kbytes": "16384",
}
"""By default the client pauses for a second whenever its queue is full, prefetches 64 MB per partition, and reports the end of
a partition after half a second. It fetches while fewer than 100,000 records are queued: at the end of a topic that would be a
request for each new record. With at least one in the queue, the others wait at the brokers until a range is read."""

_FIXED = {"enable.partition.eof": True, "auto.offset.reset": "error"}


class _Fetched(NamedTuple):
    """The records that a poll has returned, its errors with their offsets, and the bytes that they take from the budget."""

    records: LogColumns
    errors: Sequence[tuple[KafkaError, int]]
    size: int = 0


class PartitionReader:
    """A consumer of one partition that keeps its position between reads.

    All records below the offset `_fetched_to` have been fetched. Those that were not returned yet are in `_buffer`, and
    between the offset `_returned_to` and the first of them there are no records. So a range that starts at or soon after
    `_returned_to` needs no seek. What was fetched after a range of some length is in `_ahead`.
    """

    def __init__(self, settings: KafkaSettings, topic: str, partition: int) -> None:
        self._settings = settings
        self._topic = topic
        self._partition = partition
        self._label = partition_label(topic, partition)
        self._consumer: Consumer = new_consumer(settings, READER_GROUP, defaults=_DEFAULTS, fixed=_FIXED)
        self._returned_to = _UNASSIGNED
        self._fetched_to = _UNASSIGNED
        self._buffer = self._no_records = LogColumns(topic, partition, (), (), (), (), ())
        self._ahead: deque[_Fetched] = deque()
        self._wanted = 0

    def read(self, start: int, end: int, timeout_s: float) -> Iterator[Sequence[LogRecord]]:
        """Yield the records with `start <= offset < end` in batches.

        The iteration ends when the consumer has passed `end`, even if the last offsets have no record (transaction markers,
        aborted or compacted records).

        Args:
            start: The first offset.
            end: The end of the range, exclusive; at most the end offset of the partition.
            timeout_s: How many seconds to wait for the next record or the end of the partition.

        Raises:
            OffsetOutOfRangeError: the offset `start` no longer exists.
            UnknownTopicError: the topic was deleted.
            BrokerUnavailableError: neither a record nor the end of the partition arrived in time.
        """
        READ_AHEAD.begin_range()
        try:
            self._seek(start)
            yield from self._batches(start, end, timeout_s)
            self._wanted = end - start
        except GeneratorExit:
            raise
        except BaseException:
            self._returned_to = _UNASSIGNED
            raise
        finally:
            READ_AHEAD.end_range()
        if self._wanted >= _BATCH:
            READ_AHEAD.follow(self)

    def fetch_ahead(self, budget: int) -> int | None:
        """Fetch what has arrived after the range that was read last, until as many records are there."""
        if self._wanted <= 0 or budget <= 0:
            return None
        records, errors, _ = self._poll(0)
        size = sum(map(len, filter(None, records.values))) + _RECORD_BYTES * len(records)
        if records or errors:
            self._ahead.append(_Fetched(records, errors, size))
            self._wanted -= len(records)
        if errors:
            self._wanted = 0
        return size

    def close(self) -> None:
        """Close the consumer."""
        READ_AHEAD.forget(self)
        self._drop_ahead()
        self._consumer.close()

    def _batches(self, start: int, end: int, timeout_s: float) -> Iterator[Sequence[LogRecord]]:
        deadline = Deadline(timeout_s)
        while True:
            batch = self._take(start, end)
            if batch:
                yield batch
            if self._buffer or self._fetched_to >= end:
                return
            if self._fetch(start):
                deadline = Deadline(timeout_s)
            elif deadline.has_passed():
                raise unavailable(
                    self._settings,
                    f"read {self._label}",
                    f"neither a record nor the end of the partition arrived within {timeout_s:.0f} s "
                    f"at offset {self._fetched_to} of the range {start} to {end}",
                )

    def _seek(self, start: int) -> None:
        latest_start = max(self._returned_to, self._fetched_to) + _MAX_SKIPPED
        if self._returned_to != _UNASSIGNED and self._returned_to <= start <= latest_start:
            return
        self._assign(start)

    def _assign(self, start: int) -> None:
        self._consumer.assign([TopicPartition(self._topic, self._partition, start)])
        self._returned_to = self._fetched_to = start
        self._buffer = self._no_records
        self._drop_ahead()

    def _drop_ahead(self) -> None:
        READ_AHEAD.release(sum(fetched.size for fetched in self._ahead))
        self._ahead.clear()

    def _take(self, start: int, end: int) -> Sequence[LogRecord]:
        offsets = self._buffer.offsets
        if not offsets:
            return []
        first = bisect_left(offsets, start) if offsets[0] < start else 0
        last = bisect_left(offsets, end) if offsets[-1] >= end else len(offsets)
        if last:
            self._returned_to = offsets[last - 1] + 1
        taken = self._buffer if first == 0 and last == len(offsets) else self._buffer[first:last]
        self._buffer = self._buffer[last:] if last < len(offsets) else self._no_records
        return taken

    def _fetch(self, start: int) -> bool:
        """Fetch into the buffer, and return whether a record or the end of the partition arrived."""
        if self._ahead:
            self._buffer, errors, size = self._ahead.popleft()
            READ_AHEAD.release(size)
        else:
            self._buffer, errors, _ = self._poll(_POLL_S)
        if self._buffer:
            self._fetched_to = self._buffer.offsets[-1] + 1
        progress = bool(self._buffer)
        for error, offset in errors:
            progress |= self._handle(error, offset, start)
        return progress

    def _poll(self, timeout_s: float) -> _Fetched:
        messages = self._consumer.consume(1, timeout_s) if timeout_s else []
        if messages or not timeout_s:
            messages += self._consumer.consume(_BATCH - len(messages), 0)
        errors = list(map(Message.error, messages))
        if not any(errors):
            return _Fetched(log_records(self._topic, self._partition, messages), ())
        valid = [message for message, error in zip(messages, errors, strict=True) if error is None]
        failed: Any = [(error, message.offset()) for message, error in zip(messages, errors, strict=True) if error is not None]
        return _Fetched(log_records(self._topic, self._partition, valid), failed)

    def _handle(self, error: KafkaError, offset: int, start: int) -> bool:
        """Raise the error, unless it is the end of the partition (True) or may go away (False)."""
        code = error.code()
        if code == KafkaError._PARTITION_EOF:  # noqa: SLF001 - that is the constant's public name
            self._fetched_to = max(self._fetched_to, offset)
            return True
        if code == KafkaError._AUTO_OFFSET_RESET:  # noqa: SLF001 - likewise
            if self._fetched_to < start:  # what was deleted lies between the previous range and this one
                self._assign(start)
                return False
            raise OffsetOutOfRangeError(
                f"{self._label}: offset {self._fetched_to} no longer exists; retention deleted it during the read"
            )
        name = error.name()
        if name == UNKNOWN_TOPIC_ID or (
            name in UNKNOWN_PARTITION and not has_partition(self._settings, self._consumer, self._topic, self._partition)
        ):
            raise UnknownTopicError(f"{self._label} no longer exists; the topic was deleted during the read")
        failure = as_broker_error(self._settings, f"read {self._label} at offset {self._fetched_to}", KafkaException(error))
        if name not in TRANSIENT | UNKNOWN_PARTITION and not error.retriable():
            raise failure
        CLIENT_LOGGER.warning("%s; retrying", failure)
        return False
