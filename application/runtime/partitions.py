"""Determines the number of partitions of each topic and of tasks of each sub-topology."""

from collections.abc import Collection, Iterator, Mapping

from eddyline.application.topology import Topology
from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import CopartitionGroup, copartition_groups


def topic_partitions(topology: Topology, external: Mapping[str, int], kept: Mapping[str, int] | None = None) -> dict[str, int]:
    """Return the number of partitions of every topic that the topology reads; `external` has those of the source topics.

    A pattern has the largest number of the topics in `external` that match it, or else its own in `external`, or else 1.

    A repartition topic has the number in `kept`, or else the one that the topology specifies, or else that of the topics with
    which it is joined, or else the largest number upstream of it.

    Raises:
        TopologyError: a source topic is missing, or topics that are joined have different numbers of partitions.
    """
    counts: dict[str, int] = {}
    for spec in topology.source_topics:
        if spec.name not in external:
            msg = (
                f"the number of partitions of topic '{spec.name}' is missing; add it to those of: {', '.join(external) or 'none'}"
            )
            raise TopologyError(msg)
        counts[spec.name] = external[spec.name]
    matched: dict[str, tuple[str, ...]] = {}
    for text, pattern in topology.source_patterns.items():
        matching = {topic: count for topic, count in external.items() if pattern.fullmatch(topic)}
        counts |= matching | {text: max(matching.values(), default=external.get(text, 1))}
        matched[text] = tuple(matching) or (text,)
    sinks = topology.repartition_topics
    counts.update({topic: sink.partitions for topic, sink in sinks.items() if sink.partitions is not None})
    counts.update({topic: count for topic, count in (kept or {}).items() if topic in sinks})
    groups = copartition_groups(topology)
    for group in groups:
        _check(group, counts, matched)
    pending = [topic for topic in sinks if topic not in counts]
    while pending:
        found = next(_counted(topology, pending, groups, counts))
        counts.update(found)
        pending = [topic for topic in pending if topic not in found]
    for group in groups:
        _check(group, counts, matched)
    return counts


def task_counts(topology: Topology, partitions: Mapping[str, int]) -> tuple[int, ...]:
    """Return the number of tasks of each sub-topology: the largest number of partitions among the topics that it reads."""
    return tuple(
        max(partitions[topic] for topic in (*sub.source_topics, *sub.repartition_sources)) for sub in topology.sub_topologies
    )


def _counted(
    topology: Topology, pending: Collection[str], groups: Collection[CopartitionGroup], counts: Mapping[str, int]
) -> Iterator[dict[str, int]]:
    """Yield the numbers of pending repartition topics that can be derived from known numbers, group by group.

    If none can be derived because topics depend on each other, the largest known number upstream of one of them is used.
    """
    wants = {topic: _together(topic, groups) for topic in pending}
    for together in wants.values():
        known = [counts[topic] for topic in together if topic in counts]
        if known:
            yield {topic: known[0] for topic in together if topic not in counts}
    for ready in (all, any):
        for together in wants.values():
            upstream = {source for topic in together for source in _upstream(topology, topic)} - set(together)
            if upstream and ready(source in counts for source in upstream):
                largest = max(counts[source] for source in upstream if source in counts)
                yield dict.fromkeys(together, largest)


def _together(topic: str, groups: Collection[CopartitionGroup]) -> tuple[str, ...]:
    """Return the topic and all topics that must have as many partitions, directly or through other topics."""
    found = {topic: None}
    while True:
        more = {other: None for group in groups if found.keys() & set(group.topics) for other in group.topics}
        if more.keys() <= found.keys():
            return tuple(found)
        found |= more


def _upstream(topology: Topology, topic: str) -> tuple[str, ...]:
    """Return the topics read by the sub-topology that writes a repartition topic."""
    sink = topology.repartition_topics[topic]
    sub = next(sub for sub in topology.sub_topologies if sink.name in sub.nodes)
    return (*sub.source_topics, *sub.repartition_sources)


def _check(group: CopartitionGroup, counts: Mapping[str, int], matched: Mapping[str, tuple[str, ...]]) -> None:
    """Check a group; in place of a pattern stand the topics that match it. Raises TopologyError."""
    known = [topic for name in group.topics if name in counts for topic in matched.get(name, (name,))]
    for topic in known[1:]:
        first = known[0]
        if counts[topic] != counts[first]:
            msg = (
                f"operator '{group.node}' joins topics '{first}' and '{topic}', which have {counts[first]} and {counts[topic]} "
                f"partitions, so equal keys would be in different tasks; add .repartition(partitions={counts[topic]}) "
                f"after '{first}' (for a table: .to_stream().repartition(…).to_table(…))"
            )
            raise TopologyError(msg)
