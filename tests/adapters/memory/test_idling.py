"""A task of a run in memory waits for records of empty partitions, as `max.task.idle.ms` says."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.run import MemoryRun
from eddyline.application.ports.clock import Clock
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.plan.options import RunOptions
from tests.adapters.memory.running import built, fill, merged, run_of, values
from tests.runtime.plans import memory_ports


@pytest.fixture
def log() -> MemoryEventLog:
    return MemoryEventLog()


class _Output:
    """Reads the values in topic `out` at some times of a run."""

    def __init__(self, log: MemoryEventLog) -> None:
        self._log = log
        self.at: dict[int, list[bytes | None]] = {}

    def read_at(self, *times: int) -> dict[int, Callable[[], object]]:
        return {now: partial(self._read, now) for now in times}

    def _read(self, now: int) -> None:
        self.at[now] = values(self._log, "out")


class _CommittingLog(MemoryEventLog):
    """A log that keeps the offsets that were committed last."""

    committed: Mapping[TopicPartition, int]

    def commit_offsets(self, application_id: str, offsets: Mapping[TopicPartition, int]) -> None:
        del application_id
        self.committed = dict(offsets)


class _Script(Clock):
    """A clock that moves on by 100 ms with each batch of a run, runs the steps of a test at their times, and stops the run."""

    def __init__(self, steps: dict[int, Callable[[], object]], end_ms: int) -> None:
        self._steps, self._end_ms, self._now = steps, end_ms, 0
        self.run: MemoryRun | None = None

    def now_ms(self) -> int:
        self._now += 100
        self._steps.get(self._now, lambda: None)()
        if self._now == self._end_ms and self.run is not None:
            self.run.stop()
        return self._now


def idle_run(log: MemoryEventLog, steps: dict[int, Callable[[], object]], end_ms: int, **options: Any) -> None:
    clock = _Script(steps, end_ms)
    defaults = {"emit": "every-update", "trigger_interval_ms": 0, "new_topic_partitions": 1, "max_task_idle_ms": 400}
    run = MemoryRun(built(merged), memory_ports(log), RunOptions(application_id="app", **{**defaults, **options}), clock)
    clock.run = run
    run.run()


@pytest.mark.parametrize(("idle", "expected"), [(400, [b"b1", b"a5"]), (0, [b"a5", b"b1"])])
def test_a_task_waits_for_records_of_an_empty_partition(log: MemoryEventLog, idle: int, expected: list[bytes]) -> None:
    fill(log, "a", (b"a5", 5, 0))
    fill(log, "b")
    idle_run(log, {300: lambda: log.append("b", b"k", b"b1", 1)}, 1_500, max_task_idle_ms=idle)
    assert values(log, "out") == expected


def test_a_task_processes_the_others_when_it_has_waited_long_enough(log: MemoryEventLog) -> None:
    fill(log, "a", (b"a5", 5, 0))
    fill(log, "b")
    output = _Output(log)
    idle_run(log, output.read_at(500, 600), 600)
    assert output.at == {500: [], 600: [b"a5"]}


def test_the_time_to_wait_starts_again_after_each_record_of_the_partition(log: MemoryEventLog) -> None:
    fill(log, "a", (b"a5", 5, 0), (b"a9", 9, 1))
    fill(log, "b", (b"b1", 1, 2))
    output = _Output(log)
    idle_run(log, {400: lambda: log.append("b", b"k", b"b7", 7), **output.read_at(600, 1_000, 1_100)}, 1_100)
    assert output.at == {600: [b"b1", b"a5", b"b7"], 1_000: [b"b1", b"a5", b"b7"], 1_100: [b"b1", b"a5", b"b7", b"a9"]}


def test_the_committed_offset_is_that_of_the_first_record_that_waits() -> None:
    log = _CommittingLog()
    fill(log, "a", (b"a5", 5, 0))
    fill(log, "b")
    idle_run(log, {}, 200)
    assert values(log, "out") == []
    assert log.committed == {TopicPartition("a", 0): 0, TopicPartition("b", 0): 0}


def test_a_run_of_what_is_available_does_not_wait(log: MemoryEventLog) -> None:
    fill(log, "a", (b"a5", 5, 0))
    fill(log, "b")
    run_of(built(merged), log, max_task_idle_ms=400).run_available_now()
    assert values(log, "out") == [b"a5"]


def test_without_idling_a_task_does_not_wait_for_the_next_batch(log: MemoryEventLog) -> None:
    fill(log, "a", (b"a1", 1, 0), (b"a2", 2, 1), (b"a3", 3, 2))
    fill(log, "b", (b"b9", 9, 3))
    run_of(built(merged), log, max_batch_records=2, max_task_idle_ms=-1).run_available_now()
    assert values(log, "out") == [b"a1", b"a2", b"b9", b"a3"]
