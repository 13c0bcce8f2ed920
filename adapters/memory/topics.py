"""What the memory engine asks a topology about its topics."""

from collections.abc import Container

from eddyline.application.topology import Topology
from eddyline.application.topology.errors import listed
from eddyline.application.topology.graph.topology import TopicSpec
from eddyline.application.topology.nodes import SinkNode


def read_by(topology: Topology) -> list[str]:
    """Return the source topics and the patterns of a topology."""
    return [*(spec.name for spec in topology.source_topics), *topology.source_patterns]


def matching(topology: Topology, topic: str) -> tuple[str, TopicSpec]:
    """Return the pattern of a topology that a topic matches, and the topic. Raises LookupError if there is none."""
    spec = topology.source_topic(topic) if topology.matching_topics([topic]) else None
    if spec is None:
        msg = f"the topology does not read topic '{topic}'; it reads: {listed(read_by(topology))}"
        raise LookupError(msg)
    return next(text for text, found in topology.source_patterns.items() if found.fullmatch(topic)), spec


def delivers_to_itself(topology: Topology, read: Container[str]) -> bool:
    """Return whether records of a topology may go to its own tasks, or to partitions that it chooses; `read` are its sources."""
    return bool(topology.repartition_topics) or any(
        node.partitioner is not None or not isinstance(node.topic, str) or node.topic in read
        for node in topology.nodes
        if isinstance(node, SinkNode)
    )
