"""The sub-topologies of a flow become the stages of a query."""

import pytest

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.spark.plan import SparkPlan, is_stateless, stage_line
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology import Topology, TopologyBuilder, TopologyError
from eddyline.application.topology.processor import FixedKeyProcessor, Record
from tests.adapters.spark.topologies import copied, counts_joined_with_their_input
from tests.runtime.plans import run_plan


@pytest.fixture
def word_count() -> SparkPlan:
    topology, log = find_flow("word-count").topology(), MemoryEventLog()
    log.create_topic("text-lines", 3)
    return SparkPlan(run_plan(topology, log), stage_line(topology), "app-1", groups=2)


def test_a_stateless_sub_topology_runs_in_the_reader_and_the_others_are_stateful_stages(word_count: SparkPlan) -> None:
    assert word_count.line == (0, 1)
    assert word_count.in_reader == {0}
    assert word_count.stateful == (1,)
    assert word_count.stages == {"word-count-store-repartition": 1}


def test_workers_get_a_plan_without_its_cached_properties(word_count: SparkPlan) -> None:
    assert word_count.stages
    assert word_count.in_reader
    received = Broadcast(word_count, "app-1").unpickle()
    assert set(vars(received)) == {"run", "line", "writer", "groups", "with_changes", "log", "imported", "assigned", "limit"}
    assert received.stages == word_count.stages


class Silent(FixedKeyProcessor[str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        """Forward nothing."""


def processed() -> Topology:
    """Return a topology with a processor that has no store."""
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).process_values(Silent, value=str)
    return builder.build()


def read_through_a_repartition() -> Topology:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).repartition(name="moved").to("copy")
    return builder.build()


@pytest.mark.parametrize(
    ("topology", "stateless"),
    [
        (copied("lines"), [True]),
        (find_flow("word-count").topology(), [True, False]),
        (processed(), [False]),
        (read_through_a_repartition(), [True, False]),
    ],
    ids=["copied", "counted", "processed", "repartitioned"],
)
def test_stores_processors_and_repartition_topics_need_a_stage(topology: Topology, stateless: list[bool]) -> None:
    assert [is_stateless(topology, sub) for sub in topology.sub_topologies] == stateless


def test_a_cycle_is_refused_with_its_operators_the_reason_and_the_fix() -> None:
    with pytest.raises(
        TopologyError, match=r"in a cycle, which Spark does not support: lines, .*, counts-count, .*\.through\(topic\)"
    ):
        stage_line(counts_joined_with_their_input())
