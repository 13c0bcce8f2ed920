"""to, through and repartition."""

from eddyline.application.topology import TopologyBuilder
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
