"""Topologies that several tests use."""

from eddyline.application.topology import Topology, TopologyBuilder


def copied(topic: str) -> Topology:
    """Return a topology that copies a topic to `copy`."""
    builder = TopologyBuilder()
    builder.stream(topic, key=str, value=str).to("copy")
    return builder.build()


def counts_joined_with_their_input() -> Topology:
    """Return a topology with a cycle of sub-topologies: counts are joined with the stream that they were counted from."""
    builder = TopologyBuilder()
    lines = builder.stream("lines", key=str, value=str)
    counts = lines.group_by(lambda _key, line: line, key=str, name="by-line").count(store="counts")
    latest = counts.to_stream().select_key(lambda key, _count: key, key=str).to_table(store="latest-counts")
    lines.join(latest, lambda line, count: f"{line} {count}").to("out")
    return builder.build()
