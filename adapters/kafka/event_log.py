"""The event log on Kafka topics."""

import time
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from confluent_kafka import Consumer, TopicPartition

from eddyline.adapters.kafka.clients import LOGGER, Kept, broker_errors, new_consumer
from eddyline.adapters.kafka.errors import BrokerError, BrokerUnavailableError, KafkaSettingsError
from eddyline.adapters.kafka.group_offsets import commit_group_offsets
from eddyline.adapters.kafka.partition_reader import PartitionReader
from eddyline.adapters.kafka.settings import KafkaSettings, Value
from eddyline.adapters.kafka.topics import partition_count, topic_names
from eddyline.application.ports import event_log as ports
from eddyline.application.ports.event_log import EventLog, LogRecord, OffsetOutOfRangeError

_QUESTIONS_GROUP = "eddyline-questions"
_READERS: Kept[PartitionReader] = Kept(limit=32, close=PartitionReader.close)
_QUESTIONERS: Kept[Consumer] = Kept(limit=4, close=Consumer.close)
_PAUSE_S = 0.2
_JUMPS = {
    "error": None,
    "none": None,
    "earliest": "earliest",
    "smallest": "earliest",
    "beginning": "earliest",
    "latest": "latest",
    "largest": "latest",
    "end": "latest",
}


class KafkaEventLog(EventLog):
    """Topics of a Kafka cluster; only committed records are seen, and the end is the last stable offset.

    `settings` are Kafka's dotted names (KafkaSettings). With `isolation.level=read_uncommitted` all records are seen.
    `auto.offset.reset` says what happens to a range whose first offsets were removed by retention: `error` (the default)
    raises OffsetOutOfRangeError, `earliest` goes on at the first record that is left, `latest` leaves the range out; both
    log a warning with the number of offsets lost.
    `timeout_s` is how long a read waits for brokers that do not answer. Consumers are kept within the process and used again
    by every log with the same settings.
    Besides the port's errors all methods raise BrokerError.
    """

    def __init__(self, settings: KafkaSettings | Mapping[str, Value], *, timeout_s: float = 120.0) -> None:
        self._settings = settings if isinstance(settings, KafkaSettings) else KafkaSettings(settings)
        self._timeout_s = timeout_s
        wanted = self._settings.consumer().get("auto.offset.reset", "error")
        if wanted not in _JUMPS:
            raise KafkaSettingsError(f"auto.offset.reset={wanted} is unknown; the choices are: error, earliest, latest")
        self._jump = _JUMPS[wanted]

    def topics(self) -> Sequence[str]:
        with self._questioner() as consumer:
            return topic_names(self._settings, consumer)

    def partitions(self, topic: str) -> int:
        with self._questioner() as consumer:
            return partition_count(self._settings, consumer, topic)

    def beginning_offset(self, topic: str, partition: int) -> int:
        return self._range(topic, partition)[0]

    def end_offset(self, topic: str, partition: int) -> int:
        return self._range(topic, partition)[1]

    def offset_for_time(self, topic: str, partition: int, timestamp: int) -> int:
        """The first offset whose record has this timestamp (ms since epoch) or a later one; the end where there is none."""
        with self._questioner() as consumer:
            self._check_partition(consumer, topic, partition)
            with broker_errors(self._settings, f"look up a time in topic {topic!r}"):
                found = consumer.offsets_for_times(
                    [TopicPartition(topic, partition, timestamp)], timeout=self._settings.request_timeout_s
                )
        offset: int = found[0].offset
        return offset if offset >= 0 else self.end_offset(topic, partition)

    def read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        begin, last = self._range(topic, partition)
        if end > last or start > end:
            raise OffsetOutOfRangeError(
                f"topic {topic!r}, partition {partition}: offsets {start} to {end} were asked for, but Kafka has {begin} "
                f"to {last}. If the topic was deleted and made anew, reset the flow"
            )
        if start < begin:
            start = self._jumped(topic, partition, start, begin, end)
        return self._read(topic, partition, start, end)

    def commit_offsets(self, application_id: str, offsets: Mapping[ports.TopicPartition, int]) -> None:
        try:
            commit_group_offsets(self._settings, application_id, {(topic, number): at for (topic, number), at in offsets.items()})
        except BrokerError as error:
            LOGGER.warning("lag tools will not see how far %r has come: %s", application_id, error)

    def close(self) -> None:
        _READERS.close_all(self._owns)
        _QUESTIONERS.close_all(self._owns)

    def __repr__(self) -> str:
        return f"KafkaEventLog({self._settings.bootstrap_servers})"

    def _read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        if start >= end:
            return
        key = (self._settings, topic, partition)
        with _READERS.borrowed(key, lambda: PartitionReader(self._settings, topic, partition)) as reader:
            while start < end:
                try:
                    for batch in reader.read(start, end, self._timeout_s):
                        start = batch[-1].offset + 1
                        yield batch
                except OffsetOutOfRangeError:
                    begin = self.beginning_offset(topic, partition)
                    if begin <= start:
                        raise
                    start = self._jumped(topic, partition, start, begin, end)
                else:
                    return

    def _jumped(self, topic: str, partition: int, start: int, begin: int, end: int) -> int:
        place = f"topic {topic!r}, partition {partition}"
        if self._jump is None:
            raise OffsetOutOfRangeError(
                f"{place}: offsets {start} to {end} were asked for, but it begins at {begin} now: "
                f"retention removed {min(begin, end) - start} offsets. "
                "Reset the flow, or set auto.offset.reset=earliest to go on without them"
            )
        target = end if self._jump == "latest" else min(begin, end)
        LOGGER.warning(
            "%s: offsets %d to %d were asked for, but it begins at %d now: %d offsets are left out, as auto.offset.reset=%s says",
            place,
            start,
            end,
            begin,
            target - start,
            self._jump,
        )
        return target

    def _range(self, topic: str, partition: int) -> tuple[int, int]:
        """Where the partition begins and ends now; waits for a leader where brokers are just coming back."""
        deadline = time.monotonic() + self._settings.request_timeout_s
        while True:
            try:
                return self._ask_range(topic, partition)
            except BrokerUnavailableError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(_PAUSE_S)

    def _ask_range(self, topic: str, partition: int) -> tuple[int, int]:
        with self._questioner() as consumer:
            self._check_partition(consumer, topic, partition)
            with broker_errors(self._settings, f"ask for the offsets of partition {partition} of topic {topic!r}"):
                low, high = consumer.get_watermark_offsets(
                    TopicPartition(topic, partition), timeout=self._settings.request_timeout_s
                )
        return low, high

    def _check_partition(self, consumer: Consumer, topic: str, partition: int) -> None:
        count = partition_count(self._settings, consumer, topic)
        if not 0 <= partition < count:
            raise OffsetOutOfRangeError(f"topic {topic!r} has no partition {partition}; it has 0 to {count - 1}")

    @contextmanager
    def _questioner(self) -> Iterator[Consumer]:
        with _QUESTIONERS.borrowed((self._settings,), lambda: new_consumer(self._settings, _QUESTIONS_GROUP)) as consumer:
            yield consumer

    def _owns(self, key: Hashable) -> bool:
        return isinstance(key, tuple) and key[0] == self._settings
