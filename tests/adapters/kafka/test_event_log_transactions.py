"""Which offsets a reader sees of transactional and of compacted topics."""

import time

from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from tests.adapters.kafka.conftest import Write, eventually, read_all, read_values


def test_only_committed_records_are_read_and_transaction_markers_are_skipped(
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
    assert read_values(log, name, 2, 5) == []
    assert read_values(log, name, 6, end) == []
    assert read_values(log, name, 0, 6) == [b"a", b"b", b"c"]


def test_a_read_of_nothing_but_aborted_records_ends_every_time(
    log: KafkaEventLog, topics: Topics, write_in_transaction: Write, name: str
) -> None:
    topics.create(name, 1)
    position = 0
    for round_ in range(4):
        write_in_transaction(name, [b"never"], end="abort")
        end = log.end_offset(name, 0)
        assert end == 2 * (round_ + 1)
        assert read_values(log, name, position, end) == []
        position = end
    write_in_transaction(name, [b"committed"])
    assert read_values(log, name, position, log.end_offset(name, 0)) == [b"committed"]


def test_the_end_offset_is_before_an_open_transaction(
    log: KafkaEventLog, topics: Topics, write: Write, write_in_transaction: Write, name: str
) -> None:
    topics.create(name, 1)
    write(name, [b"before"])
    write_in_transaction(name, [b"open"], end="leave open")
    write(name, [b"after"])
    assert log.end_offset(name, 0) == 1
    assert log.topic_bounds([name]) == {name: [(0, 1)]}
    assert [record.value for record in read_all(log, name)] == [b"before"]


def test_uncommitted_records_are_read_with_that_isolation_level(
    settings: KafkaSettings, topics: Topics, write_in_transaction: Write, name: str
) -> None:
    topics.create(name, 1)
    write_in_transaction(name, [b"open"], end="leave open")
    uncommitted = KafkaEventLog({"bootstrap.servers": settings.bootstrap_servers, "isolation.level": "read_uncommitted"})
    assert uncommitted.topic_bounds([name]) == {name: [(0, 1)]}
    assert [record.value for record in read_all(uncommitted, name)] == [b"open"]
    uncommitted.close()


def test_a_compacted_topic_is_read_with_its_gaps(log: KafkaEventLog, topics: Topics, write: Write, name: str) -> None:
    topics.create(name, 1, config={"cleanup.policy": "compact", "segment.ms": "100", "min.cleanable.dirty.ratio": "0.01"})
    for number in range(3):
        write(name, [b"%d" % number, b"%d" % number], key=b"k")
        time.sleep(0.15)
    write(name, [b"last"], key=b"other")

    def is_compacted() -> bool:
        write(name, [b"roll"], key=b"roll")
        return len([record for record in read_all(log, name) if record.key == b"k"]) == 1

    eventually(is_compacted)
    records = read_all(log, name)
    assert records[0].value == b"2"
    assert records[0].offset == 5
    assert read_values(log, name, 0, 5) == []
    assert read_values(log, name, 0, 6) == [b"2"]
