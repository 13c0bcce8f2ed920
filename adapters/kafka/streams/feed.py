"""Reads several partitions with one consumer, and keeps their records until they are processed."""

import time
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, cast

from confluent_kafka import Consumer, KafkaError, KafkaException, Message
from confluent_kafka import TopicPartition as ClientPartition

from eddyline.adapters.kafka.clients.broker_errors import as_broker_error, partition_label
from eddyline.adapters.kafka.clients.error_codes import TRANSIENT
from eddyline.adapters.kafka.clients.factory import READER_GROUP, new_consumer
from eddyline.adapters.kafka.clients.logs import CLIENT_LOGGER
from eddyline.adapters.kafka.metadata import UNKNOWN_PARTITION, UNKNOWN_TOPIC_ID, has_partition
from eddyline.adapters.kafka.records import log_records
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_log import LogRecord, OffsetOutOfRangeError, TopicPartition, UnknownTopicError
from eddyline.application.ports.task_streams import Available, Feed
from eddyline.application.runtime.plan.options import INPUT_BUFFER_MAX_BYTES

_BATCH: Final = 4_000
_MOST_KEPT: Final = 50_000
_DEFAULTS: Final = {
    "fetch.queue.backoff.ms": "5",
    "fetch.error.backoff.ms": "100",
    "fetch.wait.max.ms": "100",
    "queued.max.messages.kbytes": "32768",
    "reconnect.backoff.max.ms": "1000",
}
_FIXED: Final = {"enable.partition.eof": True, "auto.offset.reset": "error"}


class KafkaFeed(Feed):
    """A consumer of partitions that are assigned to it; it is no member of a group.

    Whether a partition holds more records is known from the last answer of the brokers. While they do not answer, all
    partitions may.

    Args:
        settings: Settings of the consumer.
        unlimited: The topics of which everything is announced at once, those of global tables.
        most_bytes: How many bytes of records are kept, about: above, the partitions that have more than their share are paused.
    """

    def __init__(
        self, settings: KafkaSettings, unlimited: Collection[str] = (), most_bytes: int = INPUT_BUFFER_MAX_BYTES
    ) -> None:
        self._settings, self._unlimited, self._most_bytes = settings, unlimited, most_bytes
        self._consumer: Consumer = new_consumer(settings, READER_GROUP, defaults=_DEFAULTS, fixed=_FIXED)
        self._assigned: dict[tuple[str | None, int | None], tuple[TopicPartition, ClientPartition]] = {}
        self._kept: dict[tuple[str, int], list[LogRecord]] = {}
        self._sizes: dict[TopicPartition, int] = {}
        self._ends: dict[TopicPartition, int] = {}
        self._announced: dict[TopicPartition, int] = {}
        self._waiting: dict[TopicPartition, int] = {}
        self._behind: set[TopicPartition] = set()
        self._paused: set[TopicPartition] = set()
        self._out_of_reach = False

    def seek(self, positions: Mapping[TopicPartition, int]) -> None:
        self._consumer.assign([ClientPartition(*partition, offset) for partition, offset in positions.items()])
        self._assigned = {partition: (partition, ClientPartition(*partition)) for partition in positions}
        self._kept = {partition: [] for partition in positions}
        self._sizes = dict.fromkeys(positions, 0)
        self._ends, self._announced = dict(positions), dict(positions)
        self._waiting.clear()
        self._behind = set(positions)
        self._paused.clear()

    def poll(self, timeout_s: float, limit: int) -> Available:
        deadline = time.monotonic() + timeout_s
        while True:
            was_out_of_reach = self._out_of_reach
            if not self._waiting:
                self._waiting = self._receive(timeout_s)
            ends = self._share(limit)
            timeout_s = deadline - time.monotonic()
            if ends or was_out_of_reach or self._out_of_reach or timeout_s <= 0:
                behind = {*self._behind, *self._waiting} if self._waiting else self._behind
                return Available(ends, set(self._ends) if self._out_of_reach else behind, self._out_of_reach)

    def _share(self, limit: int) -> dict[TopicPartition, int]:
        """Return how far the partitions that have changed may be read, for about as many records as the limit says."""
        ends, announced = self._waiting, self._announced
        waiting = {at: end - announced[at] for at, end in ends.items() if at.topic not in self._unlimited}
        total = sum(waiting.values())
        self._waiting = {}
        if total > limit:
            for at, count in waiting.items():
                taken = -(-limit * count // total)
                if taken < count:
                    self._waiting[at] = ends[at]
                    ends[at] = announced[at] + taken
        announced.update(ends)
        return ends

    def _receive(self, timeout_s: float) -> dict[TopicPartition, int]:
        """Wait for a message, take those that follow it, and return how far the partitions that have changed can be read.

        The end of a partition is a message, too. It often tells nothing new: an answer of a broker about some partitions repeats
        the ends of all others that have had records since.
        """
        messages = self._consumer.consume(1, timeout_s)
        ends: dict[TopicPartition, int] = {}
        if not messages:
            if self._out_of_reach:
                self._out_of_reach = not self._answers()
            return ends
        messages += self._consumer.consume(_BATCH - 1, 0)
        by_partition: dict[tuple[str | None, int | None], list[Message]] = {}
        for message in messages:
            error = message.error()
            if error is None:
                by_partition.setdefault((message.topic(), message.partition()), []).append(message)
            else:
                self._handle(error, message, ends)
        for name, found in by_partition.items():
            if name in self._assigned:
                self._out_of_reach = False
                at, _ = self._assigned[name]
                records = log_records(*at, found)
                self._kept[at] += records
                self._sizes[at] += sum(map(_size, records.keys, records.values))
                self._limit(at)
                end = records[-1].offset + 1
                if end > ends.get(at, 0):
                    ends[at] = end
        for at, end in ends.items():
            self._ends[at] = end
            self._note_end(at, end)
        return ends

    def retract(self, positions: Mapping[TopicPartition, int]) -> None:
        self._waiting.update({at: self._ends[at] for at in positions})
        self._announced.update(positions)

    def read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        kept = self._kept[topic, partition]
        if kept:
            first = bisect_left(kept, start, key=_offset) if kept[0].offset < start else 0
            last = bisect_left(kept, end, key=_offset) if kept[-1].offset >= end else len(kept)
            if first < last:
                return iter((kept[first:last],))
        return iter(())

    def release(self, partition: TopicPartition, offset: int) -> None:
        kept = self._kept.get(partition)
        if not kept:
            return
        if kept[-1].offset < offset:
            kept.clear()
            self._sizes[partition] = 0
        elif kept[0].offset < offset:
            released = bisect_left(kept, offset, key=_offset)
            self._sizes[partition] -= sum(_size(record.key, record.value) for record in kept[:released])
            del kept[:released]
        self._limit(partition)

    def close(self) -> None:
        self._consumer.close()

    def _limit(self, partition: TopicPartition) -> None:
        """Pause a partition that has too many records, or bytes while all together have; resume it at half of that."""
        count, size, share = len(self._kept[partition]), self._sizes[partition], self._most_bytes // len(self._sizes)
        if partition not in self._paused:
            if count > _MOST_KEPT or (size > share and sum(self._sizes.values()) > self._most_bytes):
                self._paused.add(partition)
                self._consumer.pause([ClientPartition(*partition)])
        elif count <= _MOST_KEPT // 2 and size <= share // 2:
            self._paused.discard(partition)
            self._consumer.resume([ClientPartition(*partition)])

    def _note_end(self, at: TopicPartition, end: int) -> None:
        """Note whether the log holds more records of a partition, by the last answer of the brokers."""
        _, latest = self._consumer.get_watermark_offsets(self._assigned[at][1], cached=True)
        if 0 <= latest <= end:
            self._behind.discard(at)
        else:
            self._behind.add(at)

    def _handle(self, error: KafkaError, message: Message, ends: dict[TopicPartition, int]) -> None:
        code, at = error.code(), TopicPartition(cast("str", message.topic()), cast("int", message.partition()))
        if code == KafkaError._PARTITION_EOF:  # noqa: SLF001 - that is the constant's public name
            self._out_of_reach = False
            end = cast("int", message.offset())
            known = self._ends.get(at)
            if known is not None and (end > known or (end == known and at in self._behind)):
                ends[at] = self._ends[at] = end
                self._behind.discard(at)
            return
        if code == KafkaError._AUTO_OFFSET_RESET:  # noqa: SLF001 - likewise
            raise OffsetOutOfRangeError(
                f"{partition_label(*at)}: offset {self._ends.get(at)} no longer exists; retention deleted it before it was read"
            )
        name = error.name()
        if name == UNKNOWN_TOPIC_ID or (name in UNKNOWN_PARTITION and not has_partition(self._settings, self._consumer, *at)):
            raise UnknownTopicError(f"{partition_label(*at)} no longer exists; the topic was deleted during the run")
        failure = as_broker_error(self._settings, "read the source topics", KafkaException(error))
        if name not in TRANSIENT | UNKNOWN_PARTITION and not error.retriable():
            raise failure
        self._out_of_reach = True
        CLIENT_LOGGER.warning("%s; waiting", failure)

    def _answers(self) -> bool:
        """Return whether the brokers answer again."""
        try:
            for at in tuple(self._ends)[:1]:
                self._consumer.get_watermark_offsets(ClientPartition(*at), timeout=0.2)
        except KafkaException:
            return False
        return True


def _size(key: bytes | None, value: bytes | None) -> int:
    return len(key or b"") + len(value or b"")


def _offset(record: LogRecord) -> int:
    return record.offset
