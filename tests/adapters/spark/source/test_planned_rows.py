"""Queries whose tasks are all in stages get the rows of a batch as they were planned."""

import pickle
from typing import Any

import pytest
from pyspark.errors import PySparkNotImplementedError

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.spark.exchange.frames import unpack_frame
from eddyline.adapters.spark.exchange.task_ids import TaskIds
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.adapters.spark.source.event_source import event_source
from eddyline.adapters.spark.source.planned_rows import PlannedRows
from eddyline.application.topology import Topology, TopologyBuilder
from tests.adapters.spark.in_process import LocalBroadcast
from tests.runtime.plans import run_plan

GROUPS = 2


def counts() -> Topology:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).group_by_key().count(store="counts").to_stream().to("out")
    return builder.build()


@pytest.fixture
def log() -> MemoryEventLog:
    log = MemoryEventLog()
    log.create_topic("lines", 2)
    return log


def append(log: MemoryEventLog, partition: int, count: int) -> None:
    for _ in range(count):
        log.append("lines", b"k", b"x", 5, partition=partition)


def reader(log: MemoryEventLog, **options: Any) -> Any:
    plan = SparkPlan(run_plan(counts(), log, **options), stage_line(counts()), "app-1", groups=GROUPS)
    source: Any = event_source(LocalBroadcast(plan), plan)
    with pytest.raises(PySparkNotImplementedError):
        source({}).streamReader(source({}).schema())
    return source({}).simpleStreamReader(source({}).schema())


def planned(rows: Any) -> list[tuple[int, int, bytes]]:
    """Return task, stage and body of rows."""
    ids = TaskIds(GROUPS)
    return [(ids.task(group), stage, unpack_frame(frame).body) for group, stage, frame in rows]


def test_the_rows_of_a_batch_are_returned_with_its_end(log: MemoryEventLog) -> None:
    append(log, 0, 3)
    append(log, 1, 1)
    source = reader(log, max_batch_records=2)
    rows, end = source.read(source.initialOffset())
    assert sum(end["ends"]["lines"]) == 3
    offsets = end["ends"]["lines"]
    expected = [(task, 0, f'[["lines", {task}, 0, {offsets[task]}, '.encode()) for task in (0, 1)]
    assert [
        (task, stage, body[: len(start)]) for (task, stage, body), (*_, start) in zip(planned(rows), expected, strict=True)
    ] == (expected)
    rows, last = source.read(end)
    assert last["ends"]["lines"] == [3, 1]
    assert len(list(rows)) == 1, "only one task has new records"


def test_without_new_records_there_is_no_batch(log: MemoryEventLog) -> None:
    append(log, 0, 1)
    source = reader(log)
    _, end = source.read(source.initialOffset())
    rows, same = source.read(end)
    assert (list(rows), same) == ([], end)


def test_a_copy_in_a_worker_returns_the_same_rows_when_a_batch_is_repeated(log: MemoryEventLog) -> None:
    append(log, 1, 2)
    source = reader(log)
    start = source.initialOffset()
    rows, end = source.read(start)
    copy = PlannedRows.__new__(PlannedRows)
    vars(copy).update(source.__getstate__())
    assert list(copy.readBetweenOffsets(start, end)) == list(rows)
    assert pickle.dumps(source.__getstate__()["_opened"]) == pickle.dumps(None), "clients stay where they are"


def test_available_now_ends_with_the_records_that_there_are_at_its_start(log: MemoryEventLog) -> None:
    append(log, 0, 2)
    source = reader(log)
    source.prepareForTriggerAvailableNow()
    append(log, 0, 1)
    _, end = source.read(source.initialOffset())
    assert end["ends"]["lines"] == [2, 0]
