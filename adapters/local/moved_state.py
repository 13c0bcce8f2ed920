"""Moves the state of an application to another engine and back: what changelogs and records of tasks have, as exported state."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from eddyline.adapters.local.restoring import TaskRecords
from eddyline.adapters.local.start import Started, StateMismatchError, logged, topics_read
from eddyline.adapters.local.streams import Streams
from eddyline.application.operations.exported_state import ExportedState, ExportedTask, StoredEntry, WaitingRecord
from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.event_log import EventLog, LogRecord, TopicPartition
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.changelog import ChangelogEntry, decode, entry_record
from eddyline.application.runtime.offsets import batches_of, beginning_offsets
from eddyline.application.runtime.options import RunOptions, RunPorts
from eddyline.application.runtime.report import RunReport
from eddyline.application.runtime.run_plan import RunPlan
from eddyline.application.runtime.task_records import ApplicationRecord, TaskRecord, application_record, task_record, tasks_topic
from eddyline.application.runtime.task_state import NUMBERS
from eddyline.application.topology import Topology
from eddyline.application.topology.evolution import described, from_json

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
        """Return what holds for all tasks, None if there is no state."""
        return self._records().application

    def exported(self) -> ExportedState:
        """Return the state.

        Raises:
            StateMismatchError: there is none.
        """
        application_id, log, topology = self._options.application_id, self._ports.log, self._topology
        records = self._records()
        left = records.application
        if left is None:
            raise StateMismatchError(
                f"application '{application_id}' has left no state in its changelogs; run the flow with --engine local first"
            )
        plan = RunPlan.of(topology, self._ports, logged(topology, self._options), left.partitions)
        offsets = beginning_offsets(log, topics_read(plan))
        tasks = []
        for sub in topology.sub_topologies:
            topics = (*plan.source_topics(sub.index), *sub.repartition_sources)
            records.catch_up(range(plan.tasks[sub.index]))
            for number in range(plan.tasks[sub.index]):
                found = records.of(topics, number)
                if found:
                    tasks.append(_task(plan, sub.index, number, found))
                    _advance(offsets, plan, found)
        return ExportedState(application_id, from_json(dict(left.topology)), left.log, offsets, left.partitions, tasks)

    def replace(self, state: ExportedState) -> None:
        """Let the next run begin with exported state, in place of what earlier ones have left.

        Raises:
            ExportedStateError: the topology cannot continue the state.
            StateMismatchError: another process runs the application.
            TopologyError: a changelog topic has fewer partitions than the state has tasks.
        """
        state.changes_to(self._topology)
        self._commit(
            lambda started, batch, now_ms: _replacement(started, state, batch, now_ms), _positions(state), kept=state.partitions
        )

    def mark_moved(self, engine: str) -> None:
        """Note that another engine continues from the state, so that no run of the local engine does."""

        def mark(started: Started, _batch: int, now_ms: int) -> tuple[list[SinkRecord], list[SinkRecord]]:
            left = started.records.application
            if left is None:
                return [], []
            return [], [application_record(self._options.application_id, now_ms, left._replace(moved_to=engine))]

        self._commit(mark, {})

    def _records(self) -> TaskRecords:
        records = TaskRecords(self._ports.log, self._options.application_id)
        if tasks_topic(self._options.application_id) in self._ports.log.topics():
            records.catch_up(())
        return records

    def _commit(
        self,
        records_of: Callable[[Started, int, int], tuple[list[SinkRecord], list[SinkRecord]]],
        positions: Mapping[TopicPartition, int],
        kept: Mapping[str, int] | None = None,
    ) -> None:
        """Write a commit of all tasks, which no other process may run meanwhile."""
        started = Started.of(self._topology, self._ports, self._options, RunReport(), moving=True, kept=kept)
        membership = self._streams.membership(started.assignment, lambda _numbers: None)
        commits = self._streams.commits(membership)
        try:
            numbers = sorted({number for _, number in started.partitions})
            deadline = time.monotonic() + _JOIN_TIMEOUT_S
            while not set(numbers) <= started.numbers_of(membership.held() or ()):
                if time.monotonic() > deadline:
                    raise StateMismatchError(f"another process runs application '{self._options.application_id}'; stop it first")
                time.sleep(_POLL_S)
            commits.open(numbers)
            commits.evict(numbers)
            started.records.catch_up(numbers)
            batch, now_ms = started.records.last_batch + 1, time.time_ns() // 1_000_000
            records, last = records_of(started, batch, now_ms)
            commits.write(batch, records, last, positions)
        finally:
            commits.close()
            membership.close()


def _replacement(started: Started, state: ExportedState, batch: int, now_ms: int) -> tuple[list[SinkRecord], list[SinkRecord]]:
    """Return the records that replace the state: those of changelogs, and those of tasks."""
    last = [*_task_records(started.plan, state, batch, now_ms), _application(started, state, now_ms)]
    return list(_entries(started.plan, state)), last


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


def _advance(offsets: dict[str, list[int]], plan: RunPlan, found: Sequence[TaskRecord]) -> None:
    """Set the offsets to where the tasks continue; topics of global tables are read by all tasks from their beginning."""
    for record in found:
        for (topic, partition), offset in record.positions.items():
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


def _task_records(plan: RunPlan, state: ExportedState, batch: int, now_ms: int) -> Iterator[SinkRecord]:
    for sub in plan.topology.sub_topologies:
        topics = (*plan.source_topics(sub.index), *sub.repartition_sources)
        for number in range(plan.tasks[sub.index]):
            own = [task for task in state.tasks if task.task == number and set(topics) & set(task.topics)]
            positions = _positions(state, number, topics)
            positions.update(
                {TopicPartition(topic, partition): offset for task in own for topic, partition, offset in task.positions}
            )
            waiting = [
                (each.sender, LogRecord(each.topic, number, 0, each.timestamp, each.key, each.value, each.headers))
                for task in own
                for each in task.waiting
            ]
            numbers = _numbers(plan.ports.codecs, own)
            record = TaskRecord(topics, batch, now_ms, numbers, positions, waiting)
            yield task_record(plan.options.application_id, number, record)


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


def _positions(state: ExportedState, number: int | None = None, topics: Sequence[str] = ()) -> dict[TopicPartition, int]:
    return {
        TopicPartition(topic, partition): offset
        for topic, offsets in state.offsets.items()
        for partition, offset in enumerate(offsets)
        if number is None or (topic in topics and partition == number)
    }


def _application(started: Started, state: ExportedState, now_ms: int) -> SinkRecord:
    description = described(started.plan.topology).following(state.topology).as_json()
    partitions = dict(started.plan.repartition_partitions)
    record = ApplicationRecord(started.identity, description, partitions)
    return application_record(started.plan.options.application_id, now_ms, record)
