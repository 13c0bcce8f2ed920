"""With several partitions, equal keys are in the same task, and the results do not depend on the number of partitions."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.application.runtime.plan.partitions import task_counts, topic_partitions
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology import TopologyBuilder, TopologyError
from eddyline.application.topology.processor import Processor, Record
from eddyline.application.topology.stores import key_value_store
from eddyline.domain.trading import Trade
from eddyline.testing import MemoryEngine
from tests.fixtures.examples import examples

LINES = ["the quick brown fox", "jumps over the lazy dog", "the fox", "", "dog dog dog"]


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_word_counts_do_not_depend_on_the_number_of_partitions(partitions: int) -> None:
    engine = MemoryEngine(find_flow("word-count").topology(), partitions=partitions)
    for number, line in enumerate(LINES):
        engine.pipe("text-lines", f"line {number}", line, number)
    counts = {row.key: row.value for row in engine.store("word-count-store")}
    assert counts == {"quick": 1, "brown": 1, "fox": 2, "jumps": 1, "over": 1, "lazy": 1, "dog": 4}


def test_a_repartition_topic_has_the_number_upstream_unless_it_is_specified() -> None:
    builder = TopologyBuilder()
    lines = builder.stream("lines", key=str, value=str)
    lines.repartition(name="as-upstream").to("a")
    lines.repartition(name="specified", partitions=3).to("b")
    topology = builder.build()
    counts = topic_partitions(topology, {"lines": 5})
    assert counts == {"lines": 5, "as-upstream-repartition": 5, "specified-repartition": 3}
    assert task_counts(topology, counts) == (5, 5, 3)


def test_a_topic_without_a_number_of_partitions_is_named() -> None:
    topology = find_flow("word-count").topology()
    with pytest.raises(TopologyError, match="number of partitions of topic 'text-lines' is missing; add it to those of: lines"):
        topic_partitions(topology, {"lines": 1})


@given(seed=st.integers(0, 1_000))
@settings(max_examples=examples(20))
def test_if_no_record_is_late_the_tables_do_not_depend_on_the_number_of_partitions(seed: int) -> None:
    rng = Random(seed)
    trades = [
        ("trades", ticker, Trade("ASK", ticker, price, 1), 10_000 + number * 50 - rng.choice([0] * 19 + [3_000]))
        for number in range(200)
        for ticker, price in [(rng.choice("ABCDE"), 1.0 + rng.randrange(100))]
    ]
    tables = []
    for partitions in (1, 2, 7):
        engine = MemoryEngine(find_flow("stock-stats").topology(grace_ms=4_000), partitions=partitions)
        engine.pipe_all(trades)
        assert not engine.drops
        tables.append({output.key: output.value for output in engine.outputs("stock-stats")})
    assert tables[0] == tables[1] == tables[2]


class Passing(Processor[str, str, str, str]):
    """Forwards each record; its store ties streams of different topics together."""

    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record)


def test_a_repartition_topic_waits_for_the_number_of_another_one_upstream() -> None:
    builder = TopologyBuilder()
    builder.add_state_store(key_value_store("shared", key=str, value=str))
    small = builder.stream("small", key=str, value=str).process(Passing, stores=["shared"], key=str, value=str)
    small.repartition(name="second").to("a")
    large = builder.stream("large", key=str, value=str).repartition(name="first")
    large.process(Passing, stores=["shared"], key=str, value=str).to("b")
    counts = topic_partitions(builder.build(), {"small": 2, "large": 5})
    assert counts == {"small": 2, "large": 5, "first-repartition": 5, "second-repartition": 5}


def test_repartition_topics_keep_the_number_that_their_state_was_written_with() -> None:
    builder = TopologyBuilder()
    lines = builder.stream("lines", key=str, value=str)
    lines.repartition(name="as-upstream").group_by_key().count(store="counts")
    lines.repartition(name="specified", partitions=3).to("b")
    topology = builder.build()
    kept = {"as-upstream-repartition": 5, "specified-repartition": 3, "gone-repartition": 1}
    counts = topic_partitions(topology, {"lines": 8}, kept)
    assert counts == {"lines": 8, "as-upstream-repartition": 5, "specified-repartition": 3}
