"""The source partitions from which a task gets its records, directly or through repartition topics."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.topology import Topology


class TaskSources(NamedTuple):
    """Where the records of a task come from.

    Attributes:
        direct: The partitions that the task reads itself.
        upstream: All partitions of the topics whose records reach the task through repartition topics.
    """

    direct: Sequence[TopicPartition]
    upstream: Sequence[TopicPartition]


def sources_of_task(topology: Topology, sub_topology: int, partition: int, partitions: Mapping[str, int]) -> TaskSources:
    """Return the source partitions of a task, without those of global tables, which do not advance stream time.

    Args:
        topology: The topology.
        sub_topology: The index of the sub-topology.
        partition: The partition of the task.
        partitions: The number of partitions of each source topic, also of those that match a pattern.
    """
    direct = [
        TopicPartition(topic, partition) for topic in _topics(topology, sub_topology, partitions) if partition < partitions[topic]
    ]
    upstream = [
        TopicPartition(topic, number)
        for index in _upstream(topology, sub_topology)
        for topic in _topics(topology, index, partitions)
        for number in range(partitions[topic])
    ]
    return TaskSources(direct, list(dict.fromkeys(found for found in upstream if found not in direct)))


def _upstream(topology: Topology, sub_topology: int) -> list[int]:
    """Return the indexes of the sub-topologies upstream of one, at any distance."""
    writers = {topic: sub.index for sub in topology.sub_topologies for topic in sub.repartition_sinks}
    found: dict[int, None] = {}
    pending = [sub_topology]
    while pending:
        for topic in topology.sub_topologies[pending.pop()].repartition_sources:
            if writers[topic] not in found:
                found[writers[topic]] = None
                pending.append(writers[topic])
    return list(found)


def _topics(topology: Topology, sub_topology: int, known: Mapping[str, int]) -> list[str]:
    """Return the source topics of a sub-topology among the known ones; those that match a pattern in its place."""
    found: list[str] = []
    for topic in topology.sub_topologies[sub_topology].source_topics:
        pattern = topology.source_patterns.get(topic)
        found += [topic] if pattern is None and topic in known else []
        found += [name for name in known if pattern is not None and pattern.fullmatch(name)]
    return list(dict.fromkeys(found))
