"""Global stores with a processor of their own, and global tables that no operator uses."""

import pytest

from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.topology import TopologyBuilder, TopologyError
from eddyline.application.topology.processor import Processor, Record
from eddyline.application.topology.stores import key_value_store


class Summing(Processor[str, int, str, int]):
    """Adds up the values of each key."""

    def process(self, record: Record[str, int]) -> None:
        sums = self.context.state_store("sums")
        sums.put(record.key, (sums.get(record.key) or 0) + record.value)
        self.context.forward(record)


class Reading(Processor[str, str, str, int]):
    """Forwards the sum of the key."""

    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record.with_value(self.context.state_store("sums").get(record.key)))


def sums(builder: TopologyBuilder) -> None:
    builder.add_global_store(key_value_store("sums", key=str, value=int), "numbers", Summing, key=str, value=int)
    words = builder.stream("words", key=str, value=str)
    words.process(Reading, stores=["sums"], key=str, value=int).to("out")


def test_every_task_has_all_of_a_global_store() -> None:
    builder = TopologyBuilder()
    sums(builder)
    engine = MemoryEngine(builder.build(), partitions={"numbers": 1, "words": 3})
    for number in (3, 4):
        engine.pipe("numbers", "a", number, timestamp=100)
    for partition in range(3):
        engine.pipe("words", "a", "x", timestamp=1, partition=partition)
    assert [output.value for output in engine.outputs()] == [7, 7, 7]
    assert [row.value for row in engine.store("sums")] == [7]


def test_the_nodes_of_a_global_store_are_described() -> None:
    builder = TopologyBuilder()
    sums(builder)
    assert "Processor: numbers-processor (stores: [sums])" in builder.build().describe()


def test_the_topic_of_a_global_store_must_not_be_read_otherwise() -> None:
    builder = TopologyBuilder()
    builder.stream("numbers", key=str, value=int)
    with pytest.raises(TopologyError, match="topic 'numbers' is already read; a global store needs a topic of its own"):
        sums(builder)


def test_a_global_table_without_a_use_is_loaded_by_the_tasks_of_the_first_sub_topology_with_stores() -> None:
    builder = TopologyBuilder()
    builder.global_table("countries", key=str, value=str, store="rows")
    builder.stream("plain", key=str, value=str).to("out")
    builder.stream("counted", key=str, value=str).group_by_key().count(store="counts")
    topology = builder.build()
    assert [sub.global_nodes for sub in topology.sub_topologies] == [(), ("countries", "countries-table")]
    engine = MemoryEngine(topology)
    engine.pipe("countries", "no", "Norway", timestamp=0)
    assert [row.value for row in engine.store("rows")] == ["Norway"]


def test_each_sub_topology_loads_the_global_tables_that_it_uses() -> None:
    builder = TopologyBuilder()
    countries = builder.global_table("countries", key=str, value=str, store="rows")
    for topic in ("a", "b"):
        stream = builder.stream(topic, key=str, value=str)
        stream.join(countries, lambda one, other: one + other, key_selector=lambda key, _value: key).to(f"{topic}-out")
    builder.stream("c", key=str, value=str).to("c-out")
    nodes = ("countries", "countries-table")
    assert [sub.global_nodes for sub in builder.build().sub_topologies] == [nodes, nodes, ()]


def test_a_topology_may_have_only_global_tables_and_stores() -> None:
    builder = TopologyBuilder()
    builder.global_table("rates", key=str, value=int)
    builder.add_global_store(key_value_store("sums", key=str, value=int), "numbers", Summing, key=str, value=int)
    topology = builder.build()
    engine = MemoryEngine(topology, partitions={"rates": 2, "numbers": 3})
    for partition in range(3):
        engine.pipe("numbers", "a", 2, timestamp=1, partition=partition)
    engine.pipe("rates", "b", 5, timestamp=1)
    engine.pipe("rates", "b", 6, timestamp=2)
    assert [(row.key, row.value) for name in ("rates-store", "sums") for row in engine.store(name)] == [("b", 6), ("a", 6)]
    assert "Sub-topology: 1 for global store (will not generate tasks)" in topology.describe()
    assert "subgraph" not in topology.mermaid()
