"""A stage takes the rows of its own tasks, keeps their state in Spark, and passes all other rows through."""

import json
from collections.abc import Iterable
from itertools import count
from typing import Any
from unittest.mock import patch

import pandas as pd
import pytest

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.spark.exchange.frames import Frame, Kind, Sender, pack_frame, unpack_frame
from eddyline.adapters.spark.exchange.rows import END, ROWS
from eddyline.adapters.spark.exchange.task_ids import TaskIds
from eddyline.adapters.spark.failures import WorkerError
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.adapters.spark.worker import batch_context
from eddyline.adapters.spark.worker.cache import CACHES
from eddyline.adapters.spark.worker.stage import Stage
from eddyline.application.runtime.input.record_queue import OffsetRange
from eddyline.application.runtime.plan.changelogs import BatchProgress
from eddyline.application.topology import Topology, TopologyBuilder
from eddyline.application.topology.processor import Processor, ProcessorContext, PunctuationType, Record
from tests.adapters.spark.in_process import LocalBroadcast
from tests.adapters.spark.state.handle import MemoryHandle
from tests.runtime.plans import all_records, run_plan

GROUPS, TASK, NOW_MS = 2, 1, 900
IDS = TaskIds(GROUPS)
_BATCHES = count()


class Times:
    """The timer values of a batch; -1 is a batch without processing time."""

    def __init__(self, now_ms: int) -> None:
        self._now_ms = now_ms

    def getCurrentProcessingTimeInMs(self) -> int:  # noqa: N802 - Spark's name
        return self._now_ms


class Ticking(Processor[str, str, str, str]):
    """Forwards the wall-clock time of each punctuation, every 100 ms."""

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        context.schedule(100, PunctuationType.WALL_CLOCK_TIME, lambda now: context.forward(Record("tick", str(now), now)))

    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record)


def counted() -> Topology:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).group_by_key().count(store="counts").to_stream().to("out")
    return builder.build()


def ticking() -> Topology:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).process(Ticking).to("out")
    return builder.build()


class StageUnderTest:
    """Stage 0 of a topology in a worker, with its state in `handle`; `written` has the values of its last results."""

    def __init__(self, topology: Topology, *, handle: MemoryHandle | None = None, log: MemoryEventLog | None = None) -> None:
        self.log = log or MemoryEventLog()
        if "lines" not in self.log.topics():
            self.log.create_topic("lines", 2)
        plan = SparkPlan(run_plan(topology, self.log, emit="every-update"), stage_line(topology), "app-1", groups=GROUPS)
        self.broadcast, self.handle = LocalBroadcast(plan), handle or MemoryHandle()
        self.stage = Stage(self.broadcast, 0, plan.task_ids())
        self.written: list[bytes | None] = []
        handle_of_spark: Any = self.handle
        self.stage.init(handle_of_spark)

    def append(self, value: bytes, timestamp: int) -> None:
        self.log.append("lines", b"a", value, timestamp, partition=TASK)

    def ranges(self, start: int, end: int, now_ms: int = NOW_MS) -> bytes:
        offsets = [OffsetRange("lines", TASK, start, end)]
        return pack_frame(Frame(Sender(0, TASK, 0), Kind.RANGES, now_ms, json.dumps(offsets).encode()))

    def run(self, *rows: tuple[int, bytes], batch_time: int = -1) -> list[tuple[int, int, bytes]]:
        """Process rows given as stage and frame, one data frame each; return group, stage and frame of what the stage yields."""
        group = IDS.group(TASK)
        given = (pd.DataFrame([(group, stage, frame)], columns=ROWS.fieldNames()) for stage, frame in rows)
        times: Any = Times(batch_time)
        return self._rows(self.stage.handleInputRows((group,), given, times))

    def expire(self, batch_time: int) -> list[tuple[int, int, bytes]]:
        times: Any = Times(batch_time)
        info: Any = None
        return self._rows(self.stage.handleExpiredTimer((IDS.group(TASK),), times, info))

    def _rows(self, found: Iterable[pd.DataFrame]) -> list[tuple[int, int, bytes]]:
        batch, before = BatchProgress(next(_BATCHES), NOW_MS, {}), len(all_records(self.log, "out"))
        with patch.object(batch_context, "worker_batch", lambda: batch):
            tables = list(found)
        self.written = [record.value for record in all_records(self.log, "out")[before:]]
        assert all(list(table.columns) == ROWS.fieldNames() for table in tables)
        return [tuple(row) for table in tables for row in table.itertuples(index=False)]


def test_a_task_processes_its_rows_and_its_state_is_in_spark() -> None:
    stage = StageUnderTest(counted())
    stage.append(b"x", 5)
    stage.append(b"y", 6)
    stage.run((0, stage.ranges(0, 1)))
    assert stage.written == [b"1"]
    other_worker = StageUnderTest(counted(), handle=stage.handle, log=stage.log)
    other_worker.run((0, other_worker.ranges(1, 2)))
    assert other_worker.written == [b"2"]


def test_a_cached_task_that_another_worker_has_overtaken_catches_up() -> None:
    stage = StageUnderTest(counted())
    for number in range(3):
        stage.append(b"x", number)
    stage.run((0, stage.ranges(0, 1)))
    assert stage.written == [b"1"]
    other = StageUnderTest(counted(), handle=stage.handle, log=stage.log)
    other.run((0, other.ranges(1, 2)))
    assert other.written == [b"2"]
    stage.run((0, stage.ranges(2, 3)))
    assert stage.written == [b"3"]


def test_a_task_is_cached_for_the_next_batch_of_the_run() -> None:
    stage = StageUnderTest(counted())
    stage.append(b"x", 5)
    stage.run((0, stage.ranges(0, 1)))
    _, hosted = CACHES.of(stage.broadcast).take(0, TASK, NOW_MS + 5)
    assert [row.key for row in hosted.host.task.stores["counts"].snapshot()] == ["a"]
    assert hosted.host.task.wall_clock_ms == NOW_MS


def test_a_batch_that_fails_changes_no_state() -> None:
    stage = StageUnderTest(counted())
    with pytest.raises(WorkerError):
        stage.run((0, stage.ranges(0, 1)))
    assert (stage.handle.header.row, stage.handle.chunks.rows) == (None, {})


def test_rows_for_other_stages_pass_through() -> None:
    stage = StageUnderTest(counted())
    stage.append(b"x", 5)
    rows = stage.run((1, b"for stage 1"), (0, stage.ranges(0, 1)), (END, b"for the sink"))
    assert rows[:2] == [(IDS.group(TASK), 1, b"for stage 1"), (IDS.group(TASK), END, b"for the sink")]
    assert {row[:2] for row in rows[2:]} == {(IDS.group(TASK), END)}
    assert {unpack_frame(frame).kind for _, _, frame in rows[2:]} == {Kind.REPORT, Kind.WRITTEN}
    assert stage.written == [b"1"]


def test_without_rows_of_its_own_a_stage_does_not_run_the_task() -> None:
    stage = StageUnderTest(counted())
    assert stage.run((1, b"for stage 1")) == [(IDS.group(TASK), 1, b"for stage 1")]
    assert stage.handle.header.row is None


def test_frames_of_several_rows_are_one_batch() -> None:
    stage = StageUnderTest(counted())
    stage.append(b"x", 5)
    stage.append(b"y", 6)
    stage.run((0, stage.ranges(0, 1)), (0, stage.ranges(1, 2)))
    assert stage.written == [b"1", b"2"]


@pytest.mark.parametrize(("batch_time", "expected"), [(0, 0), (1_234, 1_234), (-1, 950)])
def test_the_wall_clock_time_is_that_of_the_batch_or_the_latest_of_its_frames(batch_time: int, expected: int) -> None:
    stage = StageUnderTest(counted())
    stage.append(b"x", 5)
    stage.run((0, stage.ranges(0, 1, 950)), (0, stage.ranges(1, 1, 940)), batch_time=batch_time)
    _, hosted = CACHES.of(stage.broadcast).take(0, TASK, 1)
    assert hosted.host.task.wall_clock_ms == expected


def test_the_next_punctuation_is_a_timer_of_spark() -> None:
    stage = StageUnderTest(ticking())
    stage.append(b"x", 5)
    stage.handle.timers = [1_500, 700]
    stage.run((0, stage.ranges(0, 1)), batch_time=1_000)
    assert sorted(stage.handle.timers) == [700, 1_100], "a later timer is deleted, an earlier one is left to expire"
    stage.expire(1_100)
    assert stage.written == [b"1100"]
    assert sorted(stage.handle.timers) == [700, 1_100, 1_200]
    stage.handle.timers = [1_200]
    stage.expire(1_150)
    assert stage.written == []
    assert stage.handle.timers == [1_200]


def test_without_punctuation_there_is_no_timer() -> None:
    stage = StageUnderTest(counted())
    stage.append(b"x", 5)
    stage.handle.timers = [1_500]
    stage.run((0, stage.ranges(0, 1)), batch_time=1_000)
    assert stage.handle.timers == [1_500]


def test_a_task_that_is_rebuilt_has_the_time_of_the_batch() -> None:
    stage = StageUnderTest(ticking())
    stage.append(b"x", 5)
    stage.run((0, stage.ranges(0, 1)), batch_time=1_000)
    stage.handle.chunks.rows.clear()
    stage.handle.header.row = None
    stage.run((0, stage.ranges(0, 1)), batch_time=2_000)
    stage.expire(2_100)
    assert stage.written == [b"2100"]
