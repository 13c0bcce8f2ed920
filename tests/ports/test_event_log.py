"""What every event log does."""

import pickle

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eddyline.application.ports.event_log import OffsetOutOfRangeError, UnknownTopicError
from eddyline.application.ports.event_sink import SinkRecord
from tests.ports.places import Place, everything, values


def _filled(place: Place, count: int) -> str:
    topic = place.new_topic()
    place.sink().write(topic, 0, 0, [SinkRecord(topic, None, b"%d" % number, number) for number in range(count)])
    return topic


def test_topics_are_listed_in_order_of_their_names(place: Place) -> None:
    for topic in ("trades", "alerts", "quotes"):
        place.sink().create_topic(topic, 1)
    assert list(place.log().topics()) == ["alerts", "quotes", "trades"]


def test_a_topic_has_the_partitions_that_it_was_made_with(place: Place) -> None:
    assert place.log().partitions(place.new_topic(partitions=3)) == 3


def test_a_new_topic_ends_where_it_begins(place: Place) -> None:
    log, topic = place.log(), place.new_topic()
    assert log.beginning_offset(topic, 0) == log.end_offset(topic, 0)
    assert everything(log, topic) == []


def test_offsets_rise_and_stay_below_the_end(place: Place) -> None:
    log, topic = place.log(), _filled(place, 20)
    offsets = [record.offset for record in everything(log, topic)]
    assert offsets == sorted(set(offsets))
    assert log.beginning_offset(topic, 0) <= offsets[0]
    assert offsets[-1] < log.end_offset(topic, 0)


def test_a_record_tells_where_it_is_and_that_it_is_sound(place: Place) -> None:
    log, topic = place.log(), place.new_topic(partitions=2)
    place.sink().write("w", 0, 0, [SinkRecord(topic, b"k", b"v", 7, partition=1)])
    [record] = everything(log, topic, 1)
    assert (record.topic, record.partition, record.timestamp, record.error) == (topic, 1, 7, None)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_any_range_holds_the_records_with_its_offsets(place: Place, data: st.DataObject) -> None:
    log, topic = place.log(), _filled(place, 12)
    whole, end = everything(log, topic), log.end_offset(topic, 0)
    start = data.draw(st.integers(log.beginning_offset(topic, 0), end))
    stop = data.draw(st.integers(start, end))
    found = [record for batch in log.read(topic, 0, start, stop) for record in batch]
    assert found == [record for record in whole if start <= record.offset < stop]


def test_a_log_sees_what_is_written_after_it_was_made(place: Place) -> None:
    log, topic = place.log(), place.new_topic()
    before = log.end_offset(topic, 0)
    place.sink().write("w", 0, 0, [SinkRecord(topic, None, b"later", 0)])
    assert log.end_offset(topic, 0) > before
    assert values(log, topic) == [b"later"]


def test_a_range_past_the_end_is_refused_with_the_range_there_is(place: Place) -> None:
    log, topic = place.log(), _filled(place, 2)
    end = log.end_offset(topic, 0)
    with pytest.raises(OffsetOutOfRangeError, match=rf"'{topic}', partition 0: .*{end + 5}.* {end}"):
        log.read(topic, 0, 0, end + 5)
    with pytest.raises(OffsetOutOfRangeError, match=topic):
        log.read(topic, 0, end + 1, end + 1)


def test_a_range_before_the_beginning_is_refused(place: Place) -> None:
    log, topic = place.log(), _filled(place, 2)
    with pytest.raises(OffsetOutOfRangeError, match=topic):
        log.read(topic, 0, log.beginning_offset(topic, 0) - 1, 1)


def test_an_unknown_topic_is_refused_with_the_topics_there_are_and_the_cure(place: Place) -> None:
    known = place.new_topic()
    with pytest.raises(UnknownTopicError, match=f"'topic-none' is unknown.*{known}.*create"):
        place.log().partitions("topic-none")
    with pytest.raises(UnknownTopicError, match="topic-none"):
        place.log().end_offset("topic-none", 0)


def test_an_unknown_partition_is_refused_with_those_there_are(place: Place) -> None:
    topic = place.new_topic(partitions=2)
    with pytest.raises(LookupError, match=f"'{topic}' has no partition 2; it has 0 to 1"):
        place.log().end_offset(topic, 2)


def test_a_closed_log_may_be_used_again(place: Place) -> None:
    log, topic = place.log(), _filled(place, 3)
    everything(log, topic)
    log.close()
    assert values(log, topic) == [b"0", b"1", b"2"]


def test_a_log_can_be_sent_to_another_process_before_its_first_use(place: Place) -> None:
    topic = _filled(place, 3)
    sent = pickle.loads(pickle.dumps(place.log()))
    assert values(sent, topic) == [b"0", b"1", b"2"]
