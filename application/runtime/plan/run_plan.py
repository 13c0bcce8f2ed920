"""The plan of a run, shared by all its tasks: topology, ports, options, and the numbers of partitions and tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from eddyline.application.ports.event_log import EventLog
from eddyline.application.runtime.plan.changelogs import changelogs_by_sub_topology, chosen_stores, is_own_changelog
from eddyline.application.runtime.plan.combining import combined, without_counted_values
from eddyline.application.runtime.plan.dead_letters import holds_dead_letters
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.plan.partitions import check_partition_counts, task_counts, topic_partitions
from eddyline.application.runtime.plan.upstream_sources import sub_topologies_with_idle_timeouts
from eddyline.application.topology import Topology
from eddyline.application.topology.by_topic import ByTopic
from eddyline.application.topology.graph import with_idle_timeout
from eddyline.application.topology.nodes import SourceNode
from eddyline.application.topology.types import Emit


@dataclass(frozen=True)
class RunPlan:
    """A topology and how to run it; picklable if its ports are.

    Args:
        topology: the topology, with its aggregations combined where possible.
        ports: the ports of the run.
        options: the options of the run.
        partitions: the number of partitions of every topic that is read, including repartition topics.
        tasks: the number of tasks of each sub-topology, by its index.
    """

    topology: Topology
    ports: RunPorts
    options: RunOptions
    partitions: Mapping[str, int]
    tasks: tuple[int, ...]

    @classmethod
    def of(cls, topology: Topology, ports: RunPorts, options: RunOptions, kept: Mapping[str, int] | None = None) -> Self:
        """Return the plan for the current numbers of partitions.

        Args:
            topology: The topology to run.
            ports: The ports of the run.
            options: The options of the run.
            kept: The numbers of partitions that repartition topics keep from earlier runs, since the state of a key stays in
                its task.

        Raises:
            UnknownTopicError: a source topic does not exist.
            TopologyError: topics that are joined have different numbers of partitions, or a store of `changelog_stores` does
                not exist.
        """
        chosen_stores(topology, options.changelog_stores)
        external = {topic: ports.log.partitions(topic) for topic in log_topics(topology, ports.log)}
        partitions = topic_partitions(topology, external, kept)
        ports = replace(ports, codecs=ports.codecs.configured(topology.type_choices))
        topology = topology_of_run(topology, options)
        return cls(topology, ports, options, partitions, task_counts(topology, partitions))

    @property
    def emit(self) -> Emit:
        """Which updates of a table are forwarded: what the run chooses, else what the topology says, else every update."""
        return self.topology.emit_with(self.options.emit)

    @property
    def repartition_partitions(self) -> Mapping[str, int]:
        """The number of partitions of each repartition topic."""
        return {topic: self.partitions[topic] for topic in self.topology.repartition_topics}

    @property
    def clock_topic(self) -> str | None:
        """The topic that sets the wall clock, None if the system clock is used."""
        clock = self.options.clock
        return None if clock is None else clock.topic

    @cached_property
    def sources(self) -> Mapping[str, SourceNode]:
        """The source nodes by the topics that they read, also by those that match a pattern."""
        nodes = self.topology.nodes
        return ByTopic({node.topic: node for node in nodes if isinstance(node, SourceNode)}, nodes)

    @cached_property
    def global_topics(self) -> frozenset[str]:
        """The topics of global tables."""
        return frozenset(topic for topic, node in self.sources.items() if node.global_)

    @cached_property
    def readers(self) -> Mapping[str, int]:
        """The index of the sub-topology that reads each repartition topic."""
        return {topic: sub.index for sub in self.topology.sub_topologies for topic in sub.repartition_sources}

    @cached_property
    def changelogs(self) -> Mapping[int, Mapping[str, str]]:
        """The changelog topics by the index of their sub-topology, which has a task for each partition: a topic by store."""
        return changelogs_by_sub_topology(self.topology, self.options.application_id, self.options.changelog_stores)

    @property
    def changelog_partitions(self) -> Mapping[str, int]:
        """The number of partitions of each changelog topic."""
        return {topic: self.tasks[index] for index, topics in self.changelogs.items() for topic in topics.values()}

    @cached_property
    def with_idle_timeouts(self) -> frozenset[int]:
        """The indexes of the sub-topologies whose tasks have sources with an idle timeout upstream."""
        return sub_topologies_with_idle_timeouts(self.topology)

    @cached_property
    def shortest_idle_timeout_ms(self) -> int | None:
        """The shortest idle timeout of all sources, None if there is none."""
        found = (node.idle_timeout_ms for node in self.topology.nodes if isinstance(node, SourceNode))
        return min((timeout for timeout in found if timeout is not None), default=None)

    def check_partitions(self, offsets: Mapping[str, Sequence[int]]) -> None:
        """Check the topics that a batch is going to read, some of which may have appeared since the plan was made.

        Raises:
            TopologyError: topics that are joined have different numbers of partitions.
        """
        counts = {topic: len(numbers) for topic, numbers in offsets.items() if topic != self.clock_topic}
        if any(self.partitions.get(topic) != count for topic, count in counts.items()):
            check_partition_counts(self.topology, self.partitions, counts)

    def log_topics(self) -> list[str]:
        """Return the topics outside the topology that are read now: those read by name, then those that match a pattern."""
        return log_topics(self.topology, self.ports.log)

    def read_topics(self) -> list[str]:
        """Return the topics that are read from the log now: those of `log_topics`, and the clock topic."""
        return [*self.log_topics(), *([self.clock_topic] if self.clock_topic is not None else [])]

    def source_topics(self, sub_topology: int) -> tuple[str, ...]:
        """Return the topics outside the topology that the tasks of a sub-topology read, including those of global tables.

        A pattern is one of them, between slashes.
        """
        sub = self.topology.sub_topologies[sub_topology]
        global_nodes = map(self.topology.by_name.__getitem__, sub.global_nodes)
        of_global_tables = (node.topic for node in global_nodes if isinstance(node, SourceNode))
        return tuple(dict.fromkeys((*sub.source_topics, *of_global_tables)))

    def counted_elsewhere(self, sub_topology: int, partition: int) -> frozenset[str]:
        """Return the nodes of global tables that a task loads, whose drops and dead letters another task counts and writes.

        All tasks that load a global table process the same records, so the first of them does.
        """
        *earlier, own = (sub.global_nodes for sub in self.topology.sub_topologies[: sub_topology + 1])
        return frozenset(own if partition else (name for name in own if any(name in nodes for nodes in earlier)))

    def input_topics(self, sub_topology: int) -> tuple[str, ...]:
        """Return all topics that the tasks of a sub-topology read: its source topics and its repartition topics."""
        return (*self.source_topics(sub_topology), *self.topology.sub_topologies[sub_topology].repartition_sources)

    def internal_topic(self, topic: str) -> str:
        """Return the full name of a repartition topic."""
        return f"{self.options.application_id}-{topic}"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name in type(self).__dataclass_fields__}


def log_topics(topology: Topology, log: EventLog) -> list[str]:
    """Return the topics of a log that a topology reads now: those read by name, then those that match a pattern."""
    named = [spec.name for spec in topology.source_topics]
    if not topology.source_patterns:
        return named
    own = (topic for topic in log.topics() if not holds_dead_letters(topic) and not is_own_changelog(topology, topic))
    return named + topology.matching_topics(own)


def upstream_first(topology: Topology) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the indexes of the sub-topologies, each after those upstream of it.

    The second tuple has those that are in a cycle or downstream of one; it is usually empty.
    """
    readers = {topic: sub.index for sub in topology.sub_topologies for topic in sub.repartition_sources}
    parents: dict[int, set[int]] = {sub.index: set() for sub in topology.sub_topologies}
    for sub in topology.sub_topologies:
        for topic in sub.repartition_sinks:
            parents[readers[topic]].add(sub.index)
    ordered: list[int] = []
    while True:
        ready = next((index for index, upstream in parents.items() if index not in ordered and upstream <= set(ordered)), None)
        if ready is None:
            return tuple(ordered), tuple(index for index in parents if index not in ordered)
        ordered.append(ready)


def topology_of_run(topology: Topology, options: RunOptions) -> Topology:
    """Return a topology as it is run: with idle timeouts, partial aggregates, and without values that are only counted."""
    return without_counted_values(combined(with_idle_timeout(topology, options.idle_timeout_ms), options), options)
