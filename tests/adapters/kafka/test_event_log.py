import pickle
import time
from collections.abc import Callable

import pytest
from confluent_kafka import Producer

from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.services.broker import Broker
from eddyline.application.ports.event_log import LogRecord, OffsetOutOfRangeError, UnknownTopicError
from tests.adapters.kafka.conftest import eventually, read_all
from tests.fixtures.services import QUICK_RETURN

Write = Callable[..., None]


def _values(log: KafkaEventLog, topic: str, start: int, end: int) -> list[bytes | None]:
    return [record.value for batch in log.read(topic, 0, start, end) for record in batch]


def test_records_come_with_key_value_timestamp_headers_and_place(
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


def test_a_topic_that_keeps_the_time_of_arrival_tells_that(
    log: KafkaEventLog, topics: Topics, settings: KafkaSettings, name: str
) -> None:
    topics.create(name, 1, config={"message.timestamp.type": "LogAppendTime"})
    producer = Producer(settings.producer())
    before = int(time.time() * 1000)
    producer.produce(name, b"v", timestamp=1_234)
    producer.flush()
    assert before - 1_000 <= read_all(log, name)[0].timestamp <= int(time.time() * 1000) + 1_000


def test_topics_partitions_and_ends_are_told(log: KafkaEventLog, topics: Topics, write: Write, name: str) -> None:
    topics.create(name, 3)
    write(name, [b"a", b"b"], partition=2)
    assert name in log.topics()
    assert not [topic for topic in log.topics() if topic.startswith("__")]
    assert log.partitions(name) == 3
    assert [log.beginning_offset(name, partition) for partition in range(3)] == [0, 0, 0]
    assert [log.end_offset(name, partition) for partition in range(3)] == [0, 0, 2]


def test_an_unknown_topic_is_named_with_the_cure_and_not_created(log: KafkaEventLog, name: str) -> None:
    with pytest.raises(UnknownTopicError, match=rf"topic '{name}' is unknown; Kafka has: .*--create-topics"):
        log.partitions(name)
    with pytest.raises(UnknownTopicError, match=name):
        log.end_offset(name, 0)
    with pytest.raises(UnknownTopicError, match=name):
        log.read(name, 0, 0, 1)
    assert name not in log.topics()


def test_asking_does_not_create_a_topic_even_where_brokers_would(own_broker: Callable[..., Broker], name: str) -> None:
    broker = own_broker(settings={"auto.create.topics.enable": "true"})
    broker.start()
    settings = KafkaSettings({"bootstrap.servers": broker.bootstrap_servers})
    log, topics = KafkaEventLog(settings), Topics(settings)
    for ask in (log.partitions, topics.partitions):
        with pytest.raises(UnknownTopicError):
            ask(name)
    assert log.topics() == []
    log.close()


def test_ranges_are_read_exactly_whatever_their_order(log: KafkaEventLog, topics: Topics, write: Write, name: str) -> None:
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


def test_a_reader_that_stops_early_leaves_the_rest_to_the_next(
    log: KafkaEventLog, topics: Topics, write: Write, name: str
) -> None:
    topics.create(name, 1)
    write(name, [str(number).encode() for number in range(10_000)])
    reading = log.read(name, 0, 0, 10_000)
    first = next(reading)
    reading.close()  # type: ignore[attr-defined] # a generator
    next_one = first[-1].offset + 1
    assert _values(log, name, next_one, next_one + 2) == [str(next_one).encode(), str(next_one + 1).encode()]
    assert _values(log, name, 0, 1) == [b"0"]


def test_two_readers_of_one_partition_do_not_disturb_each_other(
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


def test_what_arrives_later_is_read_by_the_same_consumer(log: KafkaEventLog, topics: Topics, write: Write, name: str) -> None:
    topics.create(name, 1)
    for round_ in range(5):
        write(name, [b"%d" % round_])
        assert _values(log, name, round_, log.end_offset(name, 0)) == [b"%d" % round_]


def test_a_log_travels_pickled_and_its_secrets_do_not_show(
    settings: KafkaSettings, topics: Topics, write: Write, name: str
) -> None:
    topics.create(name, 1)
    write(name, [b"v"])
    log = KafkaEventLog(settings)
    assert read_all(pickle.loads(pickle.dumps(log)), name)[0].value == b"v"
    secret = KafkaEventLog({"bootstrap.servers": "127.0.0.1:1", "sasl.password": "open-sesame"})
    assert "open-sesame" not in repr(secret)
    assert "open-sesame" not in repr(vars(secret))


def test_a_range_outside_the_partition_is_refused_with_what_there_is(
    log: KafkaEventLog, topics: Topics, write: Write, name: str
) -> None:
    topics.create(name, 1)
    write(name, [b"a", b"b"])
    with pytest.raises(
        OffsetOutOfRangeError, match=rf"topic '{name}', partition 0: offsets 1 to 3 were asked for, but Kafka has 0 to 2"
    ):
        log.read(name, 0, 1, 3)
    with pytest.raises(OffsetOutOfRangeError, match="has no partition 1; it has 0 to 0"):
        log.read(name, 1, 0, 0)


def test_new_partitions_of_a_topic_are_seen_and_read_while_running(
    log: KafkaEventLog, topics: Topics, write: Write, name: str
) -> None:
    topics.create(name, 1)
    write(name, [b"old"])
    assert _values(log, name, 0, 1) == [b"old"]
    topics.ensure_partitions(name, 3)
    assert log.partitions(name) == 3
    write(name, [b"new"], partition=2)
    assert [record.value for record in read_all(log, name, 2)] == [b"new"]


def test_an_offset_is_found_by_time(log: KafkaEventLog, topics: Topics, settings: KafkaSettings, name: str) -> None:
    topics.create(name, 1)
    producer = Producer(settings.producer())
    for timestamp in (1_000, 2_000, 3_000):
        producer.produce(name, b"v", timestamp=timestamp)
    producer.flush()
    assert [log.offset_for_time(name, 0, timestamp) for timestamp in (0, 1_000, 1_001, 3_000, 3_001)] == [0, 0, 1, 2, 3]


def test_only_committed_records_are_seen_and_marks_are_passed_over(
    log: KafkaEventLog, topics: Topics, write_in_transaction: Write, name: str
) -> None:
    topics.create(name, 1)
    write_in_transaction(name, [b"a", b"b"])
    write_in_transaction(name, [b"never"], end="abort")
    write_in_transaction(name, [b"c"])
    write_in_transaction(name, [b"never", b"never"], end="abort")
    end = log.end_offset(name, 0)
    assert end == 10
    assert [(record.offset, record.value) for record in read_all(log, name)] == [(0, b"a"), (1, b"b"), (5, b"c")]
    assert _values(log, name, 2, 5) == []
    assert _values(log, name, 6, end) == []
    assert _values(log, name, 0, 6) == [b"a", b"b", b"c"]


def test_a_range_of_nothing_but_aborted_records_ends_each_time(
    log: KafkaEventLog, topics: Topics, write_in_transaction: Write, name: str
) -> None:
    topics.create(name, 1)
    position = 0
    for round_ in range(4):
        write_in_transaction(name, [b"never"], end="abort")
        end = log.end_offset(name, 0)
        assert end == 2 * (round_ + 1)
        assert _values(log, name, position, end) == []
        position = end
    write_in_transaction(name, [b"at last"])
    assert _values(log, name, position, log.end_offset(name, 0)) == [b"at last"]


def test_the_end_stays_before_a_transaction_that_is_still_open(
    log: KafkaEventLog, topics: Topics, write: Write, write_in_transaction: Write, name: str
) -> None:
    topics.create(name, 1)
    write(name, [b"before"])
    write_in_transaction(name, [b"open"], end="hang")
    write(name, [b"after"])
    assert log.end_offset(name, 0) == 1
    assert [record.value for record in read_all(log, name)] == [b"before"]


def test_uncommitted_records_are_seen_by_those_who_ask_for_them(
    settings: KafkaSettings, topics: Topics, write_in_transaction: Write, name: str
) -> None:
    topics.create(name, 1)
    write_in_transaction(name, [b"open"], end="hang")
    everything = KafkaEventLog({"bootstrap.servers": settings.bootstrap_servers, "isolation.level": "read_uncommitted"})
    assert [record.value for record in read_all(everything, name)] == [b"open"]
    everything.close()


def test_a_compacted_topic_is_read_with_its_gaps(log: KafkaEventLog, topics: Topics, write: Write, name: str) -> None:
    topics.create(name, 1, config={"cleanup.policy": "compact", "segment.ms": "100", "min.cleanable.dirty.ratio": "0.01"})
    for number in range(3):
        write(name, [b"%d" % number, b"%d" % number], key=b"k")
        time.sleep(0.15)
    write(name, [b"last"], key=b"other")

    def compacted() -> bool:
        write(name, [b"roll"], key=b"roll")
        return len([record for record in read_all(log, name) if record.key == b"k"]) == 1

    eventually(compacted, 60)
    records = read_all(log, name)
    assert records[0].value == b"2"
    assert records[0].offset == 5
    assert _values(log, name, 0, 5) == []
    assert _values(log, name, 0, 6) == [b"2"]


@pytest.fixture
def shortened(topics: Topics, write: Write, name: str) -> str:
    """A topic of ten records of which retention removed the first four."""
    topics.create(name, 1)
    write(name, [b"%d" % number for number in range(10)])
    topics.delete_records(name, {0: 4})
    return name


def test_records_that_retention_removed_are_an_error_that_counts_them(log: KafkaEventLog, shortened: str) -> None:
    assert log.beginning_offset(shortened, 0) == 4
    with pytest.raises(
        OffsetOutOfRangeError,
        match=r"offsets 1 to 8 were asked for, but it begins at 4 now: retention removed 3 offsets.*earliest",
    ):
        log.read(shortened, 0, 1, 8)


@pytest.mark.parametrize(("reset", "values", "lost"), [("earliest", [b"4", b"5", b"6", b"7"], 3), ("latest", [], 7)])
def test_the_configured_jump_over_removed_records_is_taken_and_told(
    settings: KafkaSettings, shortened: str, caplog: pytest.LogCaptureFixture, reset: str, values: list[bytes], lost: int
) -> None:
    log = KafkaEventLog({"bootstrap.servers": settings.bootstrap_servers, "auto.offset.reset": reset})
    assert _values(log, shortened, 1, 8) == values
    assert (
        f"offsets 1 to 8 were asked for, but it begins at 4 now: {lost} offsets are left out, as auto.offset.reset={reset} says"
        in caplog.text
    )
    log.close()


@pytest.mark.parametrize("reset", ["error", "earliest"])
def test_records_that_retention_removes_while_they_are_read_are_not_lost_in_silence(
    settings: KafkaSettings, topics: Topics, write: Write, name: str, caplog: pytest.LogCaptureFixture, reset: str
) -> None:
    topics.create(name, 1)
    write(name, [bytes(1000)] * 30_000)
    small = {"fetch.message.max.bytes": "20000", "queued.max.messages.kbytes": "50"}
    log = KafkaEventLog({"bootstrap.servers": settings.bootstrap_servers, "auto.offset.reset": reset, **small})
    reading = log.read(name, 0, 0, 30_000)
    offsets = [record.offset for record in next(reading)]
    topics.delete_records(name, {0: 29_000})
    if reset == "error":
        with pytest.raises(OffsetOutOfRangeError, match="but it begins at 29000 now"):
            list(reading)
    else:
        offsets += [record.offset for batch in reading for record in batch]
        assert offsets[-1_000:] == list(range(29_000, 30_000))
        assert len(offsets) < 30_000
        assert "offsets are left out, as auto.offset.reset=earliest says" in caplog.text
    log.close()


def test_a_topic_that_was_deleted_and_made_anew_is_an_error(log: KafkaEventLog, topics: Topics, write: Write, name: str) -> None:
    topics.create(name, 1)
    write(name, [b"a", b"b"])
    assert _values(log, name, 0, 2) == [b"a", b"b"]
    topics.delete(name)
    eventually(lambda: name not in log.topics())
    topics.create(name, 1)
    write(name, [b"c"])
    with pytest.raises(OffsetOutOfRangeError, match="deleted and made anew"):
        log.read(name, 0, 2, 4)


def test_reading_goes_on_after_the_broker_was_killed_and_restarted(own_broker: Callable[..., Broker], name: str) -> None:
    broker = own_broker(settings=QUICK_RETURN)
    broker.start()
    settings = KafkaSettings({"bootstrap.servers": broker.bootstrap_servers, "fetch.message.max.bytes": "20000"})
    Topics(settings).create(name, 1)
    producer = Producer(settings.producer())
    for number in range(20_000):
        producer.produce(name, b"%d" % number)
    producer.flush()
    log = KafkaEventLog(KafkaSettings({**settings.consumer(), "queued.max.messages.kbytes": "50"}), timeout_s=60)
    reading = log.read(name, 0, 0, 20_000)
    values = [record.value for record in next(reading)]
    broker.kill()
    broker.start()
    values += [record.value for batch in reading for record in batch]
    assert values == [b"%d" % number for number in range(20_000)]
    log.close()


def test_brokers_that_do_not_answer_are_named() -> None:
    log = KafkaEventLog({"bootstrap.servers": "127.0.0.1:1", "socket.timeout.ms": "300"})
    with pytest.raises(RuntimeError, match=r"could not list the topics at 127\.0\.0\.1:1.*are the brokers up"):
        log.topics()
    log.close()
