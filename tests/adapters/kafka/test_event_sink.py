import pickle
import time
from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from eddyline.adapters.kafka.errors import DeliveryError, KafkaSettingsError
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_log import LogRecord, UnknownTopicError
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.kafka.conftest import Read, Values, sink_records

GUARANTEES = ["exactly-once", "at-least-once"]


@pytest.fixture(params=GUARANTEES)
def any_sink(settings: KafkaSettings, request: pytest.FixtureRequest) -> Iterator[KafkaEventSink]:
    sink = KafkaEventSink(settings, guarantee=request.param, timeout_s=120)
    yield sink
    sink.close()


@pytest.fixture
def sink(settings: KafkaSettings) -> Iterator[KafkaEventSink]:
    sink = KafkaEventSink(settings, timeout_s=120)
    yield sink
    sink.close()


def test_records_keep_their_key_value_timestamp_headers_and_partition(any_sink: KafkaEventSink, read: Read, name: str) -> None:
    any_sink.create_topic(name, 3)
    headers = (("a", b"1"), ("a", b"2"), ("none", None))
    assert any_sink.write(name, 0, 0, [SinkRecord(name, b"k", b"v", 1_234, headers, 2), SinkRecord(name, None, None, 5, (), 2)])
    assert read(name, 2) == [
        LogRecord(name, 2, 0, 1_234, b"k", b"v", headers),
        LogRecord(name, 2, 1, 5, None, None),
    ]


def test_the_order_within_a_partition_is_kept_across_batches(any_sink: KafkaEventSink, values: Values, name: str) -> None:
    any_sink.create_topic(name, 1)
    for batch in range(3):
        assert any_sink.write(
            name, 0, batch, sink_records(name, *(b"%d" % number for number in range(batch * 5_000, (batch + 1) * 5_000)))
        )
    assert values(name) == [b"%d" % number for number in range(15_000)]


def test_a_repeated_batch_writes_nothing(sink: KafkaEventSink, values: Values, name: str) -> None:
    sink.create_topic(name, 1)
    assert sink.write(name, 0, 4, sink_records(name, b"a"))
    assert not sink.write(name, 0, 4, sink_records(name, b"repeated"))
    assert not sink.write(name, 0, 3, sink_records(name, b"older"))
    assert sink.write(name, 0, 5, sink_records(name, b"b"))
    assert values(name) == [b"a", b"b"]


def test_a_batch_that_another_producer_repeats_writes_nothing(sink: KafkaEventSink, values: Values, name: str) -> None:
    sink.create_topic(name, 1)
    assert sink.write(name, 0, 0, sink_records(name, b"a"))
    sink.close()
    assert not sink.write(name, 0, 0, sink_records(name, b"repeated"))
    assert values(name) == [b"a"]


def test_batch_numbers_are_separate_for_each_writer_and_slot(sink: KafkaEventSink, values: Values, name: str) -> None:
    sink.create_topic(name, 1)
    assert sink.write(name, 0, 7, sink_records(name, b"slot 0"))
    assert sink.write(name, 1, 7, sink_records(name, b"slot 1"))
    assert sink.write(f"{name}-other", 0, 7, sink_records(name, b"other"))
    assert sink.write(name, 40, 3, sink_records(name, b"slot 40"))
    assert [sink.last_batch(name, slot) for slot in (0, 1, 2, 40)] == [7, 7, None, 3]
    assert sorted(value or b"" for value in values(name)) == [b"other", b"slot 0", b"slot 1", b"slot 40"]


def test_at_least_once_writes_a_repeated_batch_again(settings: KafkaSettings, values: Values, name: str) -> None:
    sink = KafkaEventSink(settings, guarantee="at-least-once")
    sink.create_topic(name, 1)
    assert sink.write(name, 0, 0, sink_records(name, b"a"))
    assert sink.write(name, 0, 0, sink_records(name, b"a"))
    assert values(name) == [b"a", b"a"]
    sink.close()


def test_partitions_that_are_added_meanwhile_are_used(sink: KafkaEventSink, topics: Topics, read: Read, name: str) -> None:
    sink.create_topic(name, 1)
    sink.write(name, 0, 0, [SinkRecord(name, None, b"a", 1)])
    topics.ensure_partitions(name, 3)
    assert sink.write(name, 0, 1, [SinkRecord(name, None, b"b", 1, (), 2)])
    assert [record.value for record in read(name, 2)] == [b"b"]


def test_an_unknown_guarantee_is_an_error_with_the_choices(settings: KafkaSettings) -> None:
    with pytest.raises(ValueError, match="unknown guarantee 'at-most-once'; choose one of: exactly-once, at-least-once"):
        KafkaEventSink(settings, guarantee="at-most-once")


@pytest.mark.parametrize(
    ("key", "hash_"),
    [
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_a_key_is_assigned_the_same_partition_as_by_java_clients(
    any_sink: KafkaEventSink, read: Read, name: str, key: bytes, hash_: int
) -> None:
    any_sink.create_topic(name, 7)
    any_sink.write(name, 0, 0, sink_records(name, b"v", key=key))
    assert [len(read(name, partition)) for partition in range(7)].index(1) == (hash_ & 0x7FFFFFFF) % 7


def test_records_without_a_key_are_distributed_in_turn(any_sink: KafkaEventSink, read: Read, name: str) -> None:
    any_sink.create_topic(name, 3)
    any_sink.write(name, 0, 0, [SinkRecord(name, None, b"v", 1)] * 9)
    assert [len(read(name, partition)) for partition in range(3)] == [3, 3, 3]


def test_round_robin_ignores_keys(settings: KafkaSettings, read: Read, name: str) -> None:
    sink = KafkaEventSink(settings, partitioner="round-robin")
    sink.create_topic(name, 3)
    sink.write(name, 0, 0, sink_records(name, *[b"v"] * 9))
    assert [len(read(name, partition)) for partition in range(3)] == [3, 3, 3]
    sink.close()


def _by_length(record: SinkRecord, partitions: int) -> int:
    return len(record.value or b"") % partitions


def test_a_custom_partitioner_is_pickled_with_the_sink(settings: KafkaSettings, read: Read, name: str) -> None:
    sink: KafkaEventSink = pickle.loads(pickle.dumps(KafkaEventSink(settings, partitioner=_by_length)))
    sink.create_topic(name, 3)
    sink.write(name, 0, 0, sink_records(name, b"", b"1", b"22", b"333", b"55555"))
    assert [[record.value for record in read(name, partition)] for partition in range(3)] == [
        [b"", b"333"],
        [b"1"],
        [b"22", b"55555"],
    ]
    sink.close()


def test_an_unknown_partitioner_is_an_error_with_the_choices(settings: KafkaSettings) -> None:
    with pytest.raises(
        KafkaSettingsError, match=r"unknown partitioner 'sticky'; choose one of: by-key, round-robin, or a function"
    ):
        KafkaEventSink(settings, partitioner="sticky")


def test_the_setting_partitioner_selects_a_partitioner_of_the_client(settings: KafkaSettings, read: Read, name: str) -> None:
    keys = [b"%d" % number for number in range(50)]
    assignments = []
    for setting in ("murmur2_random", "fnv1a_random"):
        sink = KafkaEventSink({"bootstrap.servers": settings.bootstrap_servers, "partitioner": setting})
        sink.create_topic(f"{name}-{setting}", 7)
        sink.write(f"{name}-{setting}", 0, 0, [SinkRecord(f"{name}-{setting}", key, b"v", 1) for key in keys])
        assignments.append({record.key: partition for partition in range(7) for record in read(f"{name}-{setting}", partition)})
        sink.close()
    assert set(assignments[0]) == set(assignments[1]) == set(keys)
    assert assignments[0] != assignments[1]


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_a_full_buffer_blocks_the_writer_and_loses_nothing(
    settings: KafkaSettings, values: Values, name: str, guarantee: str
) -> None:
    small_buffer: dict[str, str | int] = {
        "queue.buffering.max.messages": 100,
        "queue.buffering.max.kbytes": 64,
        "compression.type": "lz4",
        "linger.ms": 1,
    }
    sink = KafkaEventSink({"bootstrap.servers": settings.bootstrap_servers, **small_buffer}, guarantee=guarantee)
    sink.create_topic(name, 1)
    assert sink.write(name, 0, 0, sink_records(name, *(b"%06d" % number + bytes(500) for number in range(5_000))))
    assert [int((value or b"")[:6]) for value in values(name)] == list(range(5_000))
    sink.close()


def test_a_record_that_the_brokers_reject_fails_its_batch_with_partition_and_reason(
    any_sink: KafkaEventSink, topics: Topics, values: Values, name: str
) -> None:
    topics.create(name, 1, config={"max.message.bytes": "2000"})
    with pytest.raises(
        DeliveryError,
        match=rf"1 record could not be written.*topic '{name}', partition 0, key b'k', 5,001 bytes: .*MSG_SIZE_TOO_LARGE",
    ):
        any_sink.write(name, 0, 0, sink_records(name, Random(0).randbytes(5_000)))
    assert any_sink.write(name, 0, 0, sink_records(name, b"fits"))
    assert values(name) == [b"fits"]


def test_nothing_is_visible_of_a_batch_with_a_record_that_the_client_rejects(
    sink: KafkaEventSink, values: Values, name: str
) -> None:
    sink.create_topic(name, 1)
    with pytest.raises(DeliveryError, match="MSG_SIZE_TOO_LARGE"):
        sink.write(name, 0, 0, sink_records(name, b"before", Random(0).randbytes(20_000_000)))
    with pytest.raises(ValueError, match=f"topic '{name}' has no partition 9; it has 0 to 0"):
        sink.write(name, 0, 0, [*sink_records(name, b"before"), SinkRecord(name, b"k", b"v", 1, (), 9)])
    with pytest.raises(DeliveryError, match=f"topic '{name}', key b'k', 2 bytes: the timestamp -1 is negative"):
        sink.write(name, 0, 0, [*sink_records(name, b"before"), SinkRecord(name, b"k", b"v", -1)])
    with pytest.raises(DeliveryError, match=rf"topic '{name}', key .*: the header name 'a\\x00b' contains a NUL character"):
        sink.write(name, 0, 0, [*sink_records(name, b"before"), SinkRecord(name, b"k", b"v", 1, (("a\0b", None),))])
    assert sink.write(name, 0, 0, sink_records(name, b"after"))
    assert values(name) == [b"after"]


def test_the_timestamp_0_is_written_as_1(any_sink: KafkaEventSink, read: Read, name: str) -> None:
    any_sink.create_topic(name, 1)
    any_sink.write(name, 0, 0, [SinkRecord(name, b"k", b"v", 0)])
    assert read(name)[0].timestamp == 1


def test_an_unknown_topic_is_an_error_and_is_not_created(any_sink: KafkaEventSink, topics: Topics, name: str) -> None:
    with pytest.raises(UnknownTopicError, match=name):
        any_sink.write(name, 0, 0, sink_records(name, b"v"))
    assert name not in topics.names()


def test_creating_an_existing_topic_does_not_change_it(sink: KafkaEventSink, topics: Topics, name: str) -> None:
    sink.create_topic(name, 2)
    sink.create_topic(name, 5)
    assert topics.partitions(name) == 2


def test_records_with_old_timestamps_are_retained(sink: KafkaEventSink, values: Values, name: str) -> None:
    sink.create_topic(name, 1)
    sink.write(name, 0, 0, [SinkRecord(name, b"k", b"old", 1)])
    time.sleep(1.5)
    sink.write(name, 0, 1, [SinkRecord(name, b"k", b"new", 2)])
    assert values(name) == [b"old", b"new"]


def test_a_sink_shows_no_secrets(name: str) -> None:
    sink = KafkaEventSink({"bootstrap.servers": "127.0.0.1:1", "socket.timeout.ms": "500", "sasl.password": "open-sesame"})
    assert "open-sesame" not in repr(sink) + repr(vars(sink))
    with pytest.raises(RuntimeError) as raised:
        sink.create_topic(name, 1)
    assert "open-sesame" not in str(raised.value)


def test_records_of_several_topics_and_many_keys_are_complete(any_sink: KafkaEventSink, values: Values, name: str) -> None:
    for topic in ("a", "b"):
        any_sink.create_topic(f"{name}-{topic}", 4)
    records = [SinkRecord(f"{name}-{'ab'[number % 2]}", b"%d" % (number % 37), b"%d" % number, 1) for number in range(4_000)]
    any_sink.write(name, 0, 0, records)
    found = Counter(values(f"{name}-a") + values(f"{name}-b"))
    assert found == Counter(record.value for record in records)
