"""Moves the state of an application to another engine and back: what changelogs and records of tasks have, as exported state."""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

from eddyline.adapters.local.restoring import StateMismatchError, TaskRecords
from eddyline.adapters.local.settling import settle, settle_written
from eddyline.adapters.local.start import Started, topics_read
from eddyline.adapters.local.streams import Streams
from eddyline.application.operations.exported_state import ExportedState, ExportedTask, StoredEntry, WaitingRecord
from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.event_log import EventLog, LogRecord, TopicPartition
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.ports.task_streams import Commits, Membership
from eddyline.application.runtime.input.offsets import batches_of, beginning_offsets
from eddyline.application.runtime.plan.changelogs import ChangelogEntry, decode, entry_record
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.runtime.progress.log_identity import check_log
from eddyline.application.runtime.progress.report import RunReport
from eddyline.application.runtime.progress.task_records import (
    ApplicationRecord,
    TaskRecord,
    application_record,
    task_record,
    tasks_topic,
)
from eddyline.application.runtime.task.exchange import TaskId
from eddyline.application.runtime.task.state import NUMBERS
from eddyline.application.topology import Topology
from eddyline.application.topology.evolution import TopologyDescription, described, from_json

_JOIN_TIMEOUT_S: Final = 30.0
_POLL_S: Final = 0.02


class LocalState:
    """The state that runs of the local engine have left of one application. No run may be active.

    Args:
        topology: the topology of the flow.
        ports: the log with the changelogs, the sink and the codecs.
        options: the options of a run.
        streams: what the engine uses of the log besides the ports.
    """

    def __init__(self, topology: Topology, ports: RunPorts, options: RunOptions, streams: Streams) -> None:
        self._topology, self._ports, self._options, self._streams = topology, ports, options, streams

    def left(self) -> ApplicationRecord | None:
        """Return what holds for all tasks, None if there is no state; waits for what was committed and is not visible yet."""
        topic = tasks_topic(self._options.application_id)
        records = TaskRecords(self._ports.log, self._options.application_id)
        if topic in self._ports.log.topics():
            self._streams.settle(TopicPartition(topic, 0))
            records.catch_up(())
        return records.application

    def exported(self) -> ExportedState:
        """Return the state of the last commit.

        Raises:
            StateMismatchError: there is none, it was moved to another engine, the topology would misread it, or another process
                runs the application.
            LogMismatchError: it belongs to another log.
        """
        application_id, left = self._options.application_id, self.left()
        if left is None:
            raise StateMismatchError(
                f"application '{application_id}' has left no state in its changelogs; run the flow with --engine local first"
            )
        if left.moved_to:
            raise StateMismatchError(
                f"the state of application '{application_id}' was moved to the engine {left.moved_to}; export it with"
                f" --engine {left.moved_to}"
            )
        with self._alone() as (started, _):
            started.check_changelogs(started.partitions)
            return _exported(started, left)

    def begin_with(self, state: ExportedState) -> None:
        """Let the first run begin with exported state.

        Raises:
            StateMismatchError: the application has state, or another process runs it.
            ExportedStateError: the topology cannot continue the state.
            LogMismatchError: the state belongs to another log.
            UnknownTopicError: a source topic does not exist.
            TopologyError: a changelog topic has fewer partitions than the state has tasks.
        """
        application_id = self._options.application_id
        if self.left() is not None:
            raise StateMismatchError(
                f"application '{application_id}' has state on the engine local already; run 'eddyline reset' for the flow first,"
                " or choose another --version or --application-id"
            )
        self.replace(state)

    def replace(self, state: ExportedState) -> None:
        """Let the next run begin with exported state, in place of what earlier ones have left.

        Raises:
            StateMismatchError: another process runs the application.
            ExportedStateError, LogMismatchError, UnknownTopicError, TopologyError: as `begin_with`.
        """
        state.changes_to(self._topology)
        with self._alone(state.partitions) as (started, commits):
            check_log(state.log, started.identity, state.application_id)
            batch, now_ms = started.records.last_batch + 1, time.time_ns() // 1_000_000
            positions = {task: _positions(started, state, task) for task in started.partitions}
            last = [*_task_records(started, state, positions, batch, now_ms), _application(started, state, now_ms)]
            of_group = {at: offset for found in positions.values() for at, offset in found.items()}
            commits.write(batch, list(_entries(started.plan, state)), last, of_group)

    def mark_moved(self, engine: str) -> None:
        """Note that another engine continues from the state, so that no run of the local engine does."""
        with self._alone() as (started, commits):
            left, now_ms = started.records.application, time.time_ns() // 1_000_000
            last = (
                [] if left is None else [application_record(self._options.application_id, now_ms, left._replace(moved_to=engine))]
            )
            commits.write(started.records.last_batch + 1, [], last, {})

    @contextmanager
    def _alone(self, kept: Mapping[str, int] | None = None) -> Iterator[tuple[Started, Commits]]:
        """Hold all tasks, and yield what their last commits have left, none of which may still become visible.

        `kept` is that of `Started.of`.

        Raises:
            StateMismatchError: another process runs some of them.
        """
        while True:
            started = Started.of(self._topology, self._ports, self._options, RunReport(), moving=True, kept=kept)
            membership = self._streams.membership(started.assignment, lambda _numbers: None)
            commits = self._streams.commits(membership)
            try:
                numbers = self._joined(started, membership)
                commits.open(numbers)
                settle(started, started.partitions, commits)
                if started.catch_up(numbers):
                    yield started, commits
                    settle_written(started, commits)
                    return
            finally:
                commits.close()
                membership.close()

    def _joined(self, started: Started, membership: Membership) -> list[int]:
        """Wait until this process holds all tasks; return their numbers. Raises StateMismatchError."""
        numbers = sorted({number for _, number in started.partitions})
        deadline = time.monotonic() + _JOIN_TIMEOUT_S
        while not set(numbers) <= started.numbers_of(membership.held() or ()):
            if time.monotonic() > deadline:
                raise StateMismatchError(f"another process runs application '{self._options.application_id}'; stop it first")
            time.sleep(_POLL_S)
        return numbers


def _exported(started: Started, left: ApplicationRecord) -> ExportedState:
    plan, records = started.plan, started.records
    offsets = beginning_offsets(plan.ports.log, topics_read(plan))
    reached: dict[TopicPartition, int] = {}
    tasks = []
    for sub in plan.topology.sub_topologies:
        topics = plan.input_topics(sub.index)
        for number in range(plan.tasks[sub.index]):
            found = records.of(topics, number)
            if found:
                tasks.append(_task(plan, sub.index, number, found))
                own = {at: offset for record in found for at, offset in record.positions.items()}
                for at, offset in own.items():  # of several tasks if it is the topic of the clock
                    reached[at] = min(offset, reached.get(at, offset))
    _advance(offsets, plan, reached)
    description = _moved_stores(from_json(dict(left.topology)), plan.topology.stores)
    return ExportedState(plan.options.application_id, description, left.log, offsets, left.partitions, tasks)


def _task(plan: RunPlan, sub_topology: int, number: int, found: Sequence[TaskRecord]) -> ExportedTask:
    key, value = plan.ports.codecs.for_state(str).encode, plan.ports.codecs.for_state(int).encode
    numbers: dict[str, int] = {}
    for record in found:
        numbers.update({name: max(at, numbers.get(name, at)) for name, at in record.numbers.items()})
    entries = [StoredEntry(NUMBERS, key(name) or b"", value(at) or b"") for name, at in numbers.items()]
    for store, topic in plan.changelogs.get(sub_topology, {}).items():
        latest = _latest(plan.ports.log, topic, number)
        entries += [StoredEntry(store, name, data) for name, data in latest.items() if data is not None]
    waiting = [
        WaitingRecord(each.topic, sender, each.timestamp, each.key, each.value, each.headers)
        for record in found
        for sender, each in record.waiting
    ]
    sub = plan.topology.sub_topologies[sub_topology]
    return ExportedTask((*sub.source_topics, *sub.repartition_sources), number, entries, [], waiting)


def _latest(log: EventLog, topic: str, number: int) -> dict[bytes, bytes | None]:
    latest: dict[bytes, bytes | None] = {}
    for batch in batches_of(log, topic, number):
        for record in batch:
            entry = decode(record.key, record.value, record.timestamp)
            if isinstance(entry, ChangelogEntry):
                latest[entry.key] = entry.value
    return latest


def _advance(offsets: dict[str, list[int]], plan: RunPlan, reached: Mapping[TopicPartition, int]) -> None:
    """Set the offsets to where the tasks continue; topics of global tables are read by all tasks from their beginning."""
    for (topic, partition), offset in reached.items():
        if topic in offsets and topic not in plan.global_topics and partition < len(offsets[topic]):
            offsets[topic][partition] = offset


def _entries(plan: RunPlan, state: ExportedState) -> Iterator[SinkRecord]:
    """Yield the records that make changelogs have the entries of the state, and no others."""
    for sub, topics in plan.changelogs.items():
        read = {*plan.source_topics(sub), *plan.topology.sub_topologies[sub].repartition_sources}
        for number in range(plan.tasks[sub]):
            own = [task for task in state.tasks if task.task == number and read & set(task.topics)]
            wanted = {(entry.store, entry.key): entry.value for task in own for entry in task.entries}
            for store, topic in topics.items():
                gone = [key for key in _latest(plan.ports.log, topic, number) if (store, key) not in wanted]
                yield from (entry_record(topic, number, key, None, 0) for key in gone)
                entries = ((key, value) for (name, key), value in wanted.items() if name == store)
                yield from (entry_record(topic, number, key, value, 0) for key, value in entries)


def _task_records(
    started: Started, state: ExportedState, positions: Mapping[TaskId, Mapping[TopicPartition, int]], batch: int, now_ms: int
) -> Iterator[SinkRecord]:
    plan = started.plan
    for sub in plan.topology.sub_topologies:
        topics = plan.input_topics(sub.index)
        for number in range(plan.tasks[sub.index]):
            own = [task for task in state.tasks if task.task == number and set(topics) & set(task.topics)]
            left_behind = {TopicPartition(topic, at): offset for task in own for topic, at, offset in task.positions}
            waiting = [
                (each.sender, LogRecord(each.topic, number, 0, each.timestamp, each.key, each.value, each.headers))
                for task in own
                for each in task.waiting
            ]
            numbers = _numbers(plan.ports.codecs, own)
            of_task = {**positions.get((sub.index, number), {}), **left_behind}
            yield task_record(
                plan.options.application_id, number, TaskRecord(topics, batch, now_ms, numbers, of_task, {}, waiting)
            )


def _numbers(codecs: Codecs, tasks: Sequence[ExportedTask]) -> Mapping[str, int]:
    key, value = codecs.for_state(str).decode, codecs.for_state(int).decode
    found: dict[str, int] = {}
    for task in tasks:
        for entry in task.entries:
            if entry.store == NUMBERS:
                name, number = _decoded(key(entry.key), value(entry.value))
                found[name] = max(number, found.get(name, number))
    return found


def _decoded(name: Any, number: Any) -> tuple[str, int]:
    return name, number


def _positions(started: Started, state: ExportedState, task: TaskId) -> dict[TopicPartition, int]:
    """Return where a task continues; it reads partitions that the state does not have from their beginning."""
    return {
        at: state.offsets[at.topic][at.partition]
        for at in started.partitions[task]
        if at.topic not in started.plan.global_topics and at.partition < len(state.offsets.get(at.topic, ()))
    }


def _application(started: Started, state: ExportedState, now_ms: int) -> SinkRecord:
    plan = started.plan
    description = _moved_stores(described(plan.topology).following(state.topology), plan.topology.stores).as_json()
    record = ApplicationRecord(started.identity, description, dict(plan.repartition_partitions))
    return application_record(plan.options.application_id, now_ms, record)


def _moved_stores(description: TopologyDescription, stores: Collection[str]) -> TopologyDescription:
    """Return a description without the stores that the topology does not have: what they contained is not moved."""
    return replace(description, stores={name: store for name, store in description.stores.items() if name in stores})
