"""What a process waits for before it continues with tasks of another one."""

import re
from collections.abc import Collection
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from eddyline import TopologyBuilder
from eddyline.adapters.local.alone import SinkCommits, streams_of_log
from eddyline.adapters.local.log_feed import LogFeed
from eddyline.adapters.local.moved_state import LocalState
from eddyline.adapters.local.settling import settle
from eddyline.adapters.local.start import Started
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.application.operations.exported_state import ExportedState
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.runtime.progress.report import RunReport
from eddyline.application.topology import Topology
from tests.adapters.local.running import engine_of
from tests.adapters.memory.running import built, fill
from tests.runtime.plans import memory_ports


class AskedCommits(SimpleNamespace):
    """Commits of which those of inputs are unfinished twice; notes what is asked."""

    def __init__(self) -> None:
        super().__init__(inputs=[], written=[], evicted=[])

    def are_settled(self, inputs: Collection[TopicPartition]) -> bool:
        self.inputs.append(list(inputs))
        return len(self.inputs) > 2

    def is_settled(self, partition: TopicPartition) -> bool:
        self.written.append(partition)
        return True

    def evict(self, numbers: Collection[int]) -> None:
        self.evicted.append(set(numbers))


def test_the_partitions_of_a_pattern_are_settled_and_those_of_global_tables_are_not_asked_for() -> None:
    def define(builder: TopologyBuilder) -> None:
        builder.global_table("rates", key=str, value=int, store="rates")
        builder.stream(re.compile("orders-.*"), key=str, value=int).group_by_key().count(store="counts").to_stream().to("out")

    log: Any = MemoryEventLog()
    for topic in ("orders-a", "orders-b", "rates"):
        log.create_topic(topic, 2)
    started = Started.of(built(define), memory_ports(log), RunOptions(application_id="app", new_topic_partitions=2), RunReport())
    commits: Any = AskedCommits()
    settle(started, [task for task in started.partitions if task[1] == 1], commits)
    assert commits.inputs == [[("orders-a", 1), ("orders-b", 1)]] * 3
    assert commits.evicted == [{1}]
    assert set(commits.written) == {("app-counts-changelog", 1), ("app-tasks", 1)}


class LateLog(MemoryEventLog):
    """A log whose last record of the topic of tasks is not visible until `settle` is called."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = 0

    def end_offset(self, topic: str, partition: int) -> int:
        return super().end_offset(topic, partition) - (self.hidden if topic == "app-tasks" else 0)

    def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        return self.beginning_offset(topic, partition), self.end_offset(topic, partition)


class LateCommits(SinkCommits):
    """Commits whose records are visible once they were asked for."""

    def __init__(self, log: LateLog) -> None:
        super().__init__(MemoryEventSink(log), "app", None)
        self._log = log

    def write(self, batch: int, *arguments: Any) -> bool:
        written = super().write(batch, *arguments)
        self._log.hidden = 1
        return written

    def is_settled(self, partition: TopicPartition) -> bool:
        if partition.topic != "app-tasks" or not self._log.hidden:
            return True
        self._log.hidden -= 1
        return False


def late_state(topology: Topology, log: LateLog) -> LocalState:
    """Return the state of an application whose commits become visible late."""

    def settle(_partition: TopicPartition) -> None:
        log.hidden = 0

    streams = streams_of_log(MemoryEventSink(log), "app", LogFeed, None)
    streams = streams._replace(commits=lambda _membership: LateCommits(log), settle=settle)
    return LocalState(topology, memory_ports(log), RunOptions(application_id="app", new_topic_partitions=1), streams)


def counted_in(log: LateLog) -> Topology:
    topology = built(lambda builder: builder.stream("a", key=str, value=str).group_by_key().count(store="counts"))
    fill(log, "a", (b"x", 1, 0))
    engine_of(topology, log).run_available_now()
    return topology


def test_state_that_was_moved_is_visible_when_the_move_has_ended() -> None:
    log = LateLog()
    topology = counted_in(log)
    state = late_state(topology, log)
    state.mark_moved("spark")
    assert log.hidden == 0
    exported = replace(state_before(topology), application_id="app", log=log.identity(["a"]))
    state.replace(exported)
    assert log.hidden == 0
    assert engine_of(topology, log).run_available_now().records == 0


def state_before(topology: Topology) -> ExportedState:
    """Return the state that the application had, from another log like its own."""
    other = LateLog()
    counted_in(other)
    return late_state(topology, other).exported()


def test_what_is_left_is_decided_by_what_was_committed_although_it_is_not_visible_yet() -> None:
    log = LateLog()
    topology = counted_in(log)
    late_state(topology, log).mark_moved("spark")
    log.hidden = 1
    left = late_state(topology, log).left()
    assert left is not None
    assert left.moved_to == "spark"


def test_a_plan_does_not_hold_if_another_record_of_the_application_has_become_visible() -> None:
    log = LateLog()
    topology = counted_in(log)
    late_state(topology, log).mark_moved("spark")
    log.hidden = 1
    started = Started.of(topology, memory_ports(log), RunOptions(application_id="app", new_topic_partitions=1), RunReport())
    assert started.catch_up([0])
    log.hidden = 0
    assert not started.catch_up([0])
