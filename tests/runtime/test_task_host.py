"""A task host processes the records of a batch in order, from the log and from repartition topics."""

from collections.abc import Callable

import pytest

from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.input.record_queue import OffsetRange
from eddyline.application.topology import TopologyBuilder, join_windows
from eddyline.application.topology.processor import FixedKeyProcessor, Record
from eddyline.application.topology.records import RecordMetadata, SourceRecord
from tests.runtime.hosts import PARTITION, Host, merged, received
from tests.runtime.retention import RetentionLog


class Positions(FixedKeyProcessor[str, str, str]):
    """Replaces each value by the metadata of its record."""

    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record.with_value(repr(self.context.record_metadata)))


def left(start: int, end: int, *, more: bool = False) -> OffsetRange:
    return OffsetRange("left", PARTITION, start, end, more)


def right(start: int, end: int, *, more: bool = False) -> OffsetRange:
    return OffsetRange("right", PARTITION, start, end, more)


@pytest.mark.parametrize(
    ("order", "expected"), [("timestamp", [b"l1", b"r2", b"l3", b"r4"]), ("arrival", [b"r2", b"r4", b"l1", b"l3"])]
)
def test_records_are_taken_by_timestamp_or_by_arrival(order: str, expected: list[bytes]) -> None:
    host = Host(merged, order=order)
    host.append("left", b"l1", 1, arrival=7)
    host.append("left", b"l3", 3, arrival=8)
    host.append("right", b"r2", 2, arrival=5)
    host.append("right", b"r4", 4, arrival=6)
    assert host.run(*host.all_of("right", "left")) == expected


def test_of_equal_timestamps_the_topic_with_the_lower_name_is_taken_first() -> None:
    host = Host(merged)
    host.append("right", b"r", 1)
    host.append("left", b"l", 1)
    assert host.run(*host.all_of("right", "left")) == [b"l", b"r"]


@pytest.mark.parametrize(("timestamp", "expected"), [(100, [b"r", b"l"]), (-1, [b"r"])])
def test_extracted_timestamps_determine_the_order(timestamp: int, expected: list[bytes]) -> None:
    def with_extractor(builder: TopologyBuilder) -> None:
        extracted = builder.stream("left", key=str, value=str, timestamp=lambda _record: timestamp)
        extracted.merge(builder.stream("right", key=str, value=str)).to("out")

    host = Host(with_extractor)
    host.append("left", b"l", 1)
    host.append("right", b"r", 50)
    assert host.run(*host.all_of("left", "right")) == expected
    assert sum(host.host.report().drops.values()) == 2 - len(expected)


def test_when_all_topics_have_an_extractor_the_order_is_that_of_extracted_timestamps() -> None:
    def with_extractors(builder: TopologyBuilder) -> None:
        left, right = (
            builder.stream(topic, key=str, value=str, timestamp=lambda record: -record.timestamp + 100)
            for topic in ("left", "right")
        )
        left.merge(right).to("out")

    host = Host(with_extractors)
    host.append("left", b"l", 1)
    host.append("right", b"r", 2)
    assert host.run(*host.all_of("left", "right")) == [b"r", b"l"]


def test_an_extractor_gets_the_whole_record() -> None:
    seen: list[SourceRecord] = []

    def extract(record: SourceRecord) -> int:
        seen.append(record)
        return record.timestamp

    host = Host(lambda builder: with_extractor_of_left(builder, extract))
    host.append("left", b"l0", 7)
    host.append("left", b"l1", 8, headers=(("trace", b"x"),))
    host.run(left(1, 2), *host.all_of("right"))
    assert seen
    assert set(seen) == {SourceRecord("left", PARTITION, 1, 8, "k", "l1", (("trace", b"x"),))}


def test_a_record_with_an_invalid_timestamp_is_taken_before_all_others() -> None:
    host = Host(lambda builder: with_extractor_of_left(builder, lambda record: None if record.value == "x" else record.timestamp))
    host.append("left", b"x", 9)
    host.append("left", b"l", 0)
    host.append("right", b"r", 0)
    assert host.run(*host.all_of("left", "right")) == [b"l", b"r"]


def with_extractor_of_left(builder: TopologyBuilder, extractor: Callable[[SourceRecord], int | None]) -> None:
    extracted = builder.stream("left", key=str, value=str, timestamp=extractor)
    extracted.merge(builder.stream("right", key=str, value=str)).to("out")


def test_a_batch_ends_where_a_queue_with_more_is_empty_and_the_next_batch_continues_there() -> None:
    host = Host(merged)
    for topic, value, timestamp in (("left", b"l1", 1), ("left", b"l5", 5), ("right", b"r2", 2), ("right", b"r4", 4)):
        host.append(topic, value, timestamp)
    assert host.run(left(0, 1, more=True), right(0, 2)) == [b"l1"]
    assert host.host.unread == {TopicPartition("left", PARTITION): None, TopicPartition("right", PARTITION): 0}
    assert host.host.report().records == 1
    assert host.run(left(1, 2), right(0, 2)) == [b"r2", b"r4", b"l5"]
    assert host.host.unread == {TopicPartition("left", PARTITION): None, TopicPartition("right", PARTITION): None}
    assert host.host.report().records == 3


def test_a_batch_cut_in_the_middle_of_two_ranges_takes_every_record_once() -> None:
    host = Host(merged)
    for topic, value, timestamp in (("left", b"l1", 1), ("left", b"l4", 4), ("left", b"l9", 9)):
        host.append(topic, value, timestamp)
    for value, timestamp in ((b"r2", 2), (b"r3", 3), (b"r8", 8)):
        host.append("right", value, timestamp)
    assert host.run(left(0, 2, more=True), right(0, 3)) == [b"l1", b"r2", b"r3", b"l4"]
    assert host.host.unread == {TopicPartition("left", PARTITION): None, TopicPartition("right", PARTITION): 2}
    assert host.host.report().records == 4
    assert host.run(left(2, 3), right(2, 3)) == [b"r8", b"l9"]
    assert host.host.report().records == 2


def test_a_queue_that_is_empty_from_the_start_and_has_more_blocks_all_others() -> None:
    host = Host(merged)
    host.append("right", b"r2", 2)
    assert host.run(left(0, 0, more=True), right(0, 1)) == []
    assert host.host.unread == {TopicPartition("left", PARTITION): None, TopicPartition("right", PARTITION): 0}


def test_a_later_batch_continues_after_the_record_at_which_the_queue_stopped() -> None:
    host = Host(merged)
    for value, timestamp in ((b"r0", 0), (b"r2", 2), (b"r3", 3)):
        host.append("right", value, timestamp)
    host.append("left", b"l1", 1)
    assert host.run(left(0, 1, more=True), right(0, 3)) == [b"r0", b"l1"]
    assert host.host.unread[TopicPartition("right", PARTITION)] == 1


def moved_and_merged(builder: TopologyBuilder) -> None:
    moved = builder.stream("left", key=str, value=str).repartition(name="moved")
    moved.merge(builder.stream("right", key=str, value=str)).to("out")


def test_records_of_repartition_topics_wait_for_the_records_of_the_log_that_may_precede_them() -> None:
    host = Host(moved_and_merged, sub_topology=1)
    host.append("right", b"r1", 1)
    host.append("right", b"r6", 6)
    moved = {("moved-repartition", 0): [received(b"m0", 0), received(b"m5", 5)], ("moved-repartition", 1): [received(b"m7", 7)]}
    assert host.run(right(0, 1, more=True), repartitioned=moved) == [b"m0", b"r1"]
    assert host.host.report().records == 1
    assert host.run(repartitioned={("moved-repartition", 0): [received(b"m8", 8)]}) == []
    assert host.run(right(1, 2)) == [b"m5", b"r6", b"m7", b"m8"]
    assert host.host.report().records == 1
    assert host.run(right(2, 2)) == []


def moved_and_two_merged(builder: TopologyBuilder) -> None:
    moved_and_merged(builder)
    sooner, right = (builder.stream(topic, key=str, value=str) for topic in ("sooner", "right"))
    windows = join_windows(before=0, after=0, grace=0)
    sooner.join(right, lambda one, _other: one, windows=windows, value=str).to("both")


def test_where_the_queues_of_the_log_stop_is_known_if_others_precede_them() -> None:
    host = Host(moved_and_two_merged, sub_topology=1)
    for timestamp in (0, 2, 3):
        host.append("right", b"r%d" % timestamp, timestamp)
    host.append("sooner", b"s1", 1)
    moved = {("moved-repartition", 0): [received(b"m0", 0)]}
    host.run(OffsetRange("sooner", PARTITION, 0, 1, more=True), right(0, 3), repartitioned=moved)
    assert host.host.unread[TopicPartition("right", PARTITION)] == 1


def joined_with_names(builder: TopologyBuilder) -> None:
    names = builder.global_table("names", key=str, value=str)
    lines = builder.stream("lines", key=str, value=str)
    lines.join(names, lambda line, name: f"{line} {name}", key_selector=lambda key, _line: key, value=str).to("out")


@pytest.mark.parametrize(("order", "expected"), [("timestamp", [b"hello Ann"]), ("arrival", [])])
def test_global_tables_are_filled_first_unless_records_are_taken_by_arrival(order: str, expected: list[bytes]) -> None:
    host = Host(joined_with_names, order=order)
    host.append("lines", b"hello", 1, arrival=0)
    host.append("names", b"Ann", 9, arrival=1)
    assert host.run(*host.all_of("lines", "names")) == expected
    assert host.host.report().records == 2


def repartitioned(builder: TopologyBuilder) -> None:
    builder.stream("lines", key=str, value=str).repartition(name="moved").to("out")


@pytest.mark.parametrize(
    ("order", "expected"), [("timestamp", [b"b5", b"a7", b"a1", b"b9"]), ("arrival", [b"a7", b"b5", b"b9", b"a1"])]
)
def test_the_records_of_each_sender_are_a_queue(order: str, expected: list[bytes]) -> None:
    host = Host(repartitioned, sub_topology=1, order=order)
    senders = {
        ("moved-repartition", 3): [received(b"b5", 5, 2), received(b"b9", 9, 3)],
        ("moved-repartition", 0): [received(b"a7", 7, 1), received(b"a1", 1, 4)],
    }
    assert host.run(repartitioned=senders) == expected
    assert host.host.report().records == 0, "only records from the log are counted"


def test_by_arrival_records_without_an_arrival_number_are_taken_first() -> None:
    host = Host(repartitioned, sub_topology=1, order="arrival")
    senders = {("moved-repartition", 0): [received(b"a", 5, 1)], ("moved-repartition", 3): [received(b"b", 5)]}
    assert host.run(repartitioned=senders) == [b"b", b"a"]


def with_positions(builder: TopologyBuilder) -> None:
    moved = builder.stream("lines", key=str, value=str).repartition(name="moved")
    moved.process_values(Positions, value=str).to("out")


def test_repartitioned_records_are_numbered_in_each_batch_and_keep_their_headers() -> None:
    host = Host(with_positions, sub_topology=1)
    senders = {
        ("moved-repartition", 0): [received(b"a", 1), received(b"b", 2, headers=(("trace", b"x"),))],
        ("moved-repartition", 1): [received(b"c", 3)],
    }
    expected = [
        RecordMetadata("moved-repartition", PARTITION, 0, 1, ()),
        RecordMetadata("moved-repartition", PARTITION, 1, 2, (("trace", b"x"),)),
        RecordMetadata("moved-repartition", PARTITION, 2, 3, ()),
    ]
    assert host.run(repartitioned=senders) == [repr(metadata).encode() for metadata in expected]
    assert host.run(repartitioned=senders) == [repr(metadata).encode() for metadata in expected]


def test_of_equal_timestamps_the_lower_sender_is_taken_first() -> None:
    host = Host(repartitioned, sub_topology=1)
    senders = {("moved-repartition", 3): [received(b"b", 5)], ("moved-repartition", 0): [received(b"a", 5)]}
    assert host.run(repartitioned=senders) == [b"a", b"b"]


@pytest.mark.parametrize(("policy", "expected"), [("earliest", [b"2", b"3"]), ("latest", [])])
def test_records_that_were_deleted_since_the_batch_was_planned_are_skipped_as_the_policy_says(
    policy: str, expected: list[bytes]
) -> None:
    log = RetentionLog()
    host = Host(merged, log=log, auto_offset_reset=policy)
    for number in range(4):
        host.append("left", b"%d" % number, number)
    log.delete_records("left", PARTITION, 2)
    assert host.run(left(0, 4)) == expected
    assert host.host.report().skipped == {("left", PARTITION): 4 - len(expected)}
