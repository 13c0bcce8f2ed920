"""Large records: with default settings the size limit of the topic decides, and an error names it."""

from random import Random

import pytest

from eddyline.adapters.kafka.errors import DeliveryError
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.kafka.conftest import Values

MEGABYTE = 1_000_000


@pytest.mark.parametrize("guarantee", ["exactly-once", "at-least-once"])
def test_a_topic_that_accepts_large_records_gets_them(
    settings: KafkaSettings, topics: Topics, values: Values, name: str, guarantee: str
) -> None:
    topics.create(name, 1, config={"max.message.bytes": str(25 * MEGABYTE)})
    value = Random(0).randbytes(20 * MEGABYTE)
    assert KafkaEventSink(settings, guarantee=guarantee).write(name, 0, 0, [SinkRecord(name, None, value, 1)])
    assert values(name) == [value]


@pytest.mark.parametrize("guarantee", ["exactly-once", "at-least-once"])
def test_a_record_above_the_limit_of_its_topic_is_rejected_with_its_whole_batch(
    settings: KafkaSettings, topics: Topics, values: Values, name: str, guarantee: str
) -> None:
    topics.create(name, 1)
    sink = KafkaEventSink(settings, guarantee=guarantee)
    with pytest.raises(
        DeliveryError,
        match=rf"1 record could not be written .*'{name}', partition 0, key None, 2,000,000 bytes: .*MSG_SIZE_TOO_LARGE\); raise "
        r"max\.message\.bytes of the topic .*; the topic has max\.message\.bytes=1048588$",
    ):
        sink.write(name, 0, 0, [SinkRecord(name, None, Random(0).randbytes(2 * MEGABYTE), 1)])
    assert values(name) == []
    assert sink.write(name, 0, 0, [SinkRecord(name, None, b"small", 1)])
    assert values(name) == [b"small"]


def test_a_topic_of_dead_letters_accepts_records_of_any_topic(settings: KafkaSettings, values: Values, name: str) -> None:
    sink, dead_letters = KafkaEventSink(settings), f"{name}-dead-letters"
    sink.create_topic(dead_letters, 1)
    letter = SinkRecord(dead_letters, None, Random(0).randbytes(20 * MEGABYTE), 1, (("why", bytes(20_000)),))
    assert sink.write(name, 0, 0, [letter])
    assert [len(value or b"") for value in values(dead_letters)] == [20 * MEGABYTE]


@pytest.mark.parametrize("guarantee", ["exactly-once", "at-least-once"])
def test_a_record_that_is_larger_than_the_buffer_is_an_error_with_a_fix(
    settings: KafkaSettings, name: str, guarantee: str
) -> None:
    narrow = settings.with_values({"queue.buffering.max.kbytes": 1_024})
    sink = KafkaEventSink(narrow, guarantee=guarantee, timeout_s=120)
    sink.create_topic(name, 1)
    with pytest.raises(
        DeliveryError, match=r"topic .*, key b'k', 3,000,001 bytes: does not fit .* raise queue\.buffering\.max\.kbytes"
    ):
        sink.write(name, 0, 0, [SinkRecord(name, b"k", bytes(3 * MEGABYTE), 1)])
