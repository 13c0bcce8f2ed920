"""What the workers of a flow must know, in one picklable value."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eddyline.application.runtime.options import RunOptions, RunPorts
from eddyline.application.topology import Topology
from eddyline.application.topology.errors import TopologyError, listed
from eddyline.application.topology.nodes import ProcessorNode, SourceNode
from eddyline.application.topology.sub_topologies import SubTopology


@dataclass(frozen=True)
class Plan:
    """A topology with all that its tasks need.

    `line` holds the indexes of the sub-topologies in the order in which their stages stand; `tasks` how many tasks each
    sub-topology has, by its index; `partitions` those of every topic that is read. `writer` names this checkpoint to the sink.
    `clock_topic` is a topic whose records move the wall clock to their timestamps, from `wall_clock_ms` on; without it the
    clock is the batch's.
    With `keep_partition` a record that is repartitioned stays in its partition, and results get the partition of their task.
    With `dead_letter_drops` the records of topics that a step leaves out go to the dead letters too.
    """

    topology: Topology
    ports: RunPorts
    options: RunOptions
    line: tuple[int, ...]
    tasks: tuple[int, ...]
    partitions: Mapping[str, int]
    writer: str
    with_changes: bool = False

    @property
    def clock_topic(self) -> str | None:
        """The topic that moves the wall clock, None where the machine's clock does."""
        clock = self.options.clock
        return None if clock is None else clock.topic

    @cached_property
    def stage_of(self) -> Mapping[str, int]:
        """The stage that reads a repartition topic, by topic."""
        subs = self.topology.sub_topologies
        return {topic: stage for stage, index in enumerate(self.line) for topic in subs[index].repartition_sources}

    @cached_property
    def sources(self) -> Mapping[str, SourceNode]:
        """The steps that read topics, by topic."""
        return {node.topic: node for node in self.topology.nodes if isinstance(node, SourceNode)}

    @cached_property
    def in_reader(self) -> frozenset[int]:
        """The stages that need no state and are fed by the log alone: they run where it is read."""
        subs = self.topology.sub_topologies
        return frozenset(stage for stage, index in enumerate(self.line) if is_stateless(self.topology, subs[index]))

    @cached_property
    def made_topics(self) -> set[str]:
        """The topics that this process has asked the sink to make."""
        return set()

    @property
    def stateful(self) -> tuple[int, ...]:
        """The stages that stand in Spark's line."""
        return tuple(stage for stage in range(len(self.line)) if stage not in self.in_reader)

    def internal_name(self, topic: str) -> str:
        """The full name of a repartition topic."""
        return f"{self.options.application_id}-{topic}"

    def source_topics(self, stage: int) -> tuple[str, ...]:
        """The topics from outside that the tasks of a stage read, global ones included."""
        sub = self.topology.sub_topologies[self.line[stage]]
        used = {store for name in sub.nodes for store in self.topology.by_name[name].stores}
        shared = tuple(
            parent.topic
            for node in self.topology.nodes
            if used.intersection(node.stores)
            for parent in map(self.topology.by_name.__getitem__, node.parents)
            if isinstance(parent, SourceNode) and parent.global_
        )
        return tuple(dict.fromkeys((*sub.source_topics, *shared)))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name in type(self).__dataclass_fields__}


def is_stateless(topology: Topology, sub: SubTopology) -> bool:
    """Whether a sub-topology can run where the log is read: fed by the log alone, without stores or processors."""
    steps = [topology.by_name[name] for name in sub.nodes]
    return not sub.repartition_sources and not any(step.stores or isinstance(step, ProcessorNode) for step in steps)


def in_line(topology: Topology) -> tuple[int, ...]:
    """The indexes of the sub-topologies in an order in which each stands behind those that feed it.

    Raises TopologyError when they feed each other in a circle.
    """
    readers = {topic: sub.index for sub in topology.sub_topologies for topic in sub.repartition_sources}
    feeders: dict[int, set[int]] = {sub.index: set() for sub in topology.sub_topologies}
    for sub in topology.sub_topologies:
        for topic in sub.repartition_sinks:
            feeders[readers[topic]].add(sub.index)
    placed: list[int] = []
    while len(placed) < len(feeders):
        ready = [index for index, needed in feeders.items() if index not in placed and needed <= set(placed)]
        if not ready:
            rest = [", ".join(topology.sub_topologies[index].nodes) for index in feeders if index not in placed]
            raise TopologyError(
                f"these sub-topologies feed each other in a circle, which one line of Spark stages cannot do: {listed(rest)}; "
                "let one of them write a topic of its own with .through(topic), which the next batch reads"
            )
        placed.append(ready[0])
    return tuple(placed)
