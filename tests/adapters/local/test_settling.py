"""What a process waits for before it continues with tasks of another one."""

import re
from collections.abc import Collection
from types import SimpleNamespace
from typing import Any

from eddyline import TopologyBuilder
from eddyline.adapters.local.settling import settle
from eddyline.adapters.local.start import Started
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.options import RunOptions
from eddyline.application.runtime.report import RunReport
from tests.adapters.memory.running import built
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
