"""A topology is described as text, in the format of Kafka Streams, and as a flowchart."""

import re
from typing import Any, Final

from eddyline import Processor, Record, key_value_store
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
    Processor: kinds-short (stores: [])
      --> by-line
      <-- kinds
    Processor: by-line (stores: [])
      --> by-line-repartition-sink
      <-- kinds-short
    Processor: kinds-long (stores: [])
      --> long-lines-sink
      <-- kinds
    Sink: by-line-repartition-sink (topic: by-line-repartition)
      <-- by-line
    Sink: long-lines-sink (topic: long-lines)
      <-- kinds-long

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


class Forwarding(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record)


KAFKA_STREAMS: Final = """\
Topologies:
   Sub-topology: 0
    Source: src1 (topics: [t1])
      --> p
    Source: src2 (topics: [t2])
      --> p
    Processor: p (stores: [zz, aa])
      --> asink, q, sink
      <-- src1, src2
    Sink: asink (topic: t4)
      <-- p
    Processor: q (stores: [])
      --> none
      <-- p
    Sink: sink (topic: t3)
      <-- p

  Sub-topology: 1
    Source: lone (topics: t-.*)
      --> none

  Sub-topology: 2 for global store (will not generate tasks)
    Source: g (topics: [g])
      --> g-processor
    Processor: g-processor (stores: [rows])
      --> none
      <-- g
"""
"""What Kafka Streams 4.3.0 prints for the topology of the next test."""


def test_nodes_are_in_the_order_of_kafka_streams() -> None:
    builder = TopologyBuilder()
    types: dict[str, Any] = {"key": str, "value": str}
    builder.add_source("src2", "t2", **types)
    builder.add_source("src1", "t1", **types)
    for store in ("zz", "aa"):
        builder.add_state_store(key_value_store(store, **types))
    builder.add_processor("p", Forwarding, parents=["src1", "src2"], stores=["zz", "aa"])
    builder.add_sink("sink", "t3", parents=["p"])
    builder.add_sink("asink", "t4", parents=["p"])
    builder.add_source("lone", re.compile("t-.*"), **types)
    builder.add_processor("q", Forwarding, parents=["p"])
    builder.add_global_store(key_value_store("rows", **types), "g", Forwarding, **types)
    assert builder.build().describe() == KAFKA_STREAMS


def test_a_sink_names_the_function_that_chooses_its_topic() -> None:
    builder = TopologyBuilder()

    def chosen(key: str, _line: str) -> str:
        return key

    builder.stream("lines", key=str, value=str).to(chosen, name="sink")
    assert "    Sink: sink (extractor class: test_a_sink_" in builder.build().describe()


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
