"""`explain` prints how Spark runs a topology."""

from typing import Any

import pytest

from eddyline.adapters.spark.explain import explain
from eddyline.application.flows.flow import Flow
from eddyline.application.samples.catalogue import FLOWS, find_flow
from eddyline.application.topology import TopologyBuilder, session, tumbling
from eddyline.application.topology.processor import FixedKeyProcessor
from tests.adapters.spark.topologies import counts_joined_with_their_input
from tests.conformance.topologies import FLOWS as CONFORMANCE_FLOWS


def test_every_stage_and_operator_of_a_flow_has_its_line() -> None:
    assert (
        explain(find_flow("word-count").topology())
        == """\
Spark: one streaming query
   Sub-topology 0: stateless, runs where the event log is read
      text-lines: reads topic text-lines by offset range
      text-lines-filter: runs in the task (filter)
      text-lines-flat-map-values: runs in the task (flat map values)
      text-lines-select-key: runs in the task (map)
      word-count-store-count-without-values: runs in the task (map values)
      word-count-store-repartition-sink: shuffles records by key hash to topic word-count-store-repartition
   Sub-topology 1: stage 1, transformWithStateInPandas with one group per task
      word-count-store-repartition-source: receives topic word-count-store-repartition through the shuffle
      word-count-store-count: runs in the task (aggregate)
         store word-count-store: in the worker's memory, changes saved to RocksDB with each batch
      word-count-store-to-stream: runs in the task (table to stream)
      word-counts-sink: writes to topic word-counts
   Results and dead letters: written to the event sink in foreachBatch
   Not supported: nothing
"""
    )


class _Unchanged(FixedKeyProcessor[str, str, str]):
    def process(self, record: Any) -> None:
        self.context.forward(record)


def test_stages_are_numbered_in_their_order() -> None:
    builder = TopologyBuilder()
    lines = builder.stream("lines", key=str, value=str).group_by(lambda _key, line: line, key=str, name="by-line")
    counts = lines.count(store="counts").to_stream().group_by(lambda _line, count: count, key=int, name="by-count")
    counts.count(store="lines-by-count").to_stream().to("out")
    stages = [line for line in explain(builder.build()).splitlines() if "Sub-topology" in line]
    assert stages == [
        "   Sub-topology 0: stateless, runs where the event log is read",
        "   Sub-topology 1: stage 1, transformWithStateInPandas with one group per task",
        "   Sub-topology 2: stage 2, transformWithStateInPandas with one group per task",
    ]


def test_operators_that_run_in_a_special_way_are_described() -> None:
    builder = TopologyBuilder()
    names = builder.global_table("names", key=str, value=str, store="names-store")
    lines = builder.stream("lines", key=str, value=str).process_values(_Unchanged, value=str, name="unchanged")
    lines.join(names, lambda line, name: f"{name}: {line}", key_selector=lambda key, _line: key, name="named").to(
        lambda key, _value: key, name="by-key"
    )
    lines.group_by_key().windowed_by(tumbling(5, grace=0)).count(store="counts").to_stream().to("counts")
    text = explain(builder.build())
    assert (
        "unchanged: runs the processor; stream-time punctuation follows the records, "
        "wall-clock punctuation uses Spark's timers\n" in text
    )
    assert "store names-store: a full copy of the global table in every task\n" in text
    assert "by-key: writes to the topic chosen for each record\n" in text
    assert (
        "counts-count: aggregates in the task; with emit=latest into panes first, which become windows at the end of each batch\n"
        in text
    )


def test_an_aggregation_that_is_combined_before_the_shuffle_is_described_as_such() -> None:
    builder = TopologyBuilder()
    lines = builder.stream("lines", key=str, value=str)
    lines.group_by(lambda _key, line: line, key=str).count(store="counts")
    combining = "counts-count-combine: adds records to a partial aggregate per key, which counts-count merges after the shuffle\n"
    assert combining in explain(builder.build(), "latest")
    assert combining not in explain(builder.build())


def test_the_plan_shows_which_windows_are_combined() -> None:
    builder = TopologyBuilder()
    grouped = builder.stream("lines", key=str, value=str).group_by(lambda _key, line: line, key=str)
    grouped.windowed_by(tumbling(10, grace=0)).count(store="counts")
    combining = "counts-count-combine: adds records to a partial aggregate per key and pane, which counts-count merges after"
    assert combining in explain(builder.build(), "latest")


def test_the_plan_shows_that_records_of_sessions_are_collected() -> None:
    builder = TopologyBuilder()
    grouped = builder.stream("lines", key=str, value=str).group_by(lambda _key, line: line, key=str)
    grouped.windowed_by(session(10, grace=0)).count(store="counts")
    collecting = "counts-count-combine: collects the records of each key and session, which counts-count adds up after"
    assert collecting in explain(builder.build(), "latest")


@pytest.mark.parametrize("flow", [*FLOWS, *CONFORMANCE_FLOWS], ids=lambda flow: flow.name)
def test_spark_supports_every_flow(flow: Flow) -> None:
    assert explain(flow.topology()).endswith("Not supported: nothing\n")


def test_a_cycle_is_reported_as_not_supported() -> None:
    assert "Not supported: these sub-topologies feed each other in a cycle" in explain(counts_joined_with_their_input())
