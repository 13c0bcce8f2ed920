"""The contract of the event log, tested on every adapter."""

import pickle

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eddyline.application.ports.event_log import OffsetOutOfRangeError, UnknownTopicError
from eddyline.application.ports.event_sink import SinkRecord
from tests.fixtures.examples import examples
from tests.ports.environments import Environment, read_all, values


def _filled(environment: Environment, count: int) -> str:
    topic = environment.new_topic()
    environment.sink().write(topic, 0, 0, [SinkRecord(topic, None, b"%d" % number, number) for number in range(count)])
    return topic


def test_topics_are_listed_sorted_by_name(environment: Environment) -> None:
    for topic in ("trades", "alerts", "quotes"):
        environment.sink().create_topic(topic, 1)
    assert list(environment.log().topics()) == ["alerts", "quotes", "trades"]


def test_a_topic_has_the_number_of_partitions_it_was_created_with(environment: Environment) -> None:
    assert environment.log().partitions(environment.new_topic(partitions=3)) == 3


def test_a_new_topic_is_empty(environment: Environment) -> None:
    log, topic = environment.log(), environment.new_topic()
    assert log.beginning_offset(topic, 0) == log.end_offset(topic, 0)
    assert read_all(log, topic) == []


def test_offsets_increase_and_are_below_the_end_offset(environment: Environment) -> None:
    log, topic = environment.log(), _filled(environment, 20)
    offsets = [record.offset for record in read_all(log, topic)]
    assert offsets == sorted(set(offsets))
    assert log.beginning_offset(topic, 0) <= offsets[0]
    assert offsets[-1] < log.end_offset(topic, 0)


def test_a_record_has_its_topic_partition_and_timestamp_and_no_error(environment: Environment) -> None:
    log, topic = environment.log(), environment.new_topic(partitions=2)
    environment.sink().write("w", 0, 0, [SinkRecord(topic, b"k", b"v", 7, partition=1)])
    [record] = read_all(log, topic, 1)
    assert (record.topic, record.partition, record.timestamp, record.error) == (topic, 1, 7, None)


@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_reading_a_range_returns_the_records_with_these_offsets(environment: Environment, data: st.DataObject) -> None:
    log, topic = environment.log(), _filled(environment, 12)
    whole, end = read_all(log, topic), log.end_offset(topic, 0)
    start = data.draw(st.integers(log.beginning_offset(topic, 0), end))
    stop = data.draw(st.integers(start, end))
    found = [record for batch in log.read(topic, 0, start, stop) for record in batch]
    assert found == [record for record in whole if start <= record.offset < stop]


def test_a_log_returns_records_written_after_it_was_created(environment: Environment) -> None:
    log, topic = environment.log(), environment.new_topic()
    before = log.end_offset(topic, 0)
    environment.sink().write("w", 0, 0, [SinkRecord(topic, None, b"later", 0)])
    assert log.end_offset(topic, 0) > before
    assert values(log, topic) == [b"later"]


def test_the_bounds_of_topics_are_those_of_all_their_partitions(environment: Environment) -> None:
    log, one, three = environment.log(), _filled(environment, 2), environment.new_topic(partitions=3)
    environment.sink().write("w", 0, 0, [SinkRecord(three, None, b"a", 0, partition=1)])
    assert log.topic_bounds(name for name in (one, three)) == {
        topic: [(log.beginning_offset(topic, number), log.end_offset(topic, number)) for number in range(log.partitions(topic))]
        for topic in (one, three)
    }
    assert log.topic_bounds([]) == {}
    with pytest.raises(UnknownTopicError, match="topic-none"):
        log.topic_bounds([one, "topic-none"])


def test_a_range_beyond_the_end_is_rejected_with_the_valid_range(environment: Environment) -> None:
    log, topic = environment.log(), _filled(environment, 2)
    end = log.end_offset(topic, 0)
    with pytest.raises(OffsetOutOfRangeError, match=rf"'{topic}', partition 0: .*{end + 5}.* {end}"):
        log.read(topic, 0, 0, end + 5)
    with pytest.raises(OffsetOutOfRangeError, match=topic):
        log.read(topic, 0, end + 1, end + 1)


def test_a_range_before_the_beginning_is_rejected(environment: Environment) -> None:
    log, topic = environment.log(), _filled(environment, 2)
    with pytest.raises(OffsetOutOfRangeError, match=topic):
        log.read(topic, 0, log.beginning_offset(topic, 0) - 1, 1)


def test_an_unknown_topic_is_rejected_with_the_existing_topics_and_how_to_create_it(environment: Environment) -> None:
    known = environment.new_topic()
    with pytest.raises(UnknownTopicError, match=f"'topic-none' is unknown.*{known}.*create"):
        environment.log().partitions("topic-none")
    with pytest.raises(UnknownTopicError, match="topic-none"):
        environment.log().end_offset("topic-none", 0)


def test_an_unknown_partition_is_rejected_with_the_existing_partitions(environment: Environment) -> None:
    log, topic = environment.log(), environment.new_topic(partitions=2)
    for call in (log.beginning_offset, log.end_offset, lambda topic, number: log.read(topic, number, 0, 0)):
        with pytest.raises(UnknownTopicError, match=f"'{topic}' has no partition 2; it has 0 to 1"):
            call(topic, 2)


def test_a_log_can_be_used_again_after_close(environment: Environment) -> None:
    log, topic = environment.log(), _filled(environment, 3)
    read_all(log, topic)
    log.close()
    assert values(log, topic) == [b"0", b"1", b"2"]


def test_a_log_can_be_pickled_before_its_first_use(environment: Environment) -> None:
    topic = _filled(environment, 3)
    sent = pickle.loads(pickle.dumps(environment.log()))
    assert values(sent, topic) == [b"0", b"1", b"2"]


def test_the_identity_of_a_log_stays_the_same_while_its_topics_grow(environment: Environment) -> None:
    first, second = environment.new_topic(), environment.new_topic(partitions=2)
    before = environment.log().identity([first, second])
    environment.sink().write("w", 0, 0, [SinkRecord(second, b"k", b"v", 7, partition=1)])
    after = environment.log().identity([first, second])
    assert after == before
    assert before.kind in {"memory", "files", "kafka"}
    assert list(before.topics) == [first, second]
    assert all(before.topics.values())
    assert len(set(before.topics.values())) == 2


def test_a_topic_that_is_deleted_and_created_again_has_another_identity(environment: Environment) -> None:
    topic, other = _filled(environment, 2), environment.new_topic()
    log = environment.log()
    before = log.identity([topic, other])
    environment.delete_topic(topic)
    environment.sink().create_topic(topic, 1)
    after = log.identity([topic, other])
    assert (after.kind, after.cluster, after.topics[other]) == (before.kind, before.cluster, before.topics[other])
    assert after.topics[topic] != before.topics[topic]


def test_the_identity_of_an_unknown_topic_is_an_error(environment: Environment) -> None:
    with pytest.raises(UnknownTopicError, match="'topic-none' is unknown"):
        environment.log().identity(["topic-none"])
