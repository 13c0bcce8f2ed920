"""The latest records of the topics of a flow."""

from eddyline import Topology, TopologyBuilder
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.event_log import Position
from eddyline.application.queries.latest_records import LatestRecords


def topology() -> Topology:
    builder = TopologyBuilder()
    builder.stream("read", key=str, value=int).to("written")
    return builder.build()


def records_of(log: MemoryEventLog) -> LatestRecords:
    return LatestRecords(log, JsonCodecs(), topology())


def test_existing_topics_have_a_size_those_that_are_written_first() -> None:
    log = MemoryEventLog()
    assert records_of(log).sizes() == {}
    log.create_topic("read", 2)
    log.create_topic("written", 1)
    log.create_topic("other", 1)
    log.append("read", b"k", b"1", 5, partition=1)
    assert list(records_of(log).sizes().items()) == [("written", 0), ("read", 1)]
    assert (records_of(log).written, records_of(log).read) == (("written",), ("read",))


def test_the_latest_records_of_all_partitions_are_merged_by_time() -> None:
    log = MemoryEventLog()
    log.create_topic("written", 2)
    for timestamp in (10, 30, 50):
        log.append("written", b"k", b"%d" % timestamp, timestamp, partition=0)
    for timestamp in (20, 40):
        log.append("written", None, None, timestamp, partition=1)
    found = records_of(log).latest("written", 3)
    assert [(record.timestamp, record.key, record.value) for record in found] == [(50, "k", 50), (40, None, None), (30, "k", 30)]
    assert [record.position for record in found] == [
        Position("written", 0, 2),
        Position("written", 1, 1),
        Position("written", 0, 1),
    ]
    assert records_of(log).latest("missing", 3) == []


def test_a_record_that_cannot_be_decoded_has_its_bytes_and_the_reason() -> None:
    log = MemoryEventLog()
    log.create_topic("written", 1)
    log.append("written", b"k", b"no json", 5)
    (record,) = records_of(log).latest("written", 9)
    assert (record.key, record.value) == (b"k", b"no json")
    assert record.error is not None
