"""to, through and repartition."""

from eddyline.application.topology import TopologyBuilder
from tests.operators.running import engine_for, seen


def chosen(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=int).to(lambda key, _value: f"topic-{key}")


def through(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=int).through("between").map_values(lambda value: value + 1).to("out")


def repartitioned(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=int).repartition(name="moved").to("out")


def test_a_function_may_choose_the_topic_of_each_record() -> None:
    engine = engine_for(chosen)
    engine.pipe("in", "a", 1, 10)
    engine.pipe("in", "b", 2, 20)
    assert [output.topic for output in engine.outputs()] == ["topic-a", "topic-b"]


def test_through_writes_a_topic_and_goes_on_with_what_is_read_from_it() -> None:
    engine = engine_for(through)
    engine.pipe("in", "a", 1, 10)
    assert seen(engine, "between") == [("a", 1, 10)]
    assert seen(engine, "out") == [("a", 2, 10)]


def test_a_record_without_a_key_ends_at_a_repartition_and_is_not_counted() -> None:
    engine = engine_for(repartitioned)
    engine.pipe("in", None, 1, 10)
    engine.pipe("in", "a", 2, 20)
    assert seen(engine) == [("a", 2, 20)]
    assert not engine.drops
