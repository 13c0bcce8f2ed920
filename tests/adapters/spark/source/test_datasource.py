"""The source plans batches by offsets, and hands each task the ranges that it reads."""

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.spark.batch_limit import BatchLimit
from eddyline.adapters.spark.exchange.frames import Frame, Kind, unpack_frame
from eddyline.adapters.spark.exchange.reports import unpack_written
from eddyline.adapters.spark.exchange.rows import END
from eddyline.adapters.spark.exchange.task_ids import TaskIds
from eddyline.adapters.spark.failures import WorkerError
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.adapters.spark.source.datasource import EventReader, Rows
from eddyline.adapters.spark.source.event_source import event_source
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.application.runtime.plan.changelogs import BatchProgress
from eddyline.application.runtime.plan.options import LogClock
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology import Topology, TopologyBuilder
from tests.adapters.spark.in_process import LocalBroadcast
from tests.adapters.spark.topologies import copied
from tests.runtime.plans import all_records, run_plan
from tests.runtime.retention import log_of

GROUPS = 2
ANY = ReadMaxRows(0)
"""The limit is not that of the trigger but that of the options."""


class ClosingLog(MemoryEventLog):
    """A log that knows whether it was closed."""

    closed = False

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def log() -> ClosingLog:
    log = ClosingLog()
    log.create_topic("lines", 3)
    return log


def counts() -> Topology:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).group_by_key().count(store="counts").to_stream().to("out")
    return builder.build()


def reader(topology: Topology, log: MemoryEventLog, **options: Any) -> EventReader:
    plan = SparkPlan(run_plan(topology, log, **options), stage_line(topology), "app-1", groups=GROUPS)
    return EventReader(LocalBroadcast(plan), plan, lambda: BatchProgress(0, 900, {}))


def append(log: MemoryEventLog, partition: int, count: int) -> None:
    for _ in range(count):
        log.append("lines", b"k", b"x", 5, partition=partition)


def frames(found: Rows) -> list[tuple[int, int, Frame]]:
    return [(task, stage, unpack_frame(frame)) for task, stage, frame in found.for_stages]


def test_the_initial_offset_has_the_beginning_offsets_of_all_topics(log: ClosingLog) -> None:
    log.create_topic("ticks", 1)
    assert reader(counts(), log).initialOffset() == {"ends": {"lines": [0, 0, 0]}, "more": {}, "at": 0}
    with_clock = reader(counts(), log, clock=LogClock("ticks"), order="arrival")
    assert with_clock.initialOffset()["ends"] == {"lines": [0, 0, 0], "ticks": [0]}


def test_the_latest_offset_is_the_end_of_the_next_batch_and_the_time_of_its_planning(log: ClosingLog) -> None:
    append(log, 0, 3)
    append(log, 1, 1)
    source = reader(counts(), log, max_batch_records=2)
    assert source.getDefaultReadLimit() == ReadMaxRows(2)
    first = source.latestOffset(source.initialOffset(), ANY)
    assert (first["ends"], first["more"]) == ({"lines": [2, 1, 0]}, {"lines": [0]})
    assert first["at"] > 1_000_000_000_000
    everything = source.latestOffset(source.initialOffset(), ReadAllAvailable())
    assert (everything["ends"], everything["more"]) == ({"lines": [3, 1, 0]}, {})


def test_the_driver_changes_the_limit_of_batches_and_the_last_one_takes_a_few_more(
    log: ClosingLog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("eddyline.application.runtime.plan.options._BATCH_RECORDS", 4)
    append(log, 0, 24)
    plan = SparkPlan(run_plan(counts(), log), stage_line(counts()), "app-1", GROUPS, limit=BatchLimit(tmp_path / "limit"))
    source = EventReader(LocalBroadcast(plan), plan, lambda: BatchProgress(0, 900, {}))
    offset, sizes = source.initialOffset(), []
    for limit in (None, 8, 10):
        if limit is not None:
            BatchLimit(tmp_path / "limit").set(limit)
        start, offset = offset, source.latestOffset(offset, ANY)
        sizes.append(offset["ends"]["lines"][0] - start["ends"]["lines"][0])
    assert sizes == [4, 8, 12]


def test_without_new_records_there_is_no_next_batch_except_the_first(log: ClosingLog) -> None:
    source = reader(counts(), log)
    first = source.latestOffset(source.initialOffset(), ANY)
    assert (first["ends"], first["at"] > 0) == ({"lines": [0, 0, 0]}, True)
    assert source.latestOffset(first, ANY) is first


def test_after_an_idle_timeout_there_is_a_batch_without_records_for_tasks_with_sources(
    log: ClosingLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ms = 1_000
    monkeypatch.setattr("time.time_ns", lambda: now_ms * 1_000_000)
    append(log, 0, 1)
    source = reader(counts(), log, idle_timeout_ms=50)
    first = source.latestOffset(source.initialOffset(), ANY)
    now_ms = 1_049
    assert source.latestOffset(first, ANY) is first
    now_ms = 1_050
    second = source.latestOffset(first, ANY)
    assert second == {**first, "at": 1_050}
    (found,) = source.partitions(first, second)
    assert isinstance(found, Rows)
    assert [(task, json.loads(frame.body)) for task, _, frame in frames(found)] == [
        (task, [["lines", task, end, end, False]]) for task, end in enumerate([1, 0, 0])
    ]


def test_ranges_by_arrival_are_marked_if_the_log_holds_more(log: ClosingLog) -> None:
    for arrival in range(3):
        log.append("lines", b"k", b"x", 5, arrival=arrival)
    source = reader(counts(), log, order="arrival", max_batch_records=2)
    kinds, offset = [], source.initialOffset()
    for _ in range(2):
        start, offset = offset, source.latestOffset(offset, ANY)
        (found,) = source.partitions(start, offset)
        assert isinstance(found, Rows)
        kinds.append({frame.kind for _, _, frame in frames(found)})
    assert kinds == [{Kind.PARTIAL_RANGES}, {Kind.RANGES}]


def test_an_available_now_run_ends_at_the_end_offsets_of_its_start(log: ClosingLog) -> None:
    append(log, 0, 2)
    source = reader(counts(), log)
    source.prepareForTriggerAvailableNow()
    append(log, 0, 1)
    assert source.latestOffset(source.initialOffset(), ANY)["ends"] == {"lines": [2, 0, 0]}


def test_a_partition_that_was_added_begins_at_its_beginning_offset(log: ClosingLog) -> None:
    source = reader(counts(), log)
    append(log, 2, 2)
    start = {"ends": {"lines": [0, 0]}, "more": {}, "at": 7}
    end = source.latestOffset(start, ANY)
    assert end["ends"] == {"lines": [0, 0, 2]}
    (found,) = source.partitions(start, end)
    assert isinstance(found, Rows)
    assert [(task, json.loads(frame.body)) for task, _, frame in frames(found)] == [(2, [["lines", 2, 0, 2, False]])]


def test_the_first_batch_reaches_every_task_and_later_ones_those_with_records(log: ClosingLog) -> None:
    source = reader(counts(), log)
    append(log, 1, 2)
    initial = source.initialOffset()
    first = {"ends": {"lines": [0, 1, 0]}, "more": {"lines": [1]}, "at": 900}
    (found,) = source.partitions(initial, first)
    assert isinstance(found, Rows)
    assert [(task, stage) for task, stage, _ in frames(found)] == [(0, 0), (1, 0), (2, 0)]
    frame = frames(found)[1][2]
    assert (frame.kind, frame.now_ms, json.loads(frame.body)) == (Kind.RANGES, 900, [["lines", 1, 0, 1, True]])

    (found,) = source.partitions(first, {"ends": {"lines": [0, 2, 0]}, "more": {}, "at": 950})
    assert isinstance(found, Rows)
    assert [(task, json.loads(frame.body)) for task, _, frame in frames(found)] == [(1, [["lines", 1, 1, 2, False]])]
    assert source.partitions(first, {**first, "at": 950}) == []


def test_rows_for_stages_are_read_as_they_were_planned(log: ClosingLog) -> None:
    source, ids = reader(counts(), log), TaskIds(GROUPS)
    end = source.latestOffset(source.initialOffset(), ANY)
    (found,) = source.partitions(source.initialOffset(), end)
    rows = [row for batch in source.read(found) for row in batch.to_pylist()]
    assert isinstance(found, Rows)
    assert [(row["group"], row["stage"], row["frame"]) for row in rows] == [
        (ids.group(task), stage, frame) for task, stage, frame in found.for_stages
    ]


def test_stateless_tasks_are_spread_over_the_workers_and_run_where_they_are_read(log: ClosingLog) -> None:
    append(log, 0, 1)
    append(log, 1, 2)
    source = reader(copied("lines"), log)
    end = {"ends": {"lines": [1, 1, 0]}, "more": {"lines": [1]}, "at": 900}
    found = source.partitions(source.initialOffset(), end)
    planned = [
        [(row.task, json.loads(unpack_frame(row.frame).body)) for row in rows.stateless]
        for rows in found
        if isinstance(rows, Rows)
    ]
    assert planned == [
        [(0, [["lines", 0, 0, 1, False]]), (2, [["lines", 2, 0, 0, False]])],
        [(1, [["lines", 1, 0, 1, False]])],
    ]
    rows = [row for rows in found for batch in source.read(rows) for row in batch.to_pylist()]
    assert {row["stage"] for row in rows} == {END}
    sent = [unpack_frame(row["frame"]) for row in rows]
    assert [unpack_written(frame.body) for frame in sent if frame.kind is Kind.WRITTEN] == [{"copy": 1}, {"copy": 1}]
    assert [record.value for record in all_records(log, "copy")] == [b"x", b"x"]


def test_only_the_broadcast_and_the_integers_of_tasks_are_sent_to_workers(log: ClosingLog) -> None:
    topology = find_flow("word-count").topology()
    log.create_topic("text-lines", 1)
    plan = SparkPlan(run_plan(topology, log), stage_line(topology), "app-1", groups=GROUPS)
    received = pickle.loads(pickle.dumps(EventReader(Broadcast(plan, "app-1"), plan)))
    assert set(vars(received)) == {"_broadcast", "ids", "_batch"}


def test_the_source_of_a_query_reads_its_plan_and_closes_its_log(log: ClosingLog) -> None:
    append(log, 0, 1)
    plan = SparkPlan(run_plan(copied("lines"), log), stage_line(copied("lines")), "app-1", groups=GROUPS)
    source: Any = event_source(LocalBroadcast(plan), plan)
    assert source.name() == "eddyline"
    stream = source({}).streamReader(source({}).schema())
    partitions = stream.partitions(stream.initialOffset(), stream.latestOffset(stream.initialOffset(), ANY))
    assert sum(len(rows.stateless) for rows in partitions) == 3, "a task for each partition"
    stream.stop()
    assert log.closed


def test_a_topic_that_is_created_again_while_the_flow_runs_ends_the_run(log: ClosingLog) -> None:
    plan = SparkPlan(run_plan(counts(), log), stage_line(counts()), "app-1", groups=GROUPS, log=log.identity(["lines"]))
    source = EventReader(LocalBroadcast(plan), plan)
    append(log, 0, 2)
    first = source.latestOffset(source.initialOffset(), ANY)
    log.delete_topic("lines")
    log.create_topic("lines", 3)
    append(log, 0, 5)
    with pytest.raises(WorkerError, match="LogMismatchError: the positions of application 'app' belong to topics that have been"):
        source.latestOffset(first, ANY)


@pytest.mark.parametrize(
    ("policy", "ends", "resets"),
    [
        ("earliest", [9, 3], [["t", 0, 2, 5, 3], ["t", 1, 8, 0, 0]]),
        ("latest", [9, 3], [["t", 0, 2, 9, 7], ["t", 1, 8, 3, 3]]),
    ],
)
def test_positions_out_of_range_are_reset_with_the_batch(policy: str, ends: list[int], resets: list[Any]) -> None:
    log = log_of(9, 3)
    log.delete_records("t", 0, 5)
    source = reader(copied("t"), log, auto_offset_reset=policy)
    start = {"ends": {"t": [2, 8]}, "more": {}, "at": 7}
    end = json.loads(json.dumps(source.latestOffset(start, ANY)))
    assert (end["ends"], end["resets"]) == ({"t": ends}, resets)
    log.delete_records("t", 0, 7)
    planned = [
        json.loads(unpack_frame(row.frame).body)
        for rows in source.partitions(start, end)
        if isinstance(rows, Rows)
        for row in rows.stateless
    ]
    found = {(topic, number): (begin, last) for ranges in planned for topic, number, begin, last, _ in ranges if begin < last}
    assert found == ({("t", 0): (5, 9), ("t", 1): (0, 3)} if policy == "earliest" else {}), "also if the batch is repeated later"
    assert source.latestOffset(end, ANY) is end


@pytest.mark.parametrize("position", [[2, 3], [5, 8]])
def test_positions_out_of_range_end_the_run_by_default(position: list[int]) -> None:
    log = log_of(9, 3)
    log.delete_records("t", 0, 5)
    with pytest.raises(WorkerError, match=r"OffsetOutOfRangeError: topic 't', partition [01]: the flow is at offset"):
        reader(copied("t"), log).latestOffset({"ends": {"t": position}, "more": {}, "at": 7}, ANY)


def test_a_batch_after_a_reset_is_cut_from_the_new_position_on() -> None:
    log = log_of(9)
    log.delete_records("t", 0, 5)
    source = reader(copied("t"), log, auto_offset_reset="earliest", max_batch_records=2)
    end = source.latestOffset({"ends": {"t": [0]}, "more": {}, "at": 7}, ANY)
    assert (end["ends"], [list(reset) for reset in end["resets"]]) == ({"t": [7]}, [["t", 0, 0, 5, 5]])
    following = source.latestOffset(end, ANY)
    assert following["ends"] == {"t": [9]}
    assert "resets" not in following
