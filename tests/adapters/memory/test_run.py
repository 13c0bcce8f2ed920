"""A run in memory, from an event log to an event sink."""

import re
import threading

import pytest

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.run import MemoryRun
from eddyline.application.ports.event_log import OffsetOutOfRangeError, TopicPartition, UnknownTopicError
from eddyline.application.runtime.progress.log_identity import LogMismatchError
from eddyline.application.runtime.progress.report import Progress
from eddyline.application.samples.text.word_count import word_count
from eddyline.application.topology import TopologyBuilder
from tests.adapters.memory.running import built, fill, merged, run_of, values
from tests.runtime.plans import all_records
from tests.runtime.retention import RetentionLog, log_of


@pytest.fixture
def log() -> MemoryEventLog:
    return MemoryEventLog()


@pytest.mark.parametrize(
    ("order", "expected"), [("timestamp", [b"a5", b"b6", b"a9", b"a1"]), ("arrival", [b"b6", b"a5", b"a9", b"a1"])]
)
def test_records_of_several_topics_are_processed_in_the_configured_order(
    log: MemoryEventLog, order: str, expected: list[bytes]
) -> None:
    fill(log, "a", (b"a5", 5, 1), (b"a9", 9, 2), (b"a1", 1, 3))
    fill(log, "b", (b"b6", 6, 0))
    run_of(built(merged), log, order=order).run_available_now()
    assert values(log, "out") == expected


def test_small_batches_lose_no_records_of_a_repartition_topic(log: MemoryEventLog) -> None:
    def define(builder: TopologyBuilder) -> None:
        rows = builder.table("rows", key=str, value=str)
        rekeyed = builder.stream("a", key=str, value=str).select_key(lambda _key, _value: "k", key=str)
        rekeyed.left_join(rows, lambda left, row: f"{left}/{row}", value=str).to("out")

    fill(log, "rows", *((b"r%d" % number, number, number) for number in range(10)))
    fill(log, "a", *((b"a%d" % number, 100 + number, number) for number in range(5)))
    run_of(built(define), log, max_batch_records=3).run_available_now()
    assert values(log, "out") == [b"a%d/r9" % number for number in range(5)]


def test_a_task_waits_for_all_tasks_upstream_whatever_it_can_read_before(log: MemoryEventLog) -> None:
    def define(builder: TopologyBuilder) -> None:
        left = builder.stream("a", key=str, value=str).repartition(name="once").map_values(str.upper).repartition(name="twice")
        left.left_join(builder.table("rows", key=str, value=str), lambda one, row: f"{one}/{row}", value=str).to("out")

    fill(log, "a", (b"k", 1, 0), (b"k", 3, 2))
    fill(log, "rows", (b"k", 2, 1))
    run_of(built(define), log).run_available_now()
    assert values(log, "out") == [b"K/None", b"K/k"]


def test_the_order_is_that_of_extracted_timestamps(log: MemoryEventLog) -> None:
    def define(builder: TopologyBuilder) -> None:
        late = builder.stream("a", key=str, value=str, timestamp=lambda _record: 100)
        late.merge(builder.stream("b", key=str, value=str)).to("out")

    fill(log, "a", (b"a", 1, 0))
    fill(log, "b", (b"b", 50, 1))
    run_of(built(define), log).run_available_now()
    assert values(log, "out") == [b"b", b"a"]


@pytest.mark.parametrize(("batch", "expected"), [(100, [b"3"]), (2, [b"2", b"3"])])
def test_the_latest_update_of_a_key_is_written_at_the_end_of_each_batch(
    log: MemoryEventLog, batch: int, expected: list[bytes]
) -> None:
    fill(log, "text-lines", (b"x", 1, 0), (b"x", 2, 1), (b"x", 3, 2))
    report = run_of(built(word_count), log, emit="latest", max_batch_records=batch).run_available_now()
    assert values(log, "word-counts") == expected
    assert (report.records, report.batches, report.written["word-counts"]) == (3, len(expected), len(expected))


def test_undecodable_records_become_dead_letters_with_position_and_reason(log: MemoryEventLog) -> None:
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


def test_records_of_a_global_table_become_dead_letters_once_although_all_tasks_read_them() -> None:
    log = MemoryEventLog()
    log.create_topic("lines", 3)
    fill(log, "rows", (b"good", 1, 0), (b"\xff", 2, 1))
    log.append("rows", None, b"no key", 3)

    def define(builder: TopologyBuilder) -> None:
        rows = builder.global_table("rows", key=str, value=str, store="rows")
        lines = builder.stream("lines", key=str, value=str)
        for name in ("first", "second"):
            rekeyed = lines.select_key(lambda _key, value: value, key=str).repartition(name=name)
            rekeyed.join(rows, lambda line, row: line + row, key_selector=lambda key, _line: key, value=str).to(name)

    report = run_of(built(define), log, dead_letter_drops=True, new_topic_partitions=3).run_available_now()
    found = [record.value for record in all_records(log, "app-dead-letters")]
    assert found == [b"no key", b"\xff"]
    assert dict(report.drops) == {("rows", "undecodable"): 1, ("rows-table", "null-key"): 1}


def test_dropped_records_are_counted_by_node_and_reason(log: MemoryEventLog) -> None:
    log.create_topic("text-lines", 1)
    log.append("text-lines", b"k", b"x", -5)
    report = run_of(built(word_count), log).run_available_now()
    assert dict(report.drops) == {("text-lines", "invalid-timestamp"): 1}


def test_progress_is_reported_after_each_batch(log: MemoryEventLog) -> None:
    fill(log, "text-lines", *((b"x", number, number) for number in range(5)))
    reported: list[Progress] = []
    run_of(built(word_count), log, max_batch_records=2).run_available_now(lambda progress, _report: reported.append(progress))
    assert [(progress.batch, progress.total) for progress in reported] == [(0, 5), (1, 5), (2, 5)]
    assert reported[-1].done == 5


def test_a_run_without_an_end_processes_what_is_appended_until_it_is_stopped(log: MemoryEventLog) -> None:
    fill(log, "text-lines", (b"x", 1, 0))
    run = run_of(built(word_count), log, trigger_interval_ms=1)
    first, second = threading.Event(), threading.Event()

    def on_progress(_progress: Progress, _report: object) -> None:
        (second if first.is_set() else first).set()

    running = threading.Thread(target=run.run, args=(on_progress,))
    running.start()
    assert first.wait(120)
    log.append("text-lines", b"k", b"x", 2)
    assert second.wait(120)
    run.stop()
    running.join(120)
    assert not running.is_alive()
    assert values(log, "word-counts") == [b"1", b"2"]


def test_the_partitioner_of_a_sink_chooses_the_partition(log: MemoryEventLog) -> None:
    def define(builder: TopologyBuilder) -> None:
        builder.stream("a", key=str, value=str).to("out", partitioner=lambda _key, value, partitions: len(value) % partitions)

    fill(log, "a", (b"1", 1, 0), (b"22", 2, 1), (b"333", 3, 2))
    run_of(built(define), log, new_topic_partitions=3).run_available_now()
    assert [values(log, "out", number) for number in range(3)] == [[b"333"], [b"1"], [b"22"]]


def test_a_missing_topic_is_named(log: MemoryEventLog) -> None:
    log.create_topic("lines", 1)
    with pytest.raises(UnknownTopicError, match="topic 'text-lines' is unknown; the log has: lines"):
        run_of(built(word_count), log)


def counted_logs(builder: TopologyBuilder) -> None:
    logs = builder.stream(re.compile("logs-.*"), key=str, value=str)
    logs.group_by_key().count(store="counts").to_stream().to("counted")


def test_topics_that_match_a_pattern_are_read_from_their_beginning_even_if_they_appear_later(log: MemoryEventLog) -> None:
    run = run_of(built(counted_logs), log)
    run.run_available_now()
    fill(log, "logs-app", (b"x", 1, 0), (b"y", 2, 1))
    run.run_available_now()
    log.create_topic("logs-db", 3)
    for partition in range(3):
        log.append("logs-db", b"k", b"z", 3, partition=partition)
    log.append("logs-app", b"k", b"z", 4)
    report = run.run_available_now()
    assert values(log, "counted") == [b"1", b"2", b"3", b"4", b"1", b"1"]
    assert report.records == 6


def test_dead_letter_topics_never_match_a_pattern(log: MemoryEventLog) -> None:
    fill(log, "logs-app", (b"x", 1, 0))
    fill(log, "logs-dead-letters", (b"y", 1, 0))
    assert run_of(built(counted_logs), log).run_available_now().records == 1


def test_a_topic_that_is_created_again_while_the_flow_runs_ends_the_run(log: MemoryEventLog) -> None:
    fill(log, "a", (b"1", 5, 1), (b"2", 6, 2))
    fill(log, "b")
    run = run_of(built(merged), log)
    run.run_available_now()
    log.delete_topic("a")
    fill(log, "a", (b"3", 5, 1), (b"4", 5, 2), (b"5", 5, 3))
    with pytest.raises(LogMismatchError, match="'app' belong to topics that have been deleted and created again"):
        run.run_available_now()
    assert values(log, "out") == [b"1", b"2"]


def lost(policy: str) -> tuple[MemoryRun, RetentionLog]:
    """Return a run that has read four records of partition 0 and none of partition 1, before it goes on."""
    log = log_of(4, 0)
    run = run_of(built(lambda builder: builder.stream("t", key=str, value=str).to("out")), log, auto_offset_reset=policy)
    run.run_available_now()
    for number in range(6):
        log.append("t", b"k", b"new%d" % number, 5)
    return run, log


@pytest.mark.parametrize(("policy", "left", "skipped"), [("earliest", [b"new4", b"new5"], 4), ("latest", [], 6)])
def test_records_that_retention_deletes_before_they_are_read_are_skipped_and_counted_if_that_is_accepted(
    policy: str, left: list[bytes], skipped: int
) -> None:
    run, log = lost(policy)
    log.delete_records("t", 0, 8)
    reached: list[int] = []
    run.run_available_now(lambda progress, _report: reached.append(progress.done))
    assert values(log, "out")[4:] == left
    assert run.report.skipped == {TopicPartition("t", 0): skipped}
    assert reached in ([], [6]), "skipped records do not count as done"


@pytest.mark.parametrize(("policy", "read", "skipped"), [("earliest", [b"0", b"1"], 0), ("latest", [], 2)])
def test_a_topic_that_was_emptied_is_read_from_its_beginning_or_its_end_if_that_is_accepted(
    policy: str, read: list[bytes], skipped: int
) -> None:
    run, log = lost(policy)
    log.truncate("t", 0, 2)
    run.run_available_now()
    assert values(log, "out")[4:] == read
    assert run.report.skipped == {TopicPartition("t", 0): skipped}
    log.append("t", b"k", b"next", 5)
    run.run_available_now()
    assert values(log, "out")[-1] == b"next"


def test_a_position_that_the_log_does_not_have_ends_the_run_by_default() -> None:
    run, log = lost("none")
    log.truncate("t", 0, 2)
    with pytest.raises(OffsetOutOfRangeError, match="topic 't', partition 0: the flow is at offset 4, but the log has 0 to 2"):
        run.run_available_now()
    run, log = lost("none")
    log.delete_records("t", 0, 5)
    with pytest.raises(OffsetOutOfRangeError, match="at offset 4, but the log has 5 to 10: retention has deleted 1 offsets"):
        run.run_available_now()


def test_a_run_without_a_position_begins_at_the_beginning_whatever_the_policy() -> None:
    log = log_of(4)
    log.delete_records("t", 0, 1)
    run = run_of(built(lambda builder: builder.stream("t", key=str, value=str).to("out")), log, auto_offset_reset="latest")
    run.run_available_now()
    assert (values(log, "out"), run.report.skipped) == ([b"1", b"2", b"3"], {})


def test_by_arrival_the_results_of_all_tasks_are_written_in_the_order_of_their_causes(log: MemoryEventLog) -> None:
    def define(builder: TopologyBuilder) -> None:
        builder.stream("a", key=str, value=str).to("out")

    log.create_topic("a", 2)
    for number in range(4):
        log.append("a", b"k", b"%d" % number, 9 - number, partition=1 - number % 2, arrival=number)
    run_of(built(define), log, order="arrival").run_available_now()
    assert values(log, "out") == [b"0", b"1", b"2", b"3"]


def test_a_batch_takes_a_moment(log: MemoryEventLog) -> None:
    fill(log, "a", (b"a1", 1, 0))
    fill(log, "b")
    seconds: list[float] = []
    run_of(built(merged), log).run_available_now(lambda progress, _report: seconds.append(progress.seconds))
    assert [0 <= found < 60 for found in seconds] == [True]


def test_the_batches_of_a_run_are_numbered_in_its_only_slot(log: MemoryEventLog) -> None:
    fill(log, "a", *((b"a%d" % number, number, number) for number in range(3)))
    fill(log, "b")
    run_of(built(merged), log, max_batch_records=1).run_available_now()
    ((slot, last),) = log.last_batches.items()
    assert slot[0].startswith("app-")
    assert (slot[1], last) == (0, 2)
