"""What Spark would do with a topology, as text."""

import pytest

from eddyline.adapters.spark.explain import explain
from eddyline.adapters.spark.plan import stage_line
from eddyline.application.flows.flow import Flow
from eddyline.application.samples.catalogue import FLOWS, find_flow
from eddyline.application.topology import Topology, TopologyBuilder, TopologyError
from tests.conformance.topologies import FLOWS as BESIDE_FLOWS


def cycle() -> Topology:
    """Counts that meet the stream that they were made of."""
    builder = TopologyBuilder()
    lines = builder.stream("lines", key=str, value=str)
    counts = lines.group_by(lambda _key, line: line, key=str, name="by-line").count(store="counts")
    back = counts.to_stream().select_key(lambda key, _count: key, key=str).to_table(store="latest-counts")
    lines.join(back, lambda line, count: f"{line} {count}").to("out")
    return builder.build()


def test_a_flow_is_explained_stage_by_stage() -> None:
    assert (
        explain(find_flow("word-count").topology())
        == """\
Spark: one streaming query
   Sub-topology 0: where the log is read, since it needs no state
      text-lines: reads text-lines by offsets
      text-lines-flat-map-values: runs in the chain of its task
      text-lines-select-key: runs in the chain of its task
      word-count-store-repartition-sink: shuffles to the tasks of word-count-store-repartition by the key's hash
   Sub-topology 1: stage 1, transformWithStateInPandas, a group a task
      word-count-store-repartition-source: takes word-count-store-repartition from the shuffle
      word-count-store-count: runs in the chain of its task
         store word-count-store: in the worker's memory, its changes a batch in RocksDB
      word-count-store-to-stream: runs in the chain of its task
      word-counts-sink: gives to word-counts
   Results, dead letters and store changes: one foreachBatch into the event sink
   Refused: nothing
"""
    )


@pytest.mark.parametrize("flow", [*FLOWS, *BESIDE_FLOWS], ids=lambda flow: flow.name)
def test_no_flow_of_ours_is_refused(flow: Flow) -> None:
    assert explain(flow.topology()).endswith("Refused: nothing\n")


def test_a_cycle_is_refused_with_its_operators_the_reason_and_the_fix() -> None:
    with pytest.raises(TopologyError, match=r"in a cycle, which Spark's stages cannot: .*counts-count.*\.through\(topic\)"):
        stage_line(cycle())
    assert "Refused: these sub-topologies feed each other in a cycle" in explain(cycle())
