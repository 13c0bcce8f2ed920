"""How many partitions each topic and each sub-topology has."""

from collections.abc import Mapping

from application.topology.errors import TopologyError
from application.topology.topology import Topology


def topic_partitions(topology: Topology, external: Mapping[str, int]) -> dict[str, int]:
    """The partitions of all topics that the topology reads; `external` has those of the topics from outside.

    A repartition topic has the number that the topology gives it, else the largest number upstream of it. Raises
    TopologyError when an external topic is missing.
    """
    counts: dict[str, int] = {}
    for spec in topology.source_topics:
        if spec.name not in external:
            msg = f"the number of partitions of topic '{spec.name}' is not known; known are: {', '.join(external) or 'none'}"
            raise TopologyError(msg)
        counts[spec.name] = external[spec.name]
    pending = dict(topology.repartition_topics)
    while pending:
        for topic, sink in list(pending.items()):
            upstream = next(sub for sub in topology.sub_topologies if sink.name in sub.nodes)
            if sink.partitions is not None:
                counts[topic] = sink.partitions
            elif all(t in counts for t in upstream.repartition_sources):
                counts[topic] = max(counts[t] for t in (*upstream.source_topics, *upstream.repartition_sources))
            else:
                continue
            del pending[topic]
    return counts


def task_counts(topology: Topology, partitions: Mapping[str, int]) -> tuple[int, ...]:
    """How many tasks each sub-topology has: the largest number of partitions among the topics that it reads."""
    return tuple(
        max(partitions[topic] for topic in (*sub.source_topics, *sub.repartition_sources)) for sub in topology.sub_topologies
    )
