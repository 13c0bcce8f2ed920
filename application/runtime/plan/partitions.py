"""Determines the number of partitions of each topic and of tasks of each sub-topology."""

from collections.abc import Collection, Iterator, Mapping

from eddyline.application.topology import Topology
from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import CopartitionGroup, copartition_groups


def topic_partitions(topology: Topology, external: Mapping[str, int], kept: Mapping[str, int] | None = None) -> dict[str, int]:
    """Return the number of partitions of every topic that the topology reads; `external` has those of the source topics.

    A pattern has the largest number of the topics in `external` that match it, or else its own in `external`, or else that of
    the topics with which it is joined, or else 1.

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
    matched = _matched(topology, external)
    for text, topics in matched.items():
        if topics:
            counts |= {topic: external[topic] for topic in topics} | {text: max(external[topic] for topic in topics)}
    sinks = topology.repartition_topics
    counts.update({topic: sink.partitions for topic, sink in sinks.items() if sink.partitions is not None})
    counts.update({topic: count for topic, count in (kept or {}).items() if topic in sinks})
    groups = copartition_groups(topology)
    for group in groups:
        _check(group, counts, matched)
    without_topics = [text for text, topics in matched.items() if not topics]
    pending = [topic for topic in sinks if topic not in counts]
    while pending:
        found = next(_counted(topology, pending, groups, counts), None) or dict.fromkeys(without_topics, 1)
        counts.update(found)
        pending = [topic for topic in pending if topic not in found]
    for text in without_topics:
        joined = (counts[topic] for topic in _together(text, groups) if topic in counts)
        counts.setdefault(text, next(joined, 1))
    for group in groups:
        _check(group, counts, matched)
    return counts


def check_partition_counts(topology: Topology, planned: Mapping[str, int], external: Mapping[str, int]) -> None:
    """Check topics that have appeared, or were given partitions, while the flow runs.

    Args:
        topology: The topology.
        planned: What `topic_partitions` returned when the run began.
        external: The present numbers of partitions of the source topics, with those that match a pattern.

    Raises:
        TopologyError: topics that are joined have different numbers of partitions now.
    """
    matched, counts = _matched(topology, external), {**planned, **external}
    try:
        for group in copartition_groups(topology):
            _check(group, counts, matched)
    except TopologyError as error:
        topic_partitions(topology, external)
        changed = next(topic for topic, count in external.items() if planned.get(topic) != count)
        msg = (
            f"topic '{changed}' has {external[changed]} partitions now, to which the repartition topics of this run do not fit: "
            f"{str(error).partition('; ')[0]}; restart the flow"
        )
        raise TopologyError(msg) from error


def task_counts(topology: Topology, partitions: Mapping[str, int]) -> tuple[int, ...]:
    """Return the number of tasks of each sub-topology: the largest number of partitions among the topics that it reads.

    One that only loads global tables, each of which is read by every task, has one.
    """
    return tuple(
        max((partitions[topic] for topic in (*sub.source_topics, *sub.repartition_sources)), default=1)
        for sub in topology.sub_topologies
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
    """Return the topics read by the sub-topology that writes a repartition topic; none for other topics."""
    sink = topology.repartition_topics.get(topic)
    if sink is None:
        return ()  # a pattern that matches no topic yet
    sub = next(sub for sub in topology.sub_topologies if sink.name in sub.nodes)
    return (*sub.source_topics, *sub.repartition_sources)


def _matched(topology: Topology, external: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """Return the topics that match each pattern, the pattern itself if it alone has a number, or nothing."""
    return {
        text: tuple(topic for topic in external if pattern.fullmatch(topic)) or ((text,) if text in external else ())
        for text, pattern in topology.source_patterns.items()
    }


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
