"""What a monitor collects from runs in memory, and from the reports of Spark's workers."""

from typing import Any

import pytest

from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.monitoring.run_monitor import RunMonitor
from eddyline.application.monitoring.run_status import NodeStatus, PartitionStatus, RunState, RunStatus, TaskStatus
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.input.offsets import by_partition
from eddyline.application.runtime.progress.report import Progress, RunReport, TaskState
from eddyline.application.topology import TopologyBuilder
from tests.adapters.memory.running import run_of
from tests.adapters.spark.in_process import InProcessRun
from tests.fixtures.example_runs import NOW_MS, fill_lines, words_by_second

LINES = TopicPartition("lines", 0)


def by_name(status: RunStatus) -> dict[str, NodeStatus]:
    return {node.name: node for node in status.nodes}


@pytest.fixture
def log() -> MemoryEventLog:
    log = MemoryEventLog()
    fill_lines(log)
    return log


def monitor_of(log: MemoryEventLog, clock: MemoryClock | None = None, **options: Any) -> RunMonitor:
    return RunMonitor(
        words_by_second(), log, clock or MemoryClock(NOW_MS), application_id="app", flow="words", engine="memory", **options
    )


def test_before_its_first_batch_a_run_has_done_nothing(log: MemoryEventLog) -> None:
    status = monitor_of(log).snapshot()
    assert (status.state, status.started, status.failure) == (RunState.CREATED, NOW_MS, None)
    assert (status.lag, status.stream_time, status.state_entries, status.records_per_second) == (None, None, None, 0)
    assert (status.tasks, status.partitions, status.history) == ((), (), ())


def test_the_counts_of_a_run_are_those_of_its_records(log: MemoryEventLog) -> None:
    monitor = monitor_of(log)
    run_of(words_by_second(), log, max_batch_records=2).run_available_now(monitor.on_progress)
    totals = monitor.snapshot().totals
    assert totals.records_in == {"lines": 4}
    assert totals.records_out == {"counted": 2, "app-dead-letters": 1}
    assert totals.undecodable == {"lines": 1}
    assert totals.dropped == {("words", "no-word"): 1, ("count", "late"): 1, ("lines-source", "undecodable"): 1}
    assert (totals.late, totals.dead_letters, totals.batches) == (1, 1, 3)


def test_handled_exceptions_are_counted_by_node(log: MemoryEventLog) -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).map_values(int, name="to-number").to("out")
    monitor = RunMonitor(builder.build(), log, MemoryClock(), application_id="app", flow="f", engine="memory")
    run = run_of(builder.build(), log, processing_exception_handler="continue")
    run.run_available_now(monitor.on_progress)
    assert monitor.snapshot().totals.handled_exceptions == {"to-number": 4}


def test_positions_lag_and_stream_time_are_those_after_the_last_batch(log: MemoryEventLog) -> None:
    clock = MemoryClock(NOW_MS)
    log.create_topic("lines", 2)
    monitor = monitor_of(log, clock)
    run = run_of(words_by_second(), log)

    def half_a_second_later(progress: Progress, report: RunReport) -> None:
        clock.advance(500)
        monitor.on_progress(progress, report)

    run.run_available_now(half_a_second_later)
    status = monitor.snapshot()
    assert status.partitions == (PartitionStatus("lines", 0, 5, 5, NOW_MS + 500),)
    assert (status.lag, status.stream_time, status.state_entries) == (0, 5_200, 1)
    assert status.tasks == (
        TaskStatus("0_0", 0, 0, 5_200, 0, None, NOW_MS + 500),
        TaskStatus("1_0", 1, 0, 5_200, 1, None, NOW_MS + 500),
    )
    (batch,) = status.history
    assert (batch.batch, batch.time, batch.records, batch.written, batch.dropped, batch.lag) == (0, NOW_MS + 500, 4, 3, 3, 0)
    assert (status.records_per_second, status.written_per_second) == (8.0, 6.0)


def test_records_that_come_later_are_lag_before_they_are_processed(log: MemoryEventLog) -> None:
    monitor = monitor_of(log)
    monitor.on_progress(Progress(0, 3, None, 0.1, start={LINES: 0}, positions={LINES: 3}), RunReport())
    status = monitor.snapshot()
    assert (status.lag, status.history[-1].lag, status.partitions[0].lag) == (2, 2, 2)


def test_a_partition_that_does_not_advance_keeps_the_time_at_which_it_did(log: MemoryEventLog) -> None:
    clock = MemoryClock(NOW_MS)
    monitor = monitor_of(log, clock)
    for start, position in ([1, 0], [3, 0]), ([3, 0], [3, 0]):
        offsets = by_partition({"lines": start}), by_partition({"lines": position})
        monitor.on_progress(Progress(0, 3, None, 0.1, start=offsets[0], positions=offsets[1]), RunReport())
        clock.advance(1_000)
    assert [found.last_advanced for found in monitor.snapshot().partitions] == [NOW_MS, None]


def test_partitions_and_tasks_that_have_moved_to_another_process_are_not_behind() -> None:
    log = MemoryEventLog()
    log.create_topic("lines", 2)
    monitor = monitor_of(log)
    states = [TaskState(f"0_{number}", 100, 2, None) for number in range(2)]
    report = RunReport(tasks={state.task: state for state in states})
    offsets = {LINES: 0, TopicPartition("lines", 1): 0}
    monitor.on_progress(Progress(0, 0, None, 0.1, report, start=offsets, positions=offsets), report)
    assert (len(monitor.snapshot().partitions), monitor.snapshot().state_entries) == (2, 4)
    report.tasks = {"0_1": states[1]}
    moved = {TopicPartition("lines", 1): 0}
    monitor.on_progress(Progress(1, 0, None, 0.1, start=moved, positions=moved), report)
    status = monitor.snapshot()
    assert ([found.partition for found in status.partitions], status.lag, status.state_entries) == ([1], 0, 2)


def test_a_log_that_does_not_answer_leaves_the_lag_unknown() -> None:
    class BrokenLog(MemoryEventLog):
        def bounds(self, topic: str, partition: int) -> tuple[int, int]:
            raise ConnectionError(f"no answer for {topic}-{partition}")

    log = BrokenLog()
    log.create_topic("lines", 1)
    monitor = monitor_of(log)
    monitor.on_progress(Progress(0, 3, None, 0.1, start={LINES: 0}, positions={LINES: 3}), RunReport())
    status = monitor.snapshot()
    assert (status.lag, status.partitions[0].end, status.history[0].lag) == (None, None, None)


def test_at_the_level_info_only_the_records_of_sources_are_known(log: MemoryEventLog) -> None:
    monitor = monitor_of(log)
    run_of(words_by_second(), log).run_available_now(monitor.on_progress)
    processed = {name: node.processed for name, node in by_name(monitor.snapshot()).items()}
    assert {name: number for name, number in processed.items() if number is not None} == {
        "lines-source": 4, "counts-repartition-source": 3,
    }  # fmt: skip


@pytest.mark.parametrize("handler", ["fail", "continue"])
def test_at_the_level_debug_the_records_of_every_node_are_counted(log: MemoryEventLog, handler: str) -> None:
    monitor = monitor_of(log, recording_level="debug")
    options: dict[str, Any] = {"metrics_recording_level": "debug", "processing_exception_handler": handler}
    run_of(words_by_second(), log, **options).run_available_now(monitor.on_progress)
    nodes = by_name(monitor.snapshot())
    assert {name: node.processed for name, node in nodes.items()} == {
        "lines-source": 4, "words": 4, "by-word": 3, "counts-repartition-sink": 3, "counts-repartition-source": 3,
        "count": 3, "updates": 2, "out": 2,
    }  # fmt: skip
    assert (nodes["count"].kind, nodes["count"].dropped, nodes["count"].sub_topology) == ("window-aggregate", {"late": 1}, 1)


def test_reports_of_sparks_workers_hold_the_same_counts_and_the_size_of_the_state(log: MemoryEventLog) -> None:
    run = InProcessRun(words_by_second(), log, metrics_recording_level="debug").run(max_batch_records=2)
    monitor = monitor_of(log, recording_level="debug")
    monitor.on_progress(Progress(0, 0, None, 0.1, run.report), run.report)
    status = monitor.snapshot()
    assert status.totals.records_in == {"lines": 4}
    assert status.totals.undecodable == {"lines": 1}
    nodes = by_name(status)
    assert (nodes["count"].processed, nodes["counts-repartition-source"].processed, nodes["words"].processed) == (3, 3, 4)
    assert [(task.task, task.stream_time) for task in status.tasks] == [("0_0", 5_200), ("1_0", 5_200)]
    assert status.state_entries is not None
    assert status.state_entries >= 1
    assert (status.state_bytes or 0) > 0


def test_the_history_is_bounded_and_the_histogram_has_all_batches(log: MemoryEventLog) -> None:
    monitor = monitor_of(log)
    for batch in range(700):
        monitor.on_progress(Progress(batch, 0, None, 0.2 if batch % 2 else 90.0, RunReport(batches=1)), RunReport())
    status = monitor.snapshot()
    assert [status.history[0].batch, status.history[-1].batch, len(status.history)] == [100, 699, 600]
    buckets = dict(status.batch_seconds.buckets)
    assert (buckets[0.1], buckets[0.25], buckets[60.0], buckets[120.0], status.batch_seconds.count) == (0, 350, 350, 700, 700)
    assert status.batch_seconds.total == pytest.approx(350 * 90.2)


def test_skipped_offsets_are_those_of_the_run(log: MemoryEventLog) -> None:
    monitor = monitor_of(log)
    report = RunReport(skipped={TopicPartition("lines", 0): 7})
    monitor.on_progress(Progress(0, 0, None, 0.1), report)
    assert monitor.snapshot().totals.skipped == {TopicPartition("lines", 0): 7}


def test_the_state_follows_the_run(log: MemoryEventLog) -> None:
    monitor = monitor_of(log)
    with monitor.running():
        assert monitor.snapshot().state is RunState.RUNNING
        monitor.stopping()
        assert monitor.snapshot().state is RunState.PENDING_SHUTDOWN
    assert monitor.snapshot().state is RunState.NOT_RUNNING
    with pytest.raises(ValueError, match="broken"), monitor.running():
        raise ValueError("broken")
    status = monitor.snapshot()
    assert (status.state, status.failure) == (RunState.ERROR, "ValueError: broken")


def test_a_run_that_failed_is_healthy_when_it_has_run_for_a_while_without_any_record(log: MemoryEventLog) -> None:
    clock = MemoryClock(NOW_MS)
    monitor = monitor_of(log, clock)
    for _ in range(3):
        with pytest.raises(OSError, match="no broker"), monitor.running():
            raise OSError("no broker")
        monitor.restarting("no broker", 1.0)
    with monitor.running():
        assert not monitor.snapshot().is_healthy
        clock.advance(60_001)
        assert (monitor.snapshot().is_healthy, monitor.snapshot().failures) == (True, 0)
    monitor.restarting("no broker", 1.0)
    assert (monitor.snapshot().is_healthy, monitor.snapshot().failures) == (True, 1)


def test_dead_letters_are_progress_after_a_failure(log: MemoryEventLog) -> None:
    monitor = monitor_of(log)
    for _ in range(3):
        monitor.restarting("no broker", 1.0)
    with monitor.running():
        monitor.on_progress(Progress(0, 0, None, 0.1, start={LINES: 3}, positions={LINES: 3}), RunReport())
        assert not monitor.snapshot().is_healthy
        monitor.on_progress(Progress(1, 1, None, 0.1, start={LINES: 3}, positions={LINES: 4}), RunReport(dead_letters=1))
        assert monitor.snapshot().is_healthy
