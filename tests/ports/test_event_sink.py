"""What every event sink does."""

import pickle

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eddyline.application.ports.event_log import UnknownTopicError
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.partitioner import partition_for
from tests.ports.places import Place, everything, values, written
from tests.ports.records import records


def _records(topic: str, *texts: str) -> list[SinkRecord]:
    return [SinkRecord(topic, None, text.encode(), 0) for text in texts]


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_any_records_come_back_as_they_were_and_in_order(place: Place, data: st.DataObject) -> None:
    topic = place.new_topic()
    given_records = data.draw(records(topic, place.earliest, place.unnameable))
    assert place.sink().write(topic, 0, 0, given_records)
    assert [written(record) for record in everything(place.log(), topic)] == given_records


def test_a_repeated_batch_writes_nothing_and_says_so(place: Place) -> None:
    topic, sink = place.new_topic(), place.sink()
    assert sink.write("w", 0, 3, _records(topic, "a"))
    assert not sink.write("w", 0, 3, _records(topic, "a"))
    assert values(place.log(), topic) == [b"a"]


def test_an_earlier_batch_writes_nothing_even_to_another_topic(place: Place) -> None:
    topic, other, sink = place.new_topic(), place.new_topic(), place.sink()
    sink.write("w", 0, 3, _records(topic, "a"))
    assert not sink.write("w", 0, 2, _records(other, "b"))
    assert values(place.log(), other) == []


def test_a_later_batch_need_not_follow_at_once(place: Place) -> None:
    topic, sink = place.new_topic(), place.sink()
    assert sink.write("w", 0, 3, _records(topic, "a"))
    assert sink.write("w", 0, 8, _records(topic, "b"))
    assert values(place.log(), topic) == [b"a", b"b"]


def test_a_new_sink_remembers_what_another_wrote(place: Place) -> None:
    topic = place.new_topic()
    place.sink().write("w", 0, 3, _records(topic, "a"))
    assert not place.sink().write("w", 0, 3, _records(topic, "a"))


def test_slots_and_writers_count_their_batches_apart(place: Place) -> None:
    topic, sink = place.new_topic(), place.sink()
    assert sink.write("w", 0, 3, _records(topic, "a"))
    assert sink.write("w", 1, 3, _records(topic, "b"))
    assert sink.write("v", 0, 3, _records(topic, "c"))
    assert values(place.log(), topic) == [b"a", b"b", b"c"]


def test_an_empty_batch_counts_as_written(place: Place) -> None:
    topic, sink = place.new_topic(), place.sink()
    assert sink.write("w", 0, 3, [])
    assert not sink.write("w", 0, 3, _records(topic, "a"))
    assert values(place.log(), topic) == []


def test_a_batch_may_go_to_many_topics(place: Place) -> None:
    first, second = place.new_topic(), place.new_topic()
    place.sink().write("w", 0, 0, [*_records(first, "a"), *_records(second, "b"), *_records(first, "c")])
    assert values(place.log(), first) == [b"a", b"c"]
    assert values(place.log(), second) == [b"b"]


def test_the_key_decides_the_partition_as_kafka_does(place: Place) -> None:
    topic = place.new_topic(partitions=3)
    keys = [b"AAPL", b"MSFT", b"IBM", b"FB", b"GOOG", b""]
    place.sink().write("w", 0, 0, [SinkRecord(topic, key, key, 0) for key in keys])
    for partition in range(3):
        assert values(place.log(), topic, partition) == [key for key in keys if partition_for(key, 3) == partition]


def test_records_without_a_key_are_spread_over_all_partitions(place: Place) -> None:
    topic = place.new_topic(partitions=3)
    place.sink().write("w", 0, 0, _records(topic, *map(str, range(9))))
    assert [len(values(place.log(), topic, partition)) for partition in range(3)] == [3, 3, 3]


def test_batches_of_one_record_without_a_key_do_not_all_go_to_one_partition(place: Place) -> None:
    topic, sink = place.new_topic(partitions=3), place.sink()
    for batch in range(6):
        sink.write("w", 0, batch, _records(topic, "a"))
    assert [len(values(place.log(), topic, partition)) for partition in range(3)] == [2, 2, 2]


def test_a_records_own_partition_counts_more_than_its_key(place: Place) -> None:
    topic = place.new_topic(partitions=3)
    place.sink().write(
        "w", 0, 0, [SinkRecord(topic, b"AAPL", b"%d" % partition, 0, partition=partition) for partition in range(3)]
    )
    assert [values(place.log(), topic, partition) for partition in range(3)] == [[b"0"], [b"1"], [b"2"]]


def test_a_partition_that_does_not_exist_is_refused_and_nothing_is_written(place: Place) -> None:
    topic, sink = place.new_topic(partitions=2), place.sink()
    with pytest.raises(ValueError, match=f"'{topic}' has no partition 2; it has 0 to 1"):
        sink.write("w", 0, 0, [*_records(topic, "a"), SinkRecord(topic, None, b"b", 0, partition=2)])
    assert sink.write("w", 0, 0, _records(topic, "a"))
    assert values(place.log(), topic) == [b"a"]


def test_an_unknown_topic_is_refused_and_nothing_is_written(place: Place) -> None:
    topic, sink = place.new_topic(), place.sink()
    with pytest.raises(UnknownTopicError, match=f"'topic-none' is unknown.*{topic}.*create"):
        sink.write("w", 0, 0, [*_records(topic, "a"), *_records("topic-none", "b")])
    assert values(place.log(), topic) == []


def test_creating_a_topic_that_exists_leaves_it_as_it_is(place: Place) -> None:
    topic, sink = place.new_topic(partitions=2), place.sink()
    sink.write("w", 0, 0, _records(topic, "a"))
    sink.create_topic(topic, 5)
    assert place.log().partitions(topic) == 2
    assert values(place.log(), topic) == [b"a"]


def test_a_topic_needs_a_partition(place: Place) -> None:
    with pytest.raises(ValueError, match="'empty' cannot have 0 partitions; it needs 1 or more"):
        place.sink().create_topic("empty", 0)


def test_a_closed_sink_may_be_used_again(place: Place) -> None:
    topic, sink = place.new_topic(), place.sink()
    sink.write("w", 0, 0, _records(topic, "a"))
    sink.close()
    sink.write("w", 0, 1, _records(topic, "b"))
    assert values(place.log(), topic) == [b"a", b"b"]


def test_a_sink_can_be_sent_to_another_process_before_its_first_use(place: Place) -> None:
    topic = place.new_topic()
    sent = pickle.loads(pickle.dumps(place.sink()))
    assert sent.write("w", 0, 0, _records(topic, "a"))
