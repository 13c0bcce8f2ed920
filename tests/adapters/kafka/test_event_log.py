import pickle
import time
from collections.abc import Callable

import pytest
from confluent_kafka import Producer

from eddyline.adapters.kafka.clients.pool import ClientPool
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.groups import committed_offsets
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.services.broker import Broker
from eddyline.application.ports.event_log import LogRecord, OffsetOutOfRangeError, TopicPartition, UnknownTopicError
from tests.adapters.kafka.conftest import Write, read_all, read_values
from tests.fixtures.services import QUICK_RETURN


def test_a_record_has_its_key_value_timestamp_headers_and_position(
    log: KafkaEventLog, topics: Topics, settings: KafkaSettings, name: str
) -> None:
    topics.create(name, 2)
    producer = Producer(settings.producer())
    producer.produce(name, b"v", b"k", partition=1, timestamp=1_234, headers=[("a", b"1"), ("a", b"2"), ("none", None)])
    producer.flush()
    (record,) = read_all(log, name, 1)
    assert record == LogRecord(name, 1, 0, 1_234, b"k", b"v", (("a", b"1"), ("a", b"2"), ("none", None)))
    assert read_all(log, name, 0) == []


def test_a_tombstone_and_a_missing_key_are_none_and_an_empty_value_is_not(
    log: KafkaEventLog, topics: Topics, write: Write, name: str
) -> None:
    topics.create(name, 1)
    write(name, [None, b""], key=None)
    write(name, [None, b""], key=b"")
    assert [(record.key, record.value) for record in read_all(log, name)] == [(None, None), (None, b""), (b"", None), (b"", b"")]


def test_timestamps_are_those_of_the_log_append_time_where_the_topic_says_so(
    log: KafkaEventLog, topics: Topics, settings: KafkaSettings, name: str
) -> None:
    topics.create(name, 1, config={"message.timestamp.type": "LogAppendTime"})
    producer = Producer(settings.producer())
    before = int(time.time() * 1000)
    producer.produce(name, b"v", timestamp=1_234)
    producer.flush()
    assert before - 1_000 <= read_all(log, name)[0].timestamp <= int(time.time() * 1000) + 1_000


def test_topics_partitions_and_offsets_are_listed(log: KafkaEventLog, topics: Topics, write: Write, name: str) -> None:
    topics.create(name, 3)
    write(name, [b"a", b"b"], partition=2)
    assert name in log.topics()
    assert not [topic for topic in log.topics() if topic.startswith("__")]
    assert log.partitions(name) == 3
    assert [log.beginning_offset(name, partition) for partition in range(3)] == [0, 0, 0]
    assert [log.end_offset(name, partition) for partition in range(3)] == [0, 0, 2]


def test_an_unknown_topic_is_an_error_with_a_fix_and_is_not_created(log: KafkaEventLog, name: str) -> None:
    with pytest.raises(UnknownTopicError, match=rf"topic '{name}' is unknown; Kafka has: .*--create-topics"):
        log.partitions(name)
    with pytest.raises(UnknownTopicError, match=name):
        log.end_offset(name, 0)
    with pytest.raises(UnknownTopicError, match=name):
        log.read(name, 0, 0, 1)
    assert name not in log.topics()


def test_a_lookup_does_not_create_a_topic_even_where_brokers_would(own_broker: Callable[..., Broker], name: str) -> None:
    broker = own_broker(settings={"auto.create.topics.enable": "true"})
    broker.start()
    settings = KafkaSettings({"bootstrap.servers": broker.bootstrap_servers})
    log, topics = KafkaEventLog(settings), Topics(settings)
    for look_up in (log.partitions, topics.partitions):
        with pytest.raises(UnknownTopicError, match="is unknown; Kafka has: none"):
            look_up(name)
    assert log.topics() == []
    log.close()


def test_ranges_are_read_exactly_and_in_any_order(log: KafkaEventLog, topics: Topics, write: Write, name: str) -> None:
    topics.create(name, 1)
    write(name, [str(number).encode() for number in range(20_000)])
    for start, end in [
        (0, 20_000),
        (5, 7),
        (7, 7),
        (7, 9_000),
        (9_000, 9_001),
        (9_500, 20_000),
        (20_000, 20_000),
        (100, 19_999),
        (3, 4),
    ]:
        batches = list(log.read(name, 0, start, end))
        assert [int(record.value or b"") for batch in batches for record in batch] == list(range(start, end))
        assert all(batches)


def test_a_read_that_is_given_up_leaves_the_rest_to_the_next_one(
    log: KafkaEventLog, topics: Topics, write: Write, name: str
) -> None:
    topics.create(name, 1)
    write(name, [str(number).encode() for number in range(10_000)])
    batches = log.read(name, 0, 0, 10_000)
    first = next(batches)
    batches.close()  # type: ignore[attr-defined] # a generator
    following = first[-1].offset + 1
    assert read_values(log, name, following, following + 2) == [str(following).encode(), str(following + 1).encode()]
    assert read_values(log, name, 0, 1) == [b"0"]


def test_two_reads_of_one_partition_at_the_same_time_are_independent(
    log: KafkaEventLog, topics: Topics, write: Write, name: str
) -> None:
    topics.create(name, 1)
    write(name, [str(number).encode() for number in range(10_000)])
    one, other = log.read(name, 0, 0, 10_000), log.read(name, 0, 5_000, 10_000)
    offsets: tuple[list[int], list[int]] = ([], [])
    for batch in one:
        offsets[0].extend(record.offset for record in batch)
        offsets[1].extend(record.offset for record in next(other, ()))
    offsets[1].extend(record.offset for batch in other for record in batch)
    assert offsets == (list(range(10_000)), list(range(5_000, 10_000)))


def test_records_that_arrive_later_are_read_by_the_same_consumer(
    log: KafkaEventLog, topics: Topics, write: Write, name: str
) -> None:
    topics.create(name, 1)
    for round_ in range(5):
        write(name, [b"%d" % round_])
        assert read_values(log, name, round_, log.end_offset(name, 0)) == [b"%d" % round_]


def test_a_log_can_be_pickled_and_shows_no_secrets(settings: KafkaSettings, topics: Topics, write: Write, name: str) -> None:
    topics.create(name, 1)
    write(name, [b"v"])
    log = KafkaEventLog(settings)
    assert read_all(pickle.loads(pickle.dumps(log)), name)[0].value == b"v"
    secret = KafkaEventLog({"bootstrap.servers": "127.0.0.1:1", "sasl.password": "open-sesame"})
    assert "open-sesame" not in repr(secret)
    assert "open-sesame" not in repr(vars(secret))


def test_a_range_outside_the_partition_is_an_error_with_the_range_of_the_partition(
    log: KafkaEventLog, topics: Topics, write: Write, name: str
) -> None:
    topics.create(name, 1)
    write(name, [b"a", b"b"])
    with pytest.raises(
        OffsetOutOfRangeError, match=rf"topic '{name}', partition 0: offsets 1 to 3 were requested, but Kafka has 0 to 2"
    ):
        log.read(name, 0, 1, 3)
    with pytest.raises(UnknownTopicError, match="has no partition 1; it has 0 to 0"):
        log.read(name, 1, 0, 0)


def test_partitions_that_are_added_meanwhile_are_read(log: KafkaEventLog, topics: Topics, write: Write, name: str) -> None:
    topics.create(name, 1)
    write(name, [b"old"])
    assert read_values(log, name, 0, 1) == [b"old"]
    topics.ensure_partitions(name, 3)
    assert log.partitions(name) == 3
    write(name, [b"new"], partition=2)
    assert [record.value for record in read_all(log, name, 2)] == [b"new"]


def test_a_closed_log_leaves_no_consumer_open(settings: KafkaSettings, topics: Topics, name: str) -> None:
    topics.create(name, 1)
    own = settings.with_values({"client.id": name})
    log = KafkaEventLog(own)
    log.commit_offsets(name, {TopicPartition(name, 0): 0})
    log.close()
    pool: ClientPool[object] = committed_offsets._CONSUMERS  # type: ignore[assignment] # noqa: SLF001 - no other way to see it
    assert pool.take((own, name)) is None


def test_a_read_continues_after_the_broker_was_killed_and_restarted(own_broker: Callable[..., Broker], name: str) -> None:
    broker = own_broker(settings=QUICK_RETURN)
    broker.start()
    settings = KafkaSettings({"bootstrap.servers": broker.bootstrap_servers, "fetch.message.max.bytes": "20000"})
    Topics(settings).create(name, 1)
    producer = Producer({**settings.producer(), "enable.idempotence": True})  # else a retry could change the order
    for number in range(20_000):
        producer.produce(name, b"%d" % number)
    producer.flush()
    log = KafkaEventLog(KafkaSettings({**settings.consumer(), "queued.max.messages.kbytes": "50"}), timeout_s=120)
    batches = log.read(name, 0, 0, 20_000)
    values = [record.value for record in next(batches)]
    broker.kill()
    broker.start()
    values += [record.value for batch in batches for record in batch]
    assert values == [b"%d" % number for number in range(20_000)]
    log.close()


def test_an_outage_is_an_error_with_the_addresses_of_the_brokers() -> None:
    log = KafkaEventLog({"bootstrap.servers": "127.0.0.1:1", "socket.timeout.ms": "300"})
    with pytest.raises(
        RuntimeError, match=r"could not list the topics at 127\.0\.0\.1:1.*; check that the brokers are running and reachable"
    ):
        log.topics()
    log.close()


def test_a_topic_that_was_created_again_is_not_read_from_what_was_fetched_before(
    settings: KafkaSettings, topics: Topics, write: Write, name: str
) -> None:
    def read_some(content: str, start: int) -> list[bytes | None]:
        topics.create(name, 1)
        write(name, [f"{content}-{number}".encode() for number in range(9)])
        log = KafkaEventLog(settings, timeout_s=120)
        log.identity([name])
        return read_values(log, name, start, start + 3)

    assert read_some("old", 0) == [b"old-0", b"old-1", b"old-2"]
    topics.delete(name)
    assert read_some("new", 3) == [b"new-3", b"new-4", b"new-5"]
