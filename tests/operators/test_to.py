"""to, through and repartition."""

from collections.abc import Collection

import pytest

from eddyline.application.topology import RecordContext, TopologyBuilder
from tests.operators.running import emitted, engine_for


def to_chosen_topics(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=int).to(lambda key, _value: f"topic-{key}")


def through(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=int).through("between").map_values(lambda value: value + 1).to("out")


def repartitioned(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=int).repartition(name="by-key").to("out")


def test_a_function_can_choose_the_topic_of_each_record() -> None:
    engine = engine_for(to_chosen_topics)
    engine.pipe("in", "a", 1, 10)
    engine.pipe("in", "b", 2, 20)
    assert [output.topic for output in engine.outputs()] == ["topic-a", "topic-b"]


def test_through_writes_to_a_topic_and_reads_from_it() -> None:
    engine = engine_for(through)
    engine.pipe("in", "a", 1, 10)
    assert emitted(engine, "between") == [("a", 1, 10)]
    assert emitted(engine, "out") == [("a", 2, 10)]


def test_a_repartition_discards_records_without_a_key_and_does_not_count_them() -> None:
    engine = engine_for(repartitioned)
    engine.pipe("in", None, 1, 10)
    engine.pipe("in", "a", 2, 20)
    assert emitted(engine) == [("a", 2, 20)]
    assert not engine.drops


def topic_of(key: str, _value: int, context: RecordContext) -> str:
    return f"{key}-of-{context.topic}-at-{context.offset}"


def spread(_key: str, value: int, partitions: int) -> int | Collection[int] | None:
    """Choose all partitions for 0, none for 1, the default one for 2, else that of the value."""
    choices: dict[int, Collection[int] | None] = {0: range(partitions), 1: (), 2: None}
    return choices.get(value, value)


def partitioned(builder: TopologyBuilder) -> None:
    moved = builder.stream("in", key=str, value=int).repartition(name="moved", partitions=3, partitioner=spread)
    moved.to(lambda _key, value, context: f"{value}-in-{context.partition}")


def test_a_function_with_three_parameters_chooses_the_topic_with_the_context_of_the_record() -> None:
    engine = engine_for(lambda builder: builder.stream("in", key=str, value=int).to(topic_of))
    engine.pipe("in", "a", 1, 10)
    engine.pipe("in", "b", 1, 10)
    assert [output.topic for output in engine.outputs()] == ["a-of-in-at-0", "b-of-in-at-1"]


def test_a_partitioner_of_a_repartition_chooses_any_number_of_partitions() -> None:
    engine = engine_for(partitioned)
    for value in (0, 1, 2, 2):
        engine.pipe("in", "a", value, 0)
    chosen = [output.topic for output in engine.outputs()]
    assert chosen[:3] == ["0-in-0", "0-in-1", "0-in-2"]
    assert len(chosen) == 5
    assert len(set(chosen[3:])) == 1
    assert engine.drops == {("moved-repartition-sink", "no-partition"): 1}
    assert [record.reason for record in engine.dropped] == ["no-partition"]


def test_a_partition_that_does_not_exist_is_refused() -> None:
    engine = engine_for(partitioned)
    with pytest.raises(ValueError, match="the partitioner of topic 'moved-repartition' chose partition '3' for key 'a'"):
        engine.pipe("in", "a", 3, 0)


def test_a_partitioner_of_a_topic_writes_a_record_once_for_each_partition() -> None:
    engine = engine_for(lambda builder: builder.stream("in", key=str, value=int).to("out", partitioner=spread))
    for value in (0, 1, 2):
        engine.pipe("in", "a", value, value)
    assert emitted(engine) == [("a", 0, 0), ("a", 2, 2)]
