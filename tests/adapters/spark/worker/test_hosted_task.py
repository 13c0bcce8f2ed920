"""A task in a worker takes frames and entries of its state, and sends rows."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.spark.exchange.columns import Columns, Packed, Sequenced, pack_records, unpack_records
from eddyline.adapters.spark.exchange.frames import Frame, Kind, Sender, unpack_frame
from eddyline.adapters.spark.exchange.reports import unpack_report
from eddyline.adapters.spark.exchange.rows import END, Row
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.adapters.spark.state.chunks import Entry
from eddyline.adapters.spark.worker.cache import CACHES
from eddyline.adapters.spark.worker.hosted_task import HostedTask
from eddyline.adapters.spark.worker.stateless import StatelessBatch, run_stateless
from eddyline.application.operators.context import NO_TIME
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.input.record_queue import OffsetRange
from eddyline.application.runtime.plan.changelogs import BatchProgress, progress_records
from eddyline.application.runtime.progress.report import TaskState
from eddyline.application.topology import Topology, TopologyBuilder
from tests.adapters.spark.in_process import LocalBroadcast
from tests.adapters.spark.topologies import copied
from tests.runtime.plans import all_records, run_plan

TASK, NOW_MS = 1, 900


def merged() -> Topology:
    """Return a topology that counts the records of two topics."""
    builder = TopologyBuilder()
    left, right = builder.stream("left", key=str, value=str), builder.stream("right", key=str, value=str)
    left.merge(right).group_by_key().count(store="counts").to_stream().to("out")
    return builder.build()


def values_of_two_topics() -> Topology:
    """Return a topology that copies the values of two topics in the order in which the task takes them."""
    builder = TopologyBuilder()
    left, right = builder.stream("left", key=str, value=str), builder.stream("right", key=str, value=str)
    left.merge(right).to("out")
    return builder.build()


def moved() -> Topology:
    builder = TopologyBuilder()
    builder.stream("left", key=str, value=str).repartition(name="moved").to("out")
    return builder.build()


@pytest.fixture
def log() -> MemoryEventLog:
    log = MemoryEventLog()
    for topic in ("left", "right"):
        log.create_topic(topic, 2)
    return log


def spark_plan(topology: Topology, log: MemoryEventLog, *, with_changes: bool = False, **options: Any) -> SparkPlan:
    plan = run_plan(topology, log, **{"emit": "every-update", **options})
    return SparkPlan(plan, stage_line(topology), "app-1", groups=2, with_changes=with_changes)


def hosted(plan: SparkPlan, stage: int = 0, entries: Sequence[Entry] = ()) -> HostedTask:
    task = HostedTask(plan, stage, TASK, NOW_MS)
    task.restore(entries)
    return task


def ranges(*offsets: OffsetRange) -> Frame:
    return Frame(Sender(0, TASK, 0), Kind.RANGES, NOW_MS, json.dumps(offsets).encode())


def run(task: HostedTask, *frames: Frame) -> list[tuple[bytes | None, bytes | None]]:
    """Run a batch; return keys and values of the results."""
    sent = [unpack_frame(row.frame) for row in task.run(frames, NOW_MS)]
    by_arrival = [record[1:3] for frame in sent if frame.kind is Kind.RESULTS for record in unpack_records(frame.body)]
    return [*by_arrival, *results(task)]


def results(task: HostedTask) -> list[tuple[bytes | None, bytes | None]]:
    """Take the results of a task; return their keys and values."""
    return [record[1:3] for record in task.take_results()]


def kinds(rows: Sequence[Row]) -> list[Kind]:
    return [unpack_frame(row.frame).kind for row in rows]


def test_a_task_reads_its_ranges_keeps_its_results_and_sends_a_report(log: MemoryEventLog) -> None:
    log.append("left", b"a", b"x", 5, partition=TASK)
    log.append("right", b"a", b"y", 6, partition=TASK)
    task = hosted(spark_plan(merged(), log))
    rows = list(task.run([ranges(OffsetRange("left", TASK, 0, 1)), ranges(OffsetRange("right", TASK, 0, 1))], NOW_MS))
    assert results(task) == [(b"a", b"1"), (b"a", b"2")]
    assert results(task) == [], "they are taken once"
    assert kinds(rows) == [Kind.REPORT]
    assert {(row.task, row.stage) for row in rows} == {(TASK, END)}
    assert unpack_report(unpack_frame(rows[0].frame).body).records == 2


def test_a_task_reports_the_entries_of_its_stores_alone(log: MemoryEventLog) -> None:
    log.append("left", b"a", b"x", 5, partition=TASK)
    stored: list[Entry] = []
    task = hosted(spark_plan(merged(), log))

    def commit(changes: Sequence[Entry]) -> int:
        stored.extend(changes)
        return 700

    (row,) = task.run([ranges(OffsetRange("left", TASK, 0, 1))], NOW_MS, commit)
    state = unpack_report(unpack_frame(row.frame).body).state
    assert state == TaskState("0_1", 5, entries=1, size_bytes=700)
    assert len(stored) > 1, "stream time and offsets are stored, too"


def test_by_arrival_results_and_the_changelog_are_sent(log: MemoryEventLog) -> None:
    log.append("left", b"a", b"x", 5, partition=TASK)
    task = hosted(spark_plan(merged(), log, order="arrival", changelog_stores="all"))
    rows = list(task.run([ranges(OffsetRange("left", TASK, 0, 1))], NOW_MS))
    assert kinds(rows) == [Kind.RESULTS, Kind.CHANGELOG, Kind.STREAM_TIME, Kind.REPORT]
    assert results(task) == []
    assert list(task.changelog(BatchProgress(7, NOW_MS, {}))) == []


def test_the_changelog_of_a_batch_has_its_changes_and_the_progress_of_the_task(log: MemoryEventLog) -> None:
    log.append("left", b"a", b"x", 5, partition=TASK)
    task = hosted(spark_plan(merged(), log, changelog_stores="all"))
    progress = BatchProgress(7, NOW_MS, {"left": [0, 1]})
    topic = "app-counts-changelog"
    for frames, stream_time, changes in (([], NO_TIME, []), ([ranges(OffsetRange("left", TASK, 0, 1))], 5, [b"[1,5]"])):
        list(task.run(frames, NOW_MS))
        *entries, last = task.changelog(progress)
        assert [(record.topic, record.key, record.value, record.partition) for record in entries] == [
            (topic, b'"a"', value, TASK) for value in changes
        ]
        assert [last] == progress_records([topic], TASK, stream_time, progress)


def test_a_task_that_has_counted_nothing_sends_no_report(log: MemoryEventLog) -> None:
    assert list(hosted(spark_plan(merged(), log)).run([], NOW_MS)) == []


def test_a_dead_letter_alone_is_reported(log: MemoryEventLog) -> None:
    log.append("left", None, b"torn", -1, partition=TASK, error="no record")
    rows = list(hosted(spark_plan(merged(), log)).run([ranges(OffsetRange("left", TASK, 0, 1))], NOW_MS))
    report = unpack_report(unpack_frame(rows[-1].frame).body)
    assert (report.records, report.dead_letters, sum(report.drops.values())) == (0, 1, 1)


def test_a_drop_alone_is_reported(log: MemoryEventLog) -> None:
    rows = list(hosted(spark_plan(moved(), log), stage=1).run([received(0, 1, (b"x", -5, 1))], NOW_MS))
    (report,) = (unpack_report(unpack_frame(row.frame).body) for row in rows)
    assert (report.records, report.dead_letters, sum(report.drops.values())) == (0, 0, 1)


def test_a_restored_task_continues_with_its_state_where_it_stopped(log: MemoryEventLog) -> None:
    for topic, timestamp in (("left", 5), ("left", 7), ("right", 6), ("right", 8)):
        log.append(topic, b"a", b"x", timestamp, partition=TASK)
    plan = spark_plan(merged(), log)
    first = hosted(plan)
    cut = ranges(OffsetRange("left", TASK, 0, 1, more=True), OffsetRange("right", TASK, 0, 2))
    assert run(first, cut) == [(b"a", b"1")]
    second = hosted(plan, entries=first.changes)
    rest = ranges(OffsetRange("left", TASK, 1, 2), OffsetRange("right", TASK, 2, 2))
    assert run(second, rest) == [(b"a", b"2"), (b"a", b"3"), (b"a", b"4")]
    third = hosted(plan, entries=[*first.changes, *second.changes])
    log.append("right", b"a", b"x", 9, partition=TASK)
    assert run(third, ranges(OffsetRange("right", TASK, 2, 3))) == [(b"a", b"5")]


def test_a_batch_that_is_cut_in_the_middle_of_a_range_continues_there_again_and_again(log: MemoryEventLog) -> None:
    for timestamp in (1, 3, 5, 7):
        log.append("left", b"a", b"l%d" % timestamp, timestamp, partition=TASK)
    for timestamp in (2, 4, 6, 8):
        log.append("right", b"a", b"r%d" % timestamp, timestamp, partition=TASK)
    plan = spark_plan(values_of_two_topics(), log)
    no_new_right = OffsetRange("right", TASK, 4, 4)
    task = hosted(plan)
    taken, entries = [], list[Entry]()
    for left, right in (
        (OffsetRange("left", TASK, 0, 2, more=True), OffsetRange("right", TASK, 0, 4)),
        (OffsetRange("left", TASK, 2, 3, more=True), no_new_right),
    ):
        taken.append([value for _, value in run(task, ranges(left, right))])
        entries += task.changes
    assert taken == [[b"l1", b"r2", b"l3"], [b"r4", b"l5"]]
    assert task.host.unread == {TopicPartition("left", TASK): None, TopicPartition("right", TASK): 2}
    for continued in (task, hosted(plan, entries=entries)):
        rows = list(continued.run([ranges(OffsetRange("left", TASK, 3, 4), no_new_right)], NOW_MS))
        assert [value for _, value in results(continued)] == [b"r6", b"l7", b"r8"]
        assert unpack_report(unpack_frame(rows[-1].frame).body).records == 3


def test_a_range_that_continues_at_a_position_still_has_more(log: MemoryEventLog) -> None:
    for topic, timestamp in (("left", 1), ("left", 5), ("right", 2), ("right", 3), ("right", 9)):
        log.append(topic, b"a", b"%d" % timestamp, timestamp, partition=TASK)
    task = hosted(spark_plan(values_of_two_topics(), log))
    first = ranges(OffsetRange("left", TASK, 0, 1, more=True), OffsetRange("right", TASK, 0, 2, more=True))
    assert [value for _, value in run(task, first)] == [b"1"]
    rest = ranges(OffsetRange("left", TASK, 1, 2), OffsetRange("right", TASK, 2, 2, more=True))
    assert [value for _, value in run(task, rest)] == [b"2", b"3"], "the record at 9 may have been one at 4"
    assert task.host.unread == {TopicPartition("left", TASK): 1, TopicPartition("right", TASK): None}


def test_the_position_in_one_partition_does_not_count_for_another(log: MemoryEventLog) -> None:
    for partition, timestamp in ((0, 6), (0, 8), (TASK, 5), (TASK, 7)):
        log.append("left", b"a", b"%d-%d" % (partition, timestamp), timestamp, partition=partition)
    task = hosted(spark_plan(values_of_two_topics(), log))
    cut = [OffsetRange("left", 0, 0, 1, more=True), OffsetRange("left", TASK, 0, 2)]
    assert [value for _, value in run(task, ranges(*cut))] == [b"1-5", b"0-6"]
    rest = [OffsetRange("left", 0, 1, 2), OffsetRange("left", TASK, 2, 2)]
    assert [value for _, value in run(task, ranges(*rest))] == [b"1-7", b"0-8"]


def test_the_position_in_one_topic_does_not_count_for_another(log: MemoryEventLog) -> None:
    for topic, timestamp in (("left", 5), ("right", 4), ("right", 8)):
        log.append(topic, b"a", b"x", timestamp, partition=TASK)
    task = hosted(spark_plan(merged(), log))
    list(task.run([ranges(OffsetRange("left", TASK, 0, 1, more=True), OffsetRange("right", TASK, 0, 2))], NOW_MS))
    log.append("left", b"a", b"x", 9, partition=TASK)
    rest = ranges(OffsetRange("left", TASK, 1, 2), OffsetRange("right", TASK, 2, 2))
    assert run(task, rest) == [(b"a", b"3"), (b"a", b"4")]


def test_changes_of_stores_are_sent_with_the_number_of_the_task_if_they_are_asked_for(log: MemoryEventLog) -> None:
    log.append("left", b"a", b"x", 5, partition=TASK)
    frame = ranges(OffsetRange("left", TASK, 0, 1))
    rows = list(hosted(spark_plan(merged(), log, with_changes=True)).run([frame], NOW_MS))
    assert kinds(rows) == [Kind.CHANGES, Kind.REPORT]
    assert unpack_records(unpack_frame(rows[0].frame).body) == [Packed("counts", b'"a"', b"[1,5]", 0, (), TASK)]
    assert Kind.CHANGES not in kinds(list(hosted(spark_plan(merged(), log)).run([frame], NOW_MS)))


def test_only_the_changes_of_the_last_batch_are_kept(log: MemoryEventLog) -> None:
    log.append("left", b"a", b"x", 5, partition=TASK)
    task = hosted(spark_plan(merged(), log))
    list(task.run([ranges(OffsetRange("left", TASK, 0, 1))], NOW_MS))
    assert len(task.changes) > 0
    list(task.run([], NOW_MS))
    assert task.changes == []


def received(sender: int, number: int, *records: tuple[bytes, int, int]) -> Frame:
    """Return a frame with these values, timestamps and arrival numbers for the repartition topic."""
    columns = Columns()
    for value, timestamp, arrival in records:
        columns.add("moved-repartition", b"k", b'"%s"' % value, timestamp)
        columns.sequences.append(Sequenced(arrival, 0))
    return Frame(Sender(0, sender, number), Kind.RECORDS, NOW_MS, columns.pack())


@pytest.mark.parametrize(("order", "expected"), [("timestamp", [b"b", b"a", b"c", b"d"]), ("arrival", [b"a", b"c", b"b", b"d"])])
def test_the_records_of_each_sender_stay_in_the_order_of_sending(log: MemoryEventLog, order: str, expected: list[bytes]) -> None:
    task = hosted(spark_plan(moved(), log, order=order), stage=1)
    frames = [received(0, 2, (b"c", 1, 2)), received(3, 1, (b"b", 4, 3), (b"d", 9, 4)), received(0, 1, (b"a", 5, 1))]
    assert [value for _, value in run(task, *frames)] == expected


def test_records_that_wait_for_the_next_batch_are_part_of_the_state(log: MemoryEventLog) -> None:
    builder = TopologyBuilder()
    repartitioned = builder.stream("left", key=str, value=str).repartition(name="moved")
    repartitioned.merge(builder.stream("right", key=str, value=str)).to("out")
    plan = spark_plan(builder.build(), log)
    for value, timestamp in ((b"r1", 1), (b"r6", 6)):
        log.append("right", b"k", value, timestamp, partition=TASK)
    (body,) = pack_records([Packed("moved-repartition", b"k", b'"m5"', 5, (("trace", b"x"),))])
    frames = [ranges(OffsetRange("right", TASK, 0, 1, more=True)), Frame(Sender(0, 0, 1), Kind.RECORDS, NOW_MS, body)]
    task = hosted(plan, stage=1)
    assert run(task, *frames) == [(b"k", b"r1")]
    restored = hosted(plan, stage=1, entries=task.changes)
    for copy in (task, restored):
        list(copy.run([ranges(OffsetRange("right", TASK, 1, 2))], NOW_MS))
        found = [(record.key, record.value, record.headers) for record in copy.take_results()]
        assert found == [(b"k", b"m5", (("trace", b"x"),)), (b"k", b"r6", ())]
    restored.restore(restored.changes)
    assert run(restored, ranges(OffsetRange("right", TASK, 2, 2))) == []


@pytest.mark.parametrize(("order", "sequences"), [("timestamp", [None]), ("arrival", [Sequenced(40, 0)])])
def test_repartitioned_records_have_the_arrival_number_of_their_cause_if_that_is_the_order(
    log: MemoryEventLog, order: str, sequences: list[Sequenced | None]
) -> None:
    log.append("left", b"a", b"x", 5, partition=TASK, arrival=40)
    task = hosted(spark_plan(moved(), log, order=order), stage=0)
    rows = list(task.run([ranges(OffsetRange("left", TASK, 0, 1))], NOW_MS))
    records = [frame for row in rows if (frame := unpack_frame(row.frame)).kind is Kind.RECORDS]
    assert [record.sequence for frame in records for record in unpack_records(frame.body)] == sequences


def test_records_without_arrival_numbers_are_received(log: MemoryEventLog) -> None:
    (body,) = pack_records([Packed("moved-repartition", b"k", b'"x"', 5, (("trace", b"x"),))])
    task = hosted(spark_plan(moved(), log), stage=1)
    list(task.run([Frame(Sender(0, 0, 1), Kind.RECORDS, NOW_MS, body)], NOW_MS))
    (record,) = task.take_results()
    assert (record.value, record.timestamp, record.headers) == (b"x", 5, (("trace", b"x"),))


def test_a_new_task_has_the_partition_and_the_wall_clock_time_that_it_is_given(log: MemoryEventLog) -> None:
    task = hosted(spark_plan(merged(), log)).host.task
    assert (task.partition, task.wall_clock_ms) == (TASK, NOW_MS)


def test_a_stateless_task_is_cached_after_its_batch(log: MemoryEventLog) -> None:
    log.append("left", b"a", b"x", 5, partition=TASK)
    broadcast = LocalBroadcast(spark_plan(copied("left"), log))
    offsets = ranges(OffsetRange("left", TASK, 0, 1))
    rows = list(run_stateless(broadcast, StatelessBatch(0, TASK, offsets, BatchProgress(0, NOW_MS, {})), TASK))
    assert kinds(rows) == [Kind.REPORT, Kind.REPORT, Kind.WRITTEN]
    assert [(record.key, record.value) for record in all_records(log, "copy")] == [(b"a", b"x")]
    cached = CACHES.of(broadcast).take_stateless(0, TASK, NOW_MS + 1)
    assert cached.host.task.wall_clock_ms == NOW_MS
    assert cached.host.unread == {TopicPartition("left", TASK): None}
