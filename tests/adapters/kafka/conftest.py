"""Fixtures for tests against the shared broker: unique names, and records written by a plain producer of the client."""

import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

import pytest
from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition

from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.services.broker import Broker
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.event_sink import SinkRecord

Read: TypeAlias = Callable[..., list[LogRecord]]
Values: TypeAlias = Callable[[str], list[bytes | None]]
Write: TypeAlias = Callable[..., None]
Join: TypeAlias = Callable[..., Consumer]


def sink_records(topic: str, *values: bytes, key: bytes = b"k") -> list[SinkRecord]:
    """Return records with these values, all with the same key and timestamp."""
    return [SinkRecord(topic, key, value, 1_000) for value in values]


class FailedPartition(TopicPartition):
    """The answer of the brokers for a partition that their request failed for."""

    error: KafkaError | None = None


@pytest.fixture
def settings(kafka_broker: Broker) -> KafkaSettings:
    return KafkaSettings({"bootstrap.servers": kafka_broker.bootstrap_servers})


@pytest.fixture
def topics(settings: KafkaSettings) -> Topics:
    return Topics(settings)


@pytest.fixture
def name() -> str:
    """A name for topics, groups and writers that no other test uses."""
    return f"test-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def log(settings: KafkaSettings) -> Iterator[KafkaEventLog]:
    log = KafkaEventLog(settings, timeout_s=120)
    yield log
    log.close()


@pytest.fixture
def write(settings: KafkaSettings) -> Write:
    """Writes values to partition 0 of a topic with a plain producer."""

    def produce(topic: str, values: Iterable[bytes | None], *, partition: int = 0, key: bytes | None = None) -> None:
        producer = Producer(settings.producer())
        for value in values:
            producer.produce(topic, value, key, partition=partition)
        assert producer.flush(120) == 0

    return produce


@pytest.fixture
def write_in_transaction(settings: KafkaSettings, name: str) -> Iterator[Write]:
    """Writes values to partition 0 of a topic in one transaction, which is committed, aborted or left open."""
    producers: list[Producer] = []

    def produce(topic: str, values: Iterable[bytes], *, end: str = "commit") -> None:
        if not producers:
            producers.append(Producer({**settings.producer(), "transactional.id": f"{name}-transactions"}))
            producers[0].init_transactions(120)
        producers[0].begin_transaction()
        for value in values:
            producers[0].produce(topic, value, partition=0)
        assert producers[0].flush(120) == 0
        if end == "commit":
            producers[0].commit_transaction(120)
        elif end == "abort":
            producers[0].abort_transaction(120)
        if end != "leave open":
            wait_until_settled(settings, topic)

    yield produce
    for producer in producers:
        producer.purge()


@pytest.fixture
def read(settings: KafkaSettings, log: KafkaEventLog) -> Read:
    """Reads the records of a partition once no transaction is open."""

    def records(topic: str, partition: int = 0) -> list[LogRecord]:
        wait_until_settled(settings, topic)
        return read_all(log, topic, partition)

    return records


@pytest.fixture
def values(log: KafkaEventLog, read: Read) -> Values:
    """Reads the values of all partitions of a topic, one partition after the other, once no transaction is open."""

    def all_values(topic: str) -> list[bytes | None]:
        return [record.value for partition in range(log.partitions(topic)) for record in read(topic, partition)]

    return all_values


@pytest.fixture
def join(settings: KafkaSettings) -> Iterator[Join]:
    """Starts a consumer in the group and on the topic of the given name, and waits until it has partitions."""
    members: list[Consumer] = []

    def start(name: str, client_id: str = "busy") -> Consumer:
        member = Consumer({**settings.consumer(), "group.id": name, "client.id": client_id, "auto.offset.reset": "earliest"})
        members.append(member)
        member.subscribe([name])

        def has_joined() -> bool:
            member.poll(0.1)
            return bool(member.assignment())

        eventually(has_joined)
        return member

    yield start
    for member in members:
        member.close()


def wait_until_settled(settings: KafkaSettings, topic: str) -> None:
    """Wait until all written records can be read: brokers write the markers of a transaction shortly after its commit."""
    uncommitted = KafkaEventLog(KafkaSettings({**settings.consumer(), "isolation.level": "read_uncommitted"}))
    committed = KafkaEventLog(settings)
    for partition in range(committed.partitions(topic)):
        high_watermark = uncommitted.end_offset(topic, partition)
        eventually(lambda at=partition, end=high_watermark: committed.end_offset(topic, at) >= end)  # type: ignore[misc]


def read_all(log: KafkaEventLog, topic: str, partition: int = 0) -> list[LogRecord]:
    """Return every record that can be read now."""
    start, end = log.beginning_offset(topic, partition), log.end_offset(topic, partition)
    return [record for batch in log.read(topic, partition, start, end) for record in batch]


def read_values(log: KafkaEventLog, topic: str, start: int, end: int) -> list[bytes | None]:
    """Return the values of partition 0 with `start <= offset < end`."""
    return [record.value for batch in log.read(topic, 0, start, end) for record in batch]


def eventually(condition: Callable[[], bool], timeout_s: float = 120.0, *, interval_s: float = 0.05) -> None:
    """Return once the condition is true, which is asked for at this interval; fail after the timeout."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, f"the condition was not met within {timeout_s:.0f} s"
        time.sleep(interval_s)


def failed_partition(topic: str, code: int) -> TopicPartition:
    """Return an answer of the brokers with an error for partition 1 of a topic."""
    partition = FailedPartition(topic, 1)
    partition.error = KafkaError(code)
    return partition
