"""The contract of the event sink, tested on every adapter."""

import itertools
import pickle

import pytest
from hypothesis import given, settings

from eddyline.application.ports.event_log import UnknownTopicError
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.partitioner import partition_for
from tests.fixtures.examples import examples
from tests.ports.environments import Environment, as_sink_record, read_all, values
from tests.ports.records import records


def _records(topic: str, *texts: str) -> list[SinkRecord]:
    return [SinkRecord(topic, None, text.encode(), 0) for text in texts]


def test_any_records_are_read_back_unchanged_and_in_order(environment: Environment) -> None:
    topic, sink, log, batches = environment.new_topic(), environment.sink(), environment.log(), itertools.count()

    @settings(max_examples=examples(100), deadline=None)
    @given(given_records=records(topic, environment.earliest, environment.unnameable))
    def check(given_records: list[SinkRecord]) -> None:
        start = log.end_offset(topic, 0)
        assert sink.write("any-records", 0, next(batches), given_records)
        assert [as_sink_record(record) for record in read_all(log, topic, start=start)] == given_records

    check()


def test_a_repeated_batch_is_not_written_again_and_returns_false(environment: Environment) -> None:
    topic, sink = environment.new_topic(), environment.sink()
    assert sink.write("w", 0, 3, _records(topic, "a"))
    assert not sink.write("w", 0, 3, _records(topic, "a"))
    assert values(environment.log(), topic) == [b"a"]


def test_an_earlier_batch_is_not_written_even_to_another_topic(environment: Environment) -> None:
    topic, other, sink = environment.new_topic(), environment.new_topic(), environment.sink()
    sink.write("w", 0, 3, _records(topic, "a"))
    assert not sink.write("w", 0, 2, _records(other, "b"))
    assert values(environment.log(), other) == []


def test_batch_numbers_may_have_gaps(environment: Environment) -> None:
    topic, sink = environment.new_topic(), environment.sink()
    assert sink.write("w", 0, 3, _records(topic, "a"))
    assert sink.write("w", 0, 8, _records(topic, "b"))
    assert values(environment.log(), topic) == [b"a", b"b"]


def test_a_new_sink_recognizes_a_batch_that_another_sink_wrote(environment: Environment) -> None:
    topic = environment.new_topic()
    environment.sink().write("w", 0, 3, _records(topic, "a"))
    assert not environment.sink().write("w", 0, 3, _records(topic, "a"))


def test_each_slot_of_each_writer_has_its_own_batch_numbers(environment: Environment) -> None:
    topic, sink = environment.new_topic(), environment.sink()
    assert sink.write("w", 0, 3, _records(topic, "a"))
    assert sink.write("w", 1, 3, _records(topic, "b"))
    assert sink.write("v", 0, 3, _records(topic, "c"))
    assert values(environment.log(), topic) == [b"a", b"b", b"c"]


def test_a_slot_may_be_opened_before_it_is_written(environment: Environment) -> None:
    topic, sink = environment.new_topic(), environment.sink()
    writer = f"opened-{topic}"
    sink.open_slot(writer, 0)
    assert sink.write(writer, 0, 3, _records(topic, "a"))
    other = environment.sink()
    other.open_slot(writer, 0)
    assert not other.write(writer, 0, 3, _records(topic, "a"))
    assert other.write(writer, 0, 8, _records(topic, "b"))
    assert values(environment.log(), topic) == [b"a", b"b"]


def test_an_empty_batch_counts_as_written(environment: Environment) -> None:
    topic, sink = environment.new_topic(), environment.sink()
    assert sink.write("w", 0, 3, [])
    assert not sink.write("w", 0, 3, _records(topic, "a"))
    assert values(environment.log(), topic) == []


def test_the_newest_batch_is_the_greatest_number_of_all_slots_of_a_writer(environment: Environment) -> None:
    topic, sink = environment.new_topic(), environment.sink()
    writer = f"newest-{topic}"
    assert sink.newest_batch(writer) is None
    for slot, batch in ((0, 3), (2, 7), (1, 5)):
        sink.write(writer, slot, batch, _records(topic, "a"))
    sink.write(f"{writer}-other", 0, 9, _records(topic, "a"))
    assert environment.sink().newest_batch(writer) == 7


def test_a_batch_can_contain_records_of_several_topics(environment: Environment) -> None:
    first, second = environment.new_topic(), environment.new_topic()
    environment.sink().write("w", 0, 0, [*_records(first, "a"), *_records(second, "b"), *_records(first, "c")])
    assert values(environment.log(), first) == [b"a", b"c"]
    assert values(environment.log(), second) == [b"b"]


def test_the_key_selects_the_partition_as_in_kafka(environment: Environment) -> None:
    topic = environment.new_topic(partitions=3)
    keys = [b"AAPL", b"MSFT", b"IBM", b"FB", b"GOOG", b""]
    environment.sink().write("w", 0, 0, [SinkRecord(topic, key, key, 0) for key in keys])
    for partition in range(3):
        assert values(environment.log(), topic, partition) == [key for key in keys if partition_for(key, 3) == partition]


def test_records_without_a_key_are_distributed_over_all_partitions(environment: Environment) -> None:
    topic = environment.new_topic(partitions=3)
    environment.sink().write("w", 0, 0, _records(topic, *map(str, range(9))))
    assert [len(values(environment.log(), topic, partition)) for partition in range(3)] == [3, 3, 3]


def test_batches_of_one_record_without_a_key_are_distributed_over_all_partitions(environment: Environment) -> None:
    topic, sink = environment.new_topic(partitions=3), environment.sink()
    for batch in range(6):
        sink.write("w", 0, batch, _records(topic, "a"))
    assert [len(values(environment.log(), topic, partition)) for partition in range(3)] == [2, 2, 2]


def test_the_partition_of_a_record_takes_precedence_over_its_key(environment: Environment) -> None:
    topic = environment.new_topic(partitions=3)
    environment.sink().write(
        "w", 0, 0, [SinkRecord(topic, b"AAPL", b"%d" % partition, 0, partition=partition) for partition in range(3)]
    )
    assert [values(environment.log(), topic, partition) for partition in range(3)] == [[b"0"], [b"1"], [b"2"]]


def test_an_unknown_partition_is_rejected_and_nothing_is_written(environment: Environment) -> None:
    topic, sink = environment.new_topic(partitions=2), environment.sink()
    with pytest.raises(ValueError, match=f"'{topic}' has no partition 2; it has 0 to 1"):
        sink.write("w", 0, 0, [*_records(topic, "a"), SinkRecord(topic, None, b"b", 0, partition=2)])
    assert sink.write("w", 0, 0, _records(topic, "a"))
    assert values(environment.log(), topic) == [b"a"]


def test_an_unknown_topic_is_rejected_and_nothing_is_written(environment: Environment) -> None:
    topic, sink = environment.new_topic(), environment.sink()
    with pytest.raises(UnknownTopicError, match=f"'topic-none' is unknown.*{topic}.*create"):
        sink.write("w", 0, 0, [*_records(topic, "a"), *_records("topic-none", "b")])
    assert values(environment.log(), topic) == []


def test_creating_an_existing_topic_changes_nothing(environment: Environment) -> None:
    topic, sink = environment.new_topic(partitions=2), environment.sink()
    sink.write("w", 0, 0, _records(topic, "a"))
    sink.create_topic(topic, 5)
    assert environment.log().partitions(topic) == 2
    assert values(environment.log(), topic) == [b"a"]


def test_a_compacted_topic_keeps_the_last_record_of_each_key(environment: Environment) -> None:
    topic, sink = environment.new_topic(), environment.sink()
    compacted = f"{topic}-compacted"
    sink.create_topic(compacted, 3, compacted=True)
    sink.write("w", 0, 0, [SinkRecord(compacted, key, b"1", 5, (), 2) for key in (b"k", b"")])
    sink.write("w", 0, 1, [SinkRecord(compacted, b"k", None, 6, (), 2), SinkRecord(compacted, b"", b"2", 6, (), 2)])
    assert environment.log().partitions(compacted) == 3
    last = {record.key: record.value for record in read_all(environment.log(), compacted, 2)}
    assert last == {b"k": None, b"": b"2"}


def test_a_topic_needs_at_least_one_partition(environment: Environment) -> None:
    with pytest.raises(ValueError, match=r"'empty' cannot have 0 partitions; it needs 1 (or more|to 100000)"):
        environment.sink().create_topic("empty", 0)


def test_a_sink_can_be_used_again_after_close(environment: Environment) -> None:
    topic, sink = environment.new_topic(), environment.sink()
    sink.write("w", 0, 0, _records(topic, "a"))
    sink.close()
    sink.write("w", 0, 1, _records(topic, "b"))
    assert values(environment.log(), topic) == [b"a", b"b"]


def test_a_sink_can_be_pickled_before_its_first_use(environment: Environment) -> None:
    topic = environment.new_topic()
    sent = pickle.loads(pickle.dumps(environment.sink()))
    assert sent.write("w", 0, 0, _records(topic, "a"))
