"""Runs a flow in this process, from an event log to an event sink, for small inputs and for trials.

State is in memory only: each run begins at the beginning of the log.
"""

import threading
import time
import uuid
from collections import Counter
from collections.abc import Sequence

from eddyline.application.ports.clock import Clock
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.input.batch_planner import plan_batch, task_ranges
from eddyline.application.runtime.input.interruption import Interruption
from eddyline.application.runtime.input.offsets import (
    Offsets,
    beginning_offsets,
    by_partition,
    end_offsets,
    partitions_of,
    records_between,
    with_new_partitions,
)
from eddyline.application.runtime.input.record_queue import OffsetRange
from eddyline.application.runtime.input.task_input import TaskIdling, TaskInput
from eddyline.application.runtime.output.result_writer import BatchId, write_results
from eddyline.application.runtime.output.topics import TopicCreator, check_changelog_partitions, ensure_changelogs
from eddyline.application.runtime.plan.changelogs import BatchProgress
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.runtime.plan.topic_types import check_codecs
from eddyline.application.runtime.progress.log_identity import check_log, with_topics_of
from eddyline.application.runtime.progress.offset_reset import (
    check_partitions,
    find_resets,
    shifted,
    skipped_offsets,
    with_resets,
)
from eddyline.application.runtime.progress.report import OnProgress, Progress, RunReport
from eddyline.application.runtime.task.changelog import TaskChangelog
from eddyline.application.runtime.task.creation import close_tasks
from eddyline.application.runtime.task.exchange import Exchange, TaskId
from eddyline.application.runtime.task.host import TaskHost
from eddyline.application.runtime.task.stores import entry_count
from eddyline.application.topology import Topology


class MemoryRun(Exchange):
    """Runs a topology over the records of a log, in batches of about `options.max_batch_records`.

    The source topics must exist when the run is created. The results of a batch are written to the sink at its end. `report` has
    the counts of the run.

    Raises:
        UnknownTopicError: a source topic does not exist.
        TopologyError: topics that are joined have different numbers of partitions.
    """

    def __init__(self, topology: Topology, ports: RunPorts, options: RunOptions, clock: Clock) -> None:
        self.report = RunReport()
        check_codecs(topology, ports.codecs)
        self._plan, self._clock, self._stopping = RunPlan.of(topology, ports, options), clock, threading.Event()
        super().__init__(self._plan)
        self._interruption, self._now_ms = Interruption(), 0
        self._hosts: dict[TaskId, TaskHost] = {}
        self._unread: dict[TaskId, dict[TopicPartition, int | None]] = {}
        self._idling: dict[TaskId, TaskIdling] = {}
        self._idles = options.max_task_idle_ms > 0 and options.order == "timestamp"
        self._results: list[SinkRecord] = []
        self._topics = TopicCreator(ports.sink, options.new_topic_partitions)
        self._changelogs: dict[TaskId, TaskChangelog] = {}
        self._stream_times: dict[TaskId, int] = {}
        topics = self._plan.log_topics()
        self._identity = ports.log.identity(topics)
        self._begin: Offsets = beginning_offsets(ports.log, topics)
        self._position = self._complete = self._begin
        self._writer = f"{options.application_id}-{uuid.uuid4()}"

    def run(self, on_progress: OnProgress | None = None) -> RunReport:
        """Process the records of the log and those that are appended to it, until `stop()`."""
        while not self._stopping.is_set():
            began = time.monotonic()
            self._process_available(on_progress, idles=self._idles)
            interval_s = self._plan.options.trigger_interval_ms / 1000
            self._stopping.wait(max(0.0, began + interval_s - time.monotonic()))
        return self.report

    def run_available_now(self, on_progress: OnProgress | None = None) -> RunReport:
        """Process the records that the log holds now, or fewer if `stop()` is called; no task waits for others."""
        return self._process_available(on_progress, idles=False)

    def _process_available(self, on_progress: OnProgress | None, *, idles: bool) -> RunReport:
        self._topics.ensure(spec.name for spec in self._plan.topology.sink_topics)
        ensure_changelogs(self._plan, self._topics)
        last = end_offsets(self._plan.ports.log, self._plan.log_topics())
        total = records_between(self._begin, last)
        done = False
        while not done and not self._stopping.is_set():
            began, before, start = time.monotonic(), self.report.begin_batch(), self._position
            wrote = self._batch(last, idles=idles)
            done = self._position == last
            if wrote and on_progress is not None:
                reached = records_between(self._begin, self._position)
                seconds = time.monotonic() - began
                batch = self.report.since(before)
                progress = Progress(
                    self.report.batches - 1, reached, total, seconds, batch, by_partition(start), by_partition(self._position)
                )
                on_progress(progress, self.report)
        if done:
            ends = {partition: last[partition.topic][partition.partition] for partition in partitions_of(last)}
            for unread in self._unread.values():
                ends.update({partition: min(ends[partition], start) for partition, start in unread.items() if start is not None})
            self._plan.ports.log.commit_offsets(self._plan.options.application_id, ends)
        return self.report

    def close(self) -> None:
        """Close the processors and stores of all tasks, after the last batch; the run must not be used any more."""
        hosts, self._hosts = self._hosts, {}
        close_tasks(hosts[task].task for task in sorted(hosts, key=self.order))

    def stop(self) -> None:
        """End the run after the record that is being processed; the results until then are written."""
        self._stopping.set()
        self._interruption.requested = True

    # --- a batch ------------------------------------------------------------------------------------------------------

    def _batch(self, last: Offsets, *, idles: bool) -> bool:
        """Process a batch; return False if it had neither input nor output."""
        log = self._plan.ports.log
        identity = log.identity(last)
        check_log(self._identity, identity, self._plan.options.application_id)
        self._identity = with_topics_of(self._identity, identity)
        records = self.report.records
        start = with_new_partitions(log, self._position, last)
        check_partitions(start, last)
        self._plan.check_partitions(last)
        check_changelog_partitions(self._plan, last)
        resets = find_resets(start, last, log.topic_bounds(last), self._plan.options.auto_offset_reset)
        start, self._begin = with_resets(start, resets), shifted(self._begin, resets)
        self.report.add_skipped(skipped_offsets(resets))
        end = plan_batch(self._plan, start, last)
        self._now_ms = now = self._clock.now_ms()
        for sub, number, ranges in task_ranges(self._plan, start, end):
            offsets = [self._continued((sub, number), found) for found in ranges]
            waiting = self._with_waits((sub, number), offsets, now) if idles else offsets
            self.inputs[sub, number] = TaskInput(waiting, partial=end.partial)
        self._results = self.run_all()
        if self._interruption.requested:
            return self._write(self._changes(now, advanced=False), processed=self.report.records > records)
        advanced, self._position = end.offsets != self._position, end.offsets
        if self._changelogs and not end.more and not any(self._has_left(task) for task in self._hosts):
            self._complete = end.offsets
        return self._write(self._changes(now, advanced=advanced), processed=self.report.records > records)

    def _continued(self, task: TaskId, offsets: OffsetRange) -> OffsetRange:
        """Return an offset range without what the task has processed of it already."""
        position = self._unread.get(task, {}).get(TopicPartition(offsets.topic, offsets.partition))
        return offsets if position is None else offsets._replace(start=min(position, offsets.start))

    def _with_waits(self, task: TaskId, ranges: list[OffsetRange], now_ms: int) -> list[OffsetRange]:
        """Return the offset ranges of a task, with `more` where it waits for an empty partition; never for a global table."""
        idling = self._idling.setdefault(task, TaskIdling(self._plan.options.max_task_idle_ms))
        own = [offsets for offsets in ranges if offsets.topic not in self._plan.global_topics]
        return [*idling.with_waits(own, now_ms), *(offsets for offsets in ranges if offsets.topic in self._plan.global_topics)]

    def new_input(self, task: TaskId) -> TaskInput:
        """Return an input without offset ranges: those of the batch were given."""
        del task
        return TaskInput()

    def process(self, task: TaskId, given: TaskInput) -> None:
        """Run a task over its input."""
        host = self._hosts.get(task)
        if host is None:
            host = self._hosts[task] = TaskHost(
                self._plan, *task, self.outlet(task[1]), now_ms=self._now_ms, interruption=self._interruption
            )
            if task[0] in self._plan.changelogs:
                topics = self._plan.changelogs[task[0]]
                self._changelogs[task] = TaskChangelog(host.task, topics, self._plan.ports.codecs)
        for _ in host.run(given, self._now_ms):
            pass
        self._unread.setdefault(task, {}).update(host.unread)
        report = host.report()
        if report.state is not None:
            report = report._replace(state=report.state._replace(entries=entry_count(host.task.stores.values())))
        self.report.add(report)

    def _has_left(self, task: TaskId) -> bool:
        """Return whether a task has left records of the batch to the next one."""
        return bool(self._hosts[task].waiting) or any(start is not None for start in self._unread[task].values())

    def _changes(self, now_ms: int, *, advanced: bool) -> list[SinkRecord]:
        """Return the records of the changelogs; none if neither a store nor an offset nor a stream time has changed."""
        if not self._changelogs:
            return []
        changes = [record for changelog in self._changelogs.values() for record in changelog.changes()]
        stream_times = {task: self._hosts[task].task.stream_time for task in self._changelogs}
        if not changes and not advanced and stream_times == self._stream_times:
            return []
        self._stream_times = stream_times
        batch = BatchProgress(self.report.batches, now_ms, self._complete)
        return [*changes, *(record for changelog in self._changelogs.values() for record in changelog.progress(batch))]

    def _write(self, changes: Sequence[SinkRecord], *, processed: bool) -> bool:
        results, self._results = self._results, []
        if not processed and not results and not changes:
            return False
        written = Counter(record.topic for record in results)
        self._topics.ensure(written)
        batch = BatchId(self._writer, 0, self.report.batches)
        report, difference = write_results(self._plan, self._topics, batch, [*results, *changes])
        self.report.add(report)
        written.update(difference)
        self.report.batches += 1
        self.report.written.update(+written)
        return True
