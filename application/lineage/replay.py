"""Replays a flow from its log, with the same tasks in the same order, and without writing anything."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

from eddyline.application.lineage.schedules import Schedule
from eddyline.application.lineage.traced_task import TracedTaskHost
from eddyline.application.lineage.traced_topology import traced_topology
from eddyline.application.lineage.tracker import StopReplayError, Tracker
from eddyline.application.lineage.transit import Encoded, Result, TracedCodecs, Transit, result_of
from eddyline.application.ports.event_log import LogRecord, Position, TopicPartition
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.input.offsets import Offsets
from eddyline.application.runtime.input.record_queue import OffsetRange
from eddyline.application.runtime.input.task_input import TaskInput
from eddyline.application.runtime.output.record_collector import Outlet
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.plan.run_plan import RunPlan, upstream_first
from eddyline.application.runtime.task.host import TaskHost
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import Topology

_Task: TypeAlias = tuple[int, int]
"""The index of a sub-topology and a partition."""


class Replay:
    """One replay.

    Args:
        topology: The topology.
        ports: The ports of the flow; nothing is written to the sink.
        options: The options of the flow.
        tracker: The tracker.
        on_result: Called with each result; it may raise `StopReplayError`.
        written: The topics whose results matter.
        sub_topologies: The sub-topologies to replay.
        orders: What records are ordered by, by position; for others it is their event time.
    """

    def __init__(
        self,
        topology: Topology,
        ports: RunPorts,
        options: RunOptions,
        tracker: Tracker,
        *,
        on_result: Callable[[Result], None],
        written: frozenset[str] | None = None,
        sub_topologies: Collection[int] | None = None,
        orders: Mapping[Position, int] = MappingProxyType({}),
    ) -> None:
        self._tracker, self._orders, self._on_result = tracker, orders, on_result
        traced = traced_topology(topology, tracker)
        self.plan = RunPlan.of(traced, replace(ports, codecs=TracedCodecs(ports.codecs, written)), options)
        ordered, cyclic = upstream_first(topology)
        self._rank = {sub: rank for rank, sub in enumerate((*ordered, *cyclic))}
        self._sub_of = {rank: sub for sub, rank in self._rank.items()}
        self._needed = frozenset(self._rank) if sub_topologies is None else frozenset(sub_topologies)
        self._hosts: dict[_Task, TaskHost] = {}
        self._inputs: dict[_Task, TaskInput] = {}
        self._unread: dict[_Task, dict[TopicPartition, int | None]] = {}
        self.times: list[int] = []

    @property
    def tasks(self) -> list[Task]:
        """The tasks that have processed records."""
        return [host.task for host in self._hosts.values()]

    @property
    def follows_wall_clock(self) -> bool:
        """Whether a task has wall-clock punctuation, or sources that become idle."""
        return any(task.next_wall_clock_due() is not None or task.idle_sources is not None for task in self.tasks)

    def run(self, schedule: Schedule, start: Offsets, end: Offsets) -> bool:
        """Process the records between two positions; return False if the replay was stopped."""
        try:
            for batch in schedule.batches(self.plan, start, end):
                self._tracker.batch = len(self.times)
                self.times.append(batch.now_ms)
                for sub, number, ranges in batch.reads:
                    if sub in self._needed:
                        self._inputs[sub, number] = TaskInput([self._continued((sub, number), found) for found in ranges])
                self._process_all(batch.now_ms)
        except StopReplayError:
            return False
        return True

    def _process_all(self, now_ms: int) -> None:
        """Process the input of all tasks, upstream tasks first, in as many rounds as it takes."""
        last: tuple[int, int] | None = None
        while self._inputs:
            places = [(self._rank[sub], number) for sub, number in self._inputs]
            later = [place for place in places if last is None or place > last]
            last = min(later, default=None)
            if last is not None:
                self._process((self._sub_of[last[0]], last[1]), now_ms)

    def _continued(self, task: _Task, offsets: OffsetRange) -> OffsetRange:
        position = self._unread.get(task, {}).get(TopicPartition(offsets.topic, offsets.partition))
        return offsets if position is None else offsets._replace(start=min(position, offsets.start))

    def _process(self, task: _Task, now_ms: int) -> None:
        host = self._hosts.get(task)
        if host is None:
            outlet = _Outlet(self, task[1])
            host = TracedTaskHost(self.plan, *task, outlet, now_ms=now_ms, tracker=self._tracker, orders=self._orders)
            self._hosts[task] = host
        for _ in host.run(self._inputs.pop(task), now_ms):
            pass
        self._unread.setdefault(task, {}).update(host.unread)
        host.report()

    # --- what tasks send ----------------------------------------------------------------------------------------------

    def deliver(self, record: SinkRecord, to: TopicPartition, sender: int, arrival: int) -> None:
        """Add a record of a repartition topic to the input of the task that reads it."""
        reader = self.plan.readers[to.topic]
        if reader not in self._needed:
            return
        topic, key, value, timestamp, headers, _ = record
        sent = LogRecord(topic, to.partition, 0, timestamp, key, value, headers, arrival)
        if isinstance(value, Encoded):  # all but the activity of sources
            sent = Transit.of(sent, value)
        received = self._inputs.setdefault((reader, to.partition), TaskInput())
        received.receive(sent, sender)

    def result(self, result: Result) -> None:
        """Pass a result on."""
        self._on_result(result)


class _Outlet(Outlet):
    """Passes on what one task sends."""

    def __init__(self, replay: Replay, partition: int) -> None:
        self._replay, self._partition = replay, partition

    def send(self, record: SinkRecord, arrival: int, to: TopicPartition | None = None) -> None:
        if to is None:
            topic, key, value, *rest = record
            self._replay.result(result_of(topic, key, value, rest))
        else:
            self._replay.deliver(record, to, self._partition, arrival)
