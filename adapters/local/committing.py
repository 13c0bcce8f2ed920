"""Commits: results, changes of stores and records of tasks, written as one unit."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from eddyline.adapters.local.tasks import LocalTasks
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.event_sink import EventSink, RejectedRecordsError, SinkRecord
from eddyline.application.ports.task_streams import Commits
from eddyline.application.runtime.input.offsets import Offsets
from eddyline.application.runtime.output.result_writer import BatchId, write_results
from eddyline.application.runtime.output.topics import TopicCreator
from eddyline.application.runtime.plan.changelogs import BatchProgress
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.runtime.progress.report import RunReport, TaskReport
from eddyline.application.runtime.progress.task_records import ApplicationRecord, TaskRecord, application_record, task_record
from eddyline.application.runtime.task.changelog import TaskChangelog
from eddyline.application.runtime.task.exchange import TaskId


class _Commit(NamedTuple):
    """The arguments of `Commits.write`, and the numbers of results by topic."""

    batch: int
    records: Sequence[SinkRecord]
    last: Sequence[SinkRecord]
    positions: Mapping[TopicPartition, int]
    results: Counter[str]


class Committer:
    """Collects what tasks send and writes commits.

    Args:
        plan: the plan of the run, with the event sink of the run.
        tasks: the tasks.
        commits: writes the commits.
        topics: creates topics.
        report: receives the counts.
        first_batch: the number of the first commit.

    `batch` is the number of the next commit; `application` is the record of the application, if the next commit has to write it;
    `tasks_s` is how long tasks have worked for the last one, in seconds.
    """

    def __init__(
        self, plan: RunPlan, tasks: LocalTasks, commits: Commits, topics: TopicCreator, report: RunReport, first_batch: int
    ) -> None:
        self._tasks, self._commits, self._topics, self._report = tasks, commits, topics, report
        self._sink = _CommitSink(plan.ports.sink, commits)
        self._plan = replace(plan, ports=replace(plan.ports, sink=self._sink))
        self._results: list[SinkRecord] = []
        self._changelogs: dict[TaskId, TaskChangelog] = {}
        self._reached: dict[TaskId, Mapping[str, int]] = {}
        self._written: dict[TaskId, TaskRecord] = {}
        self._positions: dict[TopicPartition, int] = {}
        self._begun: _Commit | None = None
        self.batch, self.tasks_s = first_batch, 0.0
        self.application: ApplicationRecord | None = None

    def add(self, task: TaskId) -> None:
        """Commit a task from now on, which was added to the tasks."""
        changelogs = self._plan.changelogs.get(task[0])
        if changelogs:
            log = self._plan.ports.log
            self._reached[task] = {topic: log.end_offset(topic, task[1]) + 1 for topic in changelogs.values()}
            self._changelogs[task] = TaskChangelog(self._tasks.hosts[task].task, changelogs, self._plan.ports.codecs)

    def remove(self, task: TaskId) -> None:
        """Commit a task no longer."""
        self._changelogs.pop(task, None)
        self._reached.pop(task, None)
        self._written.pop(task, None)

    def send(self, records: Sequence[SinkRecord]) -> None:
        """Send results, which become visible with the next commit at the latest."""
        if records:
            self._topics.ensure([record.topic for record in records])
            self._results += records
            self._commits.send(records)

    @property
    def results(self) -> int:
        """The number of results that were sent since the last commit."""
        return len(self._results)

    @property
    def is_writing(self) -> bool:
        """Whether a commit was begun and is not yet complete."""
        return self._begun is not None

    def commit(self, now_ms: int, offsets: Offsets, *, wait: bool = True) -> bool:
        """Write what the tasks have done since the last commit; return False if that is nothing.

        Args:
            now_ms: the wall-clock time.
            offsets: the offsets before which all records are processed, for who follows the changelogs; empty if not known.
            wait: whether to wait until the commit is durable, even if tasks could go on meanwhile; else see `settle`.
        """
        self.tasks_s = 0.0
        self.settle(wait=True)
        dirty = sorted(self._tasks.dirty)
        if not dirty and not self._results:
            return False
        began = time.monotonic()
        sent = self._tasks.commit(now_ms)
        self.tasks_s = time.monotonic() - began
        self.send(sent)
        self._tasks.report()
        dirty = sorted(self._tasks.dirty)
        progress = BatchProgress(self.batch, now_ms, offsets)
        changes = {task: self._changelogs[task].changes() for task in dirty if task in self._changelogs}
        records = {task: self._record(task, now_ms) for task in dirty}
        last = [task for task in dirty if changes.get(task) or self._differs(task, records[task])]
        self._tasks.dirty.clear()
        self._tasks.sent_bytes = 0
        if not last and not self._results:
            return False
        following = [record for task in last if task in changes for record in changes[task]]
        reached = self._changelogs.keys() & (self._written.keys() | set(last) if offsets else set(last))
        following += [record for task in sorted(reached) for record in self._changelogs[task].progress(progress)]
        found = self._commit_of([*self._results, *following], {task: records[task] for task in last}, now_ms)
        self._results, self.application = [], None
        self.batch += 1
        if not wait and self._commits.begin(*found[:4]):
            self._begun = found
        else:
            self._write(found)
        return True

    def settle(self, *, wait: bool) -> bool:
        """Complete a commit that was begun, if there is one and it can be completed now; return whether none is left.

        Args:
            wait: whether to wait until it is complete.
        """
        found = self._begun
        if found is None:
            return True
        try:
            if not self._commits.is_written(wait=wait):
                return False
        except RejectedRecordsError:
            self._write(found)
        else:
            self._report.add(TaskReport(0, 0, Counter(), transactions={"committed": 1}))
            self._report.written.update(found.results)
        self._begun = None
        return True

    def _commit_of(self, records: Sequence[SinkRecord], of_tasks: Mapping[TaskId, TaskRecord], now_ms: int) -> _Commit:
        application_id = self._plan.options.application_id
        last = [task_record(application_id, task[1], record) for task, record in of_tasks.items()]
        if self.application is not None:
            last.append(application_record(application_id, now_ms, self.application))
        positions = dict(self._changed_positions()) or dict(islice(self._tasks.lowest_positions().items(), 1))
        self._written.update(of_tasks)
        self._positions.update(positions)
        return _Commit(self.batch, records, last, positions, Counter(record.topic for record in self._results))

    def _write(self, commit: _Commit) -> None:
        self._sink.last, self._sink.positions = commit.last, commit.positions
        report, difference = write_results(self._plan, self._topics, BatchId("", 0, commit.batch), commit.records)
        self._report.add(report)
        commit.results.update(difference)
        self._report.written.update(+commit.results)

    def _record(self, task: TaskId, now_ms: int) -> TaskRecord:
        host = self._tasks.hosts[task]
        waiting = [(sender, record) for (_, sender), records in host.waiting.items() for record in records]
        topics = self._plan.input_topics(task[0])
        numbers, positions = host.task.numbers(), dict(self._tasks.positions[task])
        return TaskRecord(topics, self.batch, now_ms, numbers, positions, self._reached.get(task, {}), waiting)

    def _differs(self, task: TaskId, record: TaskRecord) -> bool:
        before = self._written.get(task)
        return before is None or before._replace(batch=record.batch, time_ms=record.time_ms) != record

    def _changed_positions(self) -> Iterator[tuple[TopicPartition, int]]:
        for partition, offset in self._tasks.lowest_positions().items():
            if self._positions.get(partition) != offset:
                yield partition, offset


class _CommitSink(EventSink):
    """Writes a batch as a commit, together with `last` and `positions`."""

    def __init__(self, sink: EventSink, commits: Commits) -> None:
        self._sink, self._commits = sink, commits
        self.last: Sequence[SinkRecord] = []
        self.positions: Mapping[TopicPartition, int] = {}

    def create_topic(self, topic: str, partitions: int, *, compacted: bool = False) -> None:
        self._sink.create_topic(topic, partitions, compacted=compacted)

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        del writer, slot
        return self._commits.write(batch, records, self.last, self.positions)
