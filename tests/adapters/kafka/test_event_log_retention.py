"""What a reader does when retention has deleted records that it was to read."""

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.run import MemoryRun
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.ports.event_log import OffsetOutOfRangeError, TopicPartition
from eddyline.application.runtime.input.range_reader import RangeReader
from eddyline.application.runtime.plan.options import AutoOffsetReset, RunOptions, RunPorts
from eddyline.application.topology import TopologyBuilder
from tests.adapters.kafka.conftest import Write, eventually, read_values


def copy_of(log: KafkaEventLog, topic: str, policy: AutoOffsetReset) -> tuple[MemoryRun, MemoryEventLog]:
    """Return a run that copies a topic, and the log that it writes to."""
    builder, results = TopologyBuilder(), MemoryEventLog()
    builder.stream(topic, key=str, value=str).to("copy")
    ports = RunPorts(log, MemoryEventSink(results), JsonCodecs(), MemoryStateStores())
    options = RunOptions(application_id=topic, new_topic_partitions=1, auto_offset_reset=policy)
    return MemoryRun(builder.build(), ports, options, MemoryClock()), results


@pytest.fixture
def shortened(topics: Topics, write: Write, name: str) -> str:
    """A topic of ten records, of which retention has deleted the first four."""
    topics.create(name, 1)
    write(name, [b"%d" % number for number in range(10)])
    topics.delete_records(name, {0: 4})
    return name


def test_deleted_records_are_an_error_with_their_number(log: KafkaEventLog, shortened: str) -> None:
    assert log.beginning_offset(shortened, 0) == 4
    assert log.bounds(shortened, 0) == (4, 10)
    message = "offsets 1 to 8 were requested, but the log starts at 4: retention has deleted 3 of them"
    with pytest.raises(OffsetOutOfRangeError, match=message):
        log.read(shortened, 0, 1, 8)


@pytest.mark.parametrize(("policy", "copied", "lost"), [("earliest", [b"7", b"8", b"9"], 3), ("latest", [], 6)])
def test_a_flow_skips_and_counts_deleted_records_if_that_is_accepted(
    log: KafkaEventLog, topics: Topics, write: Write, shortened: str, policy: AutoOffsetReset, copied: list[bytes], lost: int
) -> None:
    run, results = copy_of(log, shortened, policy)
    run.run_available_now()
    write(shortened, [b"4", b"5", b"6", b"7", b"8", b"9"])
    topics.delete_records(shortened, {0: 13})
    run.run_available_now()
    end = results.end_offset("copy", 0)
    assert [record.value for batch in results.read("copy", 0, 6, end) for record in batch] == copied
    assert run.report.skipped == {TopicPartition(shortened, 0): lost}


def test_a_flow_whose_records_were_deleted_fails_by_default(
    log: KafkaEventLog, topics: Topics, write: Write, shortened: str
) -> None:
    run, _ = copy_of(log, shortened, "none")
    run.run_available_now()
    write(shortened, [b"4", b"5", b"6"])
    topics.delete_records(shortened, {0: 11})
    with pytest.raises(OffsetOutOfRangeError, match="at offset 10, but the log has 11 to 13: retention has deleted 1"):
        run.run_available_now()


@pytest.mark.parametrize("policy", ["none", "earliest"])
def test_records_that_are_deleted_during_a_read_are_not_lost_silently(
    settings: KafkaSettings, topics: Topics, write: Write, name: str, policy: AutoOffsetReset
) -> None:
    topics.create(name, 1)
    write(name, [bytes(1000)] * 30_000)
    log = KafkaEventLog(settings.with_values({"fetch.message.max.bytes": "20000", "queued.max.messages.kbytes": "50"}))
    reader = RangeReader(log, TopicPartition(name, 0), policy)
    batches = reader.read(0, 30_000)
    offsets = [record.offset for record in next(batches)]
    topics.delete_records(name, {0: 29_000})
    if policy == "none":
        with pytest.raises(OffsetOutOfRangeError, match="but the log has 29000 to 30000"):
            list(batches)
    else:
        offsets += [record.offset for batch in batches for record in batch]
        assert offsets[-1_000:] == list(range(29_000, 30_000))
        assert reader.skipped == 30_000 - len(offsets) > 0
    log.close()


def test_a_range_of_a_topic_that_was_recreated_is_an_error(log: KafkaEventLog, topics: Topics, write: Write, name: str) -> None:
    topics.create(name, 1)
    write(name, [b"a", b"b"])
    assert read_values(log, name, 0, 2) == [b"a", b"b"]
    topics.delete(name)
    eventually(lambda: name not in log.topics())
    topics.create(name, 1)
    write(name, [b"c"])
    with pytest.raises(OffsetOutOfRangeError, match="deleted and recreated, reset the flow"):
        log.read(name, 0, 2, 4)
