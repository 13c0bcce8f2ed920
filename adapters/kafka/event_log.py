"""The event log on Kafka topics."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from confluent_kafka import Consumer, KafkaException
from confluent_kafka import TopicPartition as ClientPartition

from eddyline.adapters.kafka.clients.broker_errors import broker_errors, partition_label, unavailable
from eddyline.adapters.kafka.clients.deadline import Deadline, until_available
from eddyline.adapters.kafka.clients.factory import METADATA_GROUP, new_consumer
from eddyline.adapters.kafka.clients.logs import CLIENT_LOGGER
from eddyline.adapters.kafka.clients.pool import ClientPool
from eddyline.adapters.kafka.errors import BrokerError
from eddyline.adapters.kafka.groups.committed_offsets import close_offset_consumers, commit_group_offsets
from eddyline.adapters.kafka.log.admins import bounds_of, close_admins, cluster_id, topic_ids
from eddyline.adapters.kafka.log.partition_reader import PartitionReader
from eddyline.adapters.kafka.metadata import UNKNOWN_PARTITION, partition_count, topic_names
from eddyline.adapters.kafka.settings import KafkaSettings, SettingValue
from eddyline.application.ports.event_log import (
    EventLog,
    LogIdentity,
    LogRecord,
    OffsetOutOfRangeError,
    TopicPartition,
    UnknownTopicError,
)

_READERS: ClientPool[PartitionReader] = ClientPool(limit=128, close=PartitionReader.close)
_METADATA_CONSUMERS: ClientPool[Consumer] = ClientPool(limit=4, close=Consumer.close)


class KafkaEventLog(EventLog):
    """The topics of a Kafka cluster; only committed records are visible, and a partition ends at its last stable offset.

    With `isolation.level=read_uncommitted` all records are visible, up to the high watermark.

    Consumers are kept open in this process and shared by all logs with the same settings, as long as a topic is not deleted and
    created again, as far as the log has been asked for the identity of its topics. Besides the errors of the port, all
    methods raise BrokerError.

    Args:
        settings: Settings of the clients, by Kafka's dotted names.
        timeout_s: How many seconds a read waits for brokers that do not answer.
    """

    def __init__(self, settings: KafkaSettings | Mapping[str, SettingValue], *, timeout_s: float = 120.0) -> None:
        self._settings = settings if isinstance(settings, KafkaSettings) else KafkaSettings(settings)
        self._timeout_s = timeout_s
        self._cluster_id = ""
        self._topic_ids: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def topics(self) -> Sequence[str]:
        with self._metadata_consumer() as consumer:
            return topic_names(self._settings, consumer)

    def partitions(self, topic: str) -> int:
        with self._metadata_consumer() as consumer:
            count = partition_count(self._settings, consumer, topic, at_least=self._counts.get(topic, 1))
        self._counts[topic] = count
        return count

    def beginning_offset(self, topic: str, partition: int) -> int:
        return self.bounds(topic, partition)[0]

    def end_offset(self, topic: str, partition: int) -> int:
        return self.bounds(topic, partition)[1]

    def identity(self, topics: Iterable[str]) -> LogIdentity:
        ids = topic_ids(self._settings, topics)
        self._topic_ids.update(ids)
        if not self._cluster_id:
            self._cluster_id = cluster_id(self._settings)
        return LogIdentity("kafka", self._cluster_id, ids)

    def read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        begin, last = self.bounds(topic, partition)
        if end > last or start > end:
            raise OffsetOutOfRangeError(
                f"{partition_label(topic, partition)}: offsets {start} to {end} were requested, but Kafka has {begin} to {last}; "
                "if the topic was deleted and recreated, reset the flow"
            )
        if start < begin:
            raise _deleted(topic, partition, start, end, begin)
        return self._read(topic, partition, start, end)

    def commit_offsets(self, application_id: str, offsets: Mapping[TopicPartition, int]) -> None:
        try:
            if not all(partition.topic in self._topic_ids for partition in offsets):
                self.identity({partition.topic for partition in offsets})
            metadata = {topic: f"cluster.id={self._cluster_id} topic.id={found}" for topic, found in self._topic_ids.items()}
            commit_group_offsets(self._settings, application_id, offsets, metadata)
        except (BrokerError, UnknownTopicError) as error:
            CLIENT_LOGGER.warning("the lag of group %r is out of date: %s", application_id, error)

    def close(self) -> None:
        _READERS.close_all(self._owns)
        _METADATA_CONSUMERS.close_all(self._owns)
        close_offset_consumers(self._settings)
        close_admins(self._settings)

    def __repr__(self) -> str:
        return f"KafkaEventLog({self._settings.bootstrap_servers})"

    def _read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        if start >= end:
            return
        key = (self._settings, topic, partition, self._topic_ids.get(topic))
        with _READERS.client(key, lambda: PartitionReader(self._settings, topic, partition)) as reader:
            try:
                for batch in reader.read(start, end, self._timeout_s):
                    start = batch[-1].offset + 1
                    yield batch
            except OffsetOutOfRangeError:
                begin = self.beginning_offset(topic, partition)
                if begin <= start:
                    raise
                raise _deleted(topic, partition, start, end, begin) from None

    def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        """Return the beginning and the end offset; wait for a leader while brokers are restarting."""
        return until_available(Deadline(self._settings.request_timeout_s), lambda: self._query_offsets(topic, partition))

    def topic_bounds(self, topics: Iterable[str]) -> dict[str, list[tuple[int, int]]]:
        """Return the bounds of all partitions, asked for one by one only if a leader does not answer at once."""
        minimum = {topic: self._counts.get(topic, 1) for topic in topics}
        try:
            found = bounds_of(self._settings, minimum)
        except BrokerError:
            return {topic: [self.bounds(topic, number) for number in range(self.partitions(topic))] for topic in minimum}
        self._counts.update({topic: len(numbers) for topic, numbers in found.items()})
        return found

    def _query_offsets(self, topic: str, partition: int) -> tuple[int, int]:
        with self._metadata_consumer() as consumer:
            self._check_partition(consumer, topic, partition)
            action = f"list the offsets of {partition_label(topic, partition)}"
            with broker_errors(self._settings, action):
                try:
                    low, high = consumer.get_watermark_offsets(
                        ClientPartition(topic, partition), timeout=self._settings.request_timeout_s
                    )
                except KafkaException as error:
                    if error.args[0].name() not in UNKNOWN_PARTITION:
                        raise
                    raise unavailable(self._settings, action, "the partition is new, and not known everywhere yet") from None
        return low, high

    def _check_partition(self, consumer: Consumer, topic: str, partition: int) -> None:
        count = partition_count(self._settings, consumer, topic, at_least=partition + 1)
        if not 0 <= partition < count:
            raise UnknownTopicError(f"topic {topic!r} has no partition {partition}; it has 0 to {count - 1}")

    @contextmanager
    def _metadata_consumer(self) -> Iterator[Consumer]:
        with _METADATA_CONSUMERS.client((self._settings,), lambda: new_consumer(self._settings, METADATA_GROUP)) as consumer:
            yield consumer

    def _owns(self, key: Hashable) -> bool:
        return isinstance(key, tuple) and key[0] == self._settings


def _deleted(topic: str, partition: int, start: int, end: int, begin: int) -> OffsetOutOfRangeError:
    return OffsetOutOfRangeError(
        f"{partition_label(topic, partition)}: offsets {start} to {end} were requested, but the log starts at {begin}: retention"
        f" has deleted {min(begin, end) - start} of them"
    )
