"""A topology is described as text, in the format of Kafka Streams, and as a flowchart."""

from eddyline.application.topology import Topology, TopologyBuilder, tumbling


def topology() -> Topology:
    builder = TopologyBuilder()
    branches = (
        builder.stream("lines", key=str, value=str)
        .split(name="kinds")
        .branch(lambda _key, line: len(line) > 80, name="long")
        .default_branch(name="short")
    )
    branches["long"].to("long-lines")
    (
        branches["short"]
        .group_by(lambda _key, line: line, key=str, name="by-line")
        .windowed_by(tumbling(1_000, grace=0))
        .count(store="counts")
        .to_stream()
        .to("line-counts")
    )
    return builder.build()


def test_the_description_has_the_format_of_kafka_streams() -> None:
    assert (
        topology().describe()
        == """\
Topologies:
   Sub-topology: 0
    Source: lines (topics: [lines])
      --> kinds
    Processor: kinds (stores: [])
      --> kinds-long, kinds-short
      <-- lines
    Processor: kinds-long (stores: [])
      --> long-lines-sink
      <-- kinds
    Processor: kinds-short (stores: [])
      --> by-line
      <-- kinds
    Sink: long-lines-sink (topic: long-lines)
      <-- kinds-long
    Processor: by-line (stores: [])
      --> by-line-repartition-sink
      <-- kinds-short
    Sink: by-line-repartition-sink (topic: by-line-repartition)
      <-- by-line

   Sub-topology: 1
    Source: by-line-repartition-source (topics: [by-line-repartition])
      --> counts-count
    Processor: counts-count (stores: [counts])
      --> counts-to-stream
      <-- by-line-repartition-source
    Processor: counts-to-stream (stores: [])
      --> line-counts-sink
      <-- counts-count
    Sink: line-counts-sink (topic: line-counts)
      <-- counts-to-stream
"""
    )


def test_the_flowchart_has_every_topic_node_and_store() -> None:
    chart = topology().mermaid()
    assert chart.startswith("flowchart LR\n")
    for name in ("lines", "long-lines", "by-line-repartition", "line-counts", "kinds-long", "counts-count", "counts"):
        assert chart.count(f'"{name}"') + chart.count(f'(["{name}"])') >= 1
    assert chart.count('[("counts")]') == 1


def test_the_flowchart_has_notes_and_a_direction_if_they_are_given() -> None:
    chart = topology().mermaid({"counts-count": "7 records"}, "TB")
    assert chart.startswith("flowchart TB\n")
    assert '["counts-count<br/>7 records"]' in chart
    assert chart.count("<br/>") == 1
