"""Reads one partition in large batches, going on where the last range ended without a new fetch."""

import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from confluent_kafka import Consumer, KafkaError, Message, TopicPartition

from eddyline.adapters.kafka.clients import LOGGER, new_consumer
from eddyline.adapters.kafka.errors import BrokerError, BrokerUnavailableError
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_log import LogRecord, OffsetOutOfRangeError, UnknownTopicError

_GROUP = "eddyline-reader"
_BATCH = 2_000
_POLL_S = 0.5
_SKIP_AT_MOST = 50_000
_NOWHERE = -1

_DEFAULTS = {
    "fetch.queue.backoff.ms": "5",
    "fetch.wait.max.ms": "100",
    "fetch.message.max.bytes": "2097152",
    "queued.max.messages.kbytes": "16384",
}
"""By itself the client would rest for a second whenever its queue is full, hold 64 MB of a partition, and tell of the
partition's end after half a second."""

_GONE = {"UNKNOWN_TOPIC_OR_PART", "UNKNOWN_TOPIC_ID", "_UNKNOWN_PARTITION", "_UNKNOWN_TOPIC"}
_PASSING = {
    "_ALL_BROKERS_DOWN",
    "_RESOLVE",
    "_TIMED_OUT",
    "_TRANSPORT",
    "FENCED_LEADER_EPOCH",
    "KAFKA_STORAGE_ERROR",
    "LEADER_NOT_AVAILABLE",
    "NETWORK_EXCEPTION",
    "NOT_LEADER_FOR_PARTITION",
    "OFFSET_NOT_AVAILABLE",
    "REPLICA_NOT_AVAILABLE",
    "REQUEST_TIMED_OUT",
    "UNKNOWN_LEADER_EPOCH",
}
_FIXED = {"enable.partition.eof": True, "auto.offset.reset": "error"}


class PartitionReader:
    """A consumer of one partition that remembers how far it has come.

    Everything below `_scanned` has been fetched; what of it was not wanted yet waits in `_ahead`, and nothing between
    `_given` and that was there at all. So a range that begins at or soon after `_given` needs no new fetch.
    """

    def __init__(self, settings: KafkaSettings, topic: str, partition: int) -> None:
        self._settings = settings
        self._topic = topic
        self._partition = partition
        self._consumer: Consumer = new_consumer(settings, _GROUP, defaults=_DEFAULTS, fixed=_FIXED)
        self._given = _NOWHERE
        self._scanned = _NOWHERE
        self._ahead: list[Message] = []

    def read(self, start: int, end: int, timeout_s: float) -> Iterator[Sequence[LogRecord]]:
        """The records with `start <= offset < end` in batches; `end` must not lie above what can be read now.

        Ends when the consumer has passed `end`, also where the last offsets hold no record (transaction marks, aborted or
        compacted records). Raises OffsetOutOfRangeError when the partition no longer has `start`, and BrokerUnavailableError
        after `timeout_s` without any news of the broker.
        """
        self._go_to(start)
        try:
            yield from self._batches(start, end, timeout_s)
        except GeneratorExit:
            raise
        except BaseException:
            self._given = _NOWHERE
            raise

    def close(self) -> None:
        """Leaves the broker."""
        self._consumer.close()

    def _batches(self, start: int, end: int, timeout_s: float) -> Iterator[Sequence[LogRecord]]:
        deadline = time.monotonic() + timeout_s
        while True:
            batch = self._take(start, end)
            if batch:
                yield batch
            if self._ahead or self._scanned >= end:
                return
            if self._fetch(start):
                deadline = time.monotonic() + timeout_s
            elif time.monotonic() > deadline:
                raise BrokerUnavailableError(
                    f"{self._place()}: no record and no end of the partition seen for {timeout_s:.0f} s "
                    f"at offset {self._scanned}, on the way from {start} to {end}; "
                    f"are the brokers at {self._settings.bootstrap_servers} up?"
                )

    def _go_to(self, start: int) -> None:
        if self._given != _NOWHERE and self._given <= start <= max(self._given, self._scanned) + _SKIP_AT_MOST:
            return
        self._consumer.assign([TopicPartition(self._topic, self._partition, start)])
        self._given = self._scanned = start
        self._ahead = []

    def _take(self, start: int, end: int) -> list[LogRecord]:
        ahead = self._ahead
        if not ahead:
            return []
        first = bisect_left(ahead, start, key=_offset) if _offset(ahead[0]) < start else 0
        last = bisect_left(ahead, end, key=_offset) if _offset(ahead[-1]) >= end else len(ahead)
        self._ahead = ahead[last:]
        if last:
            self._given = _offset(ahead[last - 1]) + 1
        topic, partition = self._topic, self._partition
        return [
            LogRecord(
                topic,
                partition,
                message.offset(),  # type: ignore[arg-type] # a record that was read has one
                message.timestamp()[1],
                message.key(),
                message.value(),
                () if (headers := message.headers()) is None else tuple(cast("Iterable[tuple[str, bytes | None]]", headers)),
            )
            for message in (ahead if first == 0 and last == len(ahead) else ahead[first:last])
        ]

    def _fetch(self, start: int) -> bool:
        messages = self._consumer.consume(1, _POLL_S)
        if messages:
            messages += self._consumer.consume(_BATCH - 1, 0)
        self._ahead = [message for message in messages if message.error() is None]
        if self._ahead:
            self._scanned = _offset(self._ahead[-1]) + 1
        if len(self._ahead) != len(messages):
            for message in messages:
                if (error := message.error()) is not None:
                    self._consider(error, _offset(message), start)
        return bool(messages)

    def _consider(self, error: KafkaError, offset: int, start: int) -> None:
        code = error.code()
        if code == KafkaError._PARTITION_EOF:  # noqa: SLF001 - that is the constant's public name
            self._scanned = max(self._scanned, offset)
            return
        if code == KafkaError._AUTO_OFFSET_RESET:  # noqa: SLF001 - likewise
            raise OffsetOutOfRangeError(
                f"{self._place()}: offset {max(start, self._scanned)} is no longer there; retention removed it while it was read"
            )
        if error.name() in _GONE:
            raise UnknownTopicError(f"{self._place()} is gone: it was deleted while it was read")
        text = self._settings.hide(f"{self._place()} at offset {self._scanned}: {error.str()} ({error.name()})")
        if error.name() not in _PASSING and not error.retriable():
            raise BrokerError(text)
        LOGGER.warning("%s; trying again", text)

    def _place(self) -> str:
        return f"topic {self._topic!r}, partition {self._partition}"


def _offset(message: Message) -> int:
    return cast("int", message.offset())
