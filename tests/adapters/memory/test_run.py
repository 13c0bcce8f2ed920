import threading
from collections.abc import Callable
from typing import Any

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.run import MemoryRun
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.ports.event_log import UnknownTopicError
from eddyline.application.runtime.options import RunOptions, RunPorts
from eddyline.application.runtime.report import Progress
from eddyline.application.samples.text.word_count import word_count
from eddyline.application.topology import Topology, TopologyBuilder


@pytest.fixture
def log() -> MemoryEventLog:
    return MemoryEventLog()


def run_of(topology: Topology, log: MemoryEventLog, **options: Any) -> MemoryRun:
    given = {"application_id": "app", "emit": "every-update", "max_batch_records": 100, "trigger_interval_ms": 0, **options}
    ports = RunPorts(log, MemoryEventSink(log), JsonCodecs(), MemoryStateStores())
    return MemoryRun(topology, ports, RunOptions(**{"new_topic_partitions": 1, **given}), MemoryClock())


def values(log: MemoryEventLog, topic: str, partition: int = 0) -> list[bytes | None]:
    return [record.value for batch in log.read(topic, partition, 0, log.end_offset(topic, partition)) for record in batch]


def built(say: Callable[[TopologyBuilder], object]) -> Topology:
    builder = TopologyBuilder()
    say(builder)
    return builder.build()


def merged(builder: TopologyBuilder) -> None:
    builder.stream("a", key=str, value=str).merge(builder.stream("b", key=str, value=str)).to("out")


def fill(log: MemoryEventLog, topic: str, *records: tuple[bytes, int, int]) -> None:
    log.create_topic(topic, 1)
    for value, timestamp, arrival in records:
        log.append(topic, b"k", value, timestamp, arrival=arrival)


@pytest.mark.parametrize(
    ("order", "expected"), [("timestamp", [b"a5", b"b6", b"a9", b"a1"]), ("arrival", [b"b6", b"a5", b"a9", b"a1"])]
)
def test_records_of_several_topics_come_in_the_order_that_is_set(log: MemoryEventLog, order: str, expected: list[bytes]) -> None:
    fill(log, "a", (b"a5", 5, 1), (b"a9", 9, 2), (b"a1", 1, 3))
    fill(log, "b", (b"b6", 6, 0))
    run_of(built(merged), log, order=order).run_available_now()
    assert values(log, "out") == expected


def test_an_extractor_decides_about_the_order_too(log: MemoryEventLog) -> None:
    def say(builder: TopologyBuilder) -> None:
        late = builder.stream("a", key=str, value=str, timestamp=lambda _record: 100)
        late.merge(builder.stream("b", key=str, value=str)).to("out")

    fill(log, "a", (b"a", 1, 0))
    fill(log, "b", (b"b", 50, 1))
    run_of(built(say), log).run_available_now()
    assert values(log, "out") == [b"b", b"a"]


@pytest.mark.parametrize(("batch", "expected"), [(100, [b"3"]), (2, [b"2", b"3"])])
def test_the_latest_update_of_a_key_leaves_at_the_end_of_a_batch(log: MemoryEventLog, batch: int, expected: list[bytes]) -> None:
    fill(log, "text-lines", (b"x", 1, 0), (b"x", 2, 1), (b"x", 3, 2))
    report = run_of(built(word_count), log, emit="latest", max_batch_records=batch).run_available_now()
    assert values(log, "word-counts") == expected
    assert (report.records, report.batches, report.written["word-counts"]) == (3, len(expected), len(expected))


def test_what_cannot_be_decoded_goes_to_the_dead_letters_with_place_and_reason(log: MemoryEventLog) -> None:
    fill(log, "text-lines", (b"good", 1, 0), (b"\xff", 2, 1))
    log.append("text-lines", None, b"{torn", -1, error="the line is no record")
    report = run_of(built(word_count), log).run_available_now()
    assert values(log, "word-counts") == [b"1"]
    assert values(log, "app-dead-letters") == [b"\xff", b"{torn"]
    assert report.dead_letters == 2
    assert report.drops["text-lines", "undecodable"] == 2
    ((first, second),) = log.read("app-dead-letters", 0, 0, 2)
    headers = dict(first.headers)
    assert headers["__streams.errors.exception"] == b"CodecError"
    assert headers["__streams.errors.topic"] == b"text-lines"
    assert headers["__streams.errors.offset"] == b"1"
    assert dict(second.headers)["__streams.errors.message"] == b"the line is no record"


def test_records_left_out_are_counted_by_step_and_reason(log: MemoryEventLog) -> None:
    log.create_topic("text-lines", 1)
    log.append("text-lines", b"k", b"x", -5)
    report = run_of(built(word_count), log).run_available_now()
    assert dict(report.drops) == {("text-lines", "invalid-timestamp"): 1}


def test_progress_tells_how_much_of_the_log_is_done(log: MemoryEventLog) -> None:
    fill(log, "text-lines", *((b"x", number, number) for number in range(5)))
    seen: list[Progress] = []
    run_of(built(word_count), log, max_batch_records=2).run_available_now(lambda reached, _report: seen.append(reached))
    assert [(reached.batch, reached.total) for reached in seen] == [(0, 5), (1, 5), (2, 5)]
    assert seen[-1].done == 5


def test_a_run_without_end_takes_what_comes_and_stops_when_told(log: MemoryEventLog) -> None:
    fill(log, "text-lines", (b"x", 1, 0))
    run = run_of(built(word_count), log, trigger_interval_ms=1)
    first, second = threading.Event(), threading.Event()

    def tell(_reached: Progress, _report: object) -> None:
        (second if first.is_set() else first).set()

    running = threading.Thread(target=run.run, args=(tell,))
    running.start()
    assert first.wait(10)
    log.append("text-lines", b"k", b"x", 2)
    assert second.wait(10)
    run.stop()
    running.join(10)
    assert not running.is_alive()
    assert values(log, "word-counts") == [b"1", b"2"]


def test_a_partitioner_of_the_topology_decides_about_the_partition(log: MemoryEventLog) -> None:
    def say(builder: TopologyBuilder) -> None:
        builder.stream("a", key=str, value=str).to("out", partitioner=lambda _key, value, partitions: len(value) % partitions)

    fill(log, "a", (b"1", 1, 0), (b"22", 2, 1), (b"333", 3, 2))
    run_of(built(say), log, new_topic_partitions=3).run_available_now()
    assert [values(log, "out", number) for number in range(3)] == [[b"333"], [b"1"], [b"22"]]


def test_a_topic_that_is_missing_is_named(log: MemoryEventLog) -> None:
    log.create_topic("lines", 1)
    with pytest.raises(UnknownTopicError, match="topic 'text-lines' is unknown; the log has: lines"):
        run_of(built(word_count), log)
