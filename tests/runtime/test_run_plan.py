"""The plan of a run has the partitions and tasks of its topology, and the topics that each sub-topology reads."""

import pickle
from typing import Any

import pytest

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.event_log import UnknownTopicError
from eddyline.application.runtime.plan.options import LogClock
from eddyline.application.runtime.plan.run_plan import RunPlan, upstream_first
from eddyline.application.topology import Topology, TopologyBuilder, TopologyError, join_windows
from tests.runtime.plans import run_plan


def pair(left: str, right: str) -> str:
    return f"{left}{right}"


def first(key: str, _value: str) -> str:
    return key


def by_value(_key: str, value: str) -> str:
    return value


def with_global_tables() -> Topology:
    """Return three sub-topologies: one without a global table, one with `names`, one with `names` and `places`."""
    builder = TopologyBuilder()
    names = builder.global_table("names", key=str, value=str)
    places = builder.global_table("places", key=str, value=str)
    builder.stream("plain", key=str, value=str).to("plain-out")
    lines = builder.stream("lines", key=str, value=str).join(names, pair, key_selector=first)
    moved = lines.group_by(by_value, key=str, name="moved").count(store="counts").to_stream().map_values(str)
    moved.join(places, pair, key_selector=first).join(names, pair, key_selector=first).to("out")
    return builder.build()


@pytest.fixture
def log() -> MemoryEventLog:
    log = MemoryEventLog()
    for topic, partitions in (("names", 4), ("places", 1), ("plain", 2), ("lines", 3)):
        log.create_topic(topic, partitions)
    return log


@pytest.fixture
def plan(log: MemoryEventLog) -> RunPlan:
    return run_plan(with_global_tables(), log)


def test_a_plan_has_the_partitions_of_all_topics_and_the_tasks_of_all_sub_topologies(plan: RunPlan) -> None:
    assert plan.partitions == {"names": 4, "places": 1, "plain": 2, "lines": 3, "moved-repartition": 3}
    assert plan.tasks == (2, 3, 3)


def test_a_missing_topic_and_a_wrong_number_of_partitions_are_refused(log: MemoryEventLog) -> None:
    def joined(builder: TopologyBuilder) -> None:
        left, right = (builder.stream(topic, key=str, value=str) for topic in ("plain", "lines"))
        left.join(right, pair, windows=join_windows(before=1, after=1, grace=0)).to("out")

    with pytest.raises(UnknownTopicError, match="topic 'names' is unknown"):
        run_plan(with_global_tables(), MemoryEventLog())
    with pytest.raises(TopologyError, match="joins topics 'plain' and 'lines', which have 2 and 3 partitions"):
        run_plan(built(joined), log)


def test_a_sub_topology_reads_its_source_topics_and_those_of_the_global_tables_that_it_uses(plan: RunPlan) -> None:
    assert [plan.source_topics(index) for index in range(3)] == [("plain",), ("lines", "names"), ("names", "places")]
    assert plan.global_topics == {"names", "places"}


def test_a_repartition_topic_has_a_reader_a_source_node_and_a_full_name(plan: RunPlan) -> None:
    assert plan.readers == {"moved-repartition": 2}
    assert plan.sources["moved-repartition"].repartition
    assert plan.sources["lines"].name == "lines"
    assert plan.internal_topic("moved-repartition") == "app-moved-repartition"


def test_the_clock_topic_is_that_of_the_options(log: MemoryEventLog, plan: RunPlan) -> None:
    assert plan.clock_topic is None
    with_clock = run_plan(with_global_tables(), log, clock=LogClock("ticks"), order="arrival")
    assert with_clock.clock_topic == "ticks"


def test_a_plan_is_pickled_without_its_cached_properties(plan: RunPlan) -> None:
    assert plan.readers
    received = pickle.loads(pickle.dumps(plan))
    assert set(vars(received)) == {"topology", "ports", "options", "partitions", "tasks"}
    assert received.readers == plan.readers


def built(define: Any) -> Topology:
    builder = TopologyBuilder()
    define(builder)
    return builder.build()


def late_source(builder: TopologyBuilder) -> None:
    """Define a sub-topology 0 that reads a repartition topic which sub-topology 1 writes."""
    table = builder.table("table", key=str, value=str)
    builder.stream("lines", key=str, value=str).select_key(by_value, key=str).join(table, pair).to("out")


def cycle(builder: TopologyBuilder) -> None:
    """Define counts that are joined with the stream from which they were counted, and a sub-topology without a cycle."""
    builder.stream("plain", key=str, value=str).repartition(name="apart").to("plain-out")
    lines = builder.stream("lines", key=str, value=str)
    counts = lines.group_by(by_value, key=str, name="by-line").count(store="counts")
    latest = counts.to_stream().select_key(lambda key, _count: key, key=str).to_table(store="latest-counts")
    joined = lines.join(latest, lambda line, count: f"{line} {count}", value=str)
    joined.repartition(name="after-cycle").to("out")


@pytest.mark.parametrize(
    ("define", "ordered", "cyclic"),
    [(late_source, (1, 0), ()), (cycle, (0, 1), (2, 3, 4))],
)
def test_sub_topologies_are_ordered_upstream_first_and_cycles_are_found(
    define: Any, ordered: tuple[int, ...], cyclic: tuple[int, ...]
) -> None:
    assert upstream_first(built(define)) == (ordered, cyclic)
