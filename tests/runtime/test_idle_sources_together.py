"""Which sources and partitions must be idle for an operator to follow the wall clock."""

from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.windows import (
    on_window_close,
    tumbling,
)
from tests.runtime.idle_flows import closing, emitted, engine_of, read


def test_an_operator_waits_for_all_its_sources() -> None:
    engine = engine_of(lambda builder: closing(read(builder, "a").merge(read(builder, "b"))).to("out"))
    engine.pipe("a", "k", "v", 5)
    for _ in range(5):
        engine.advance_wall_clock(20)
        engine.pipe("b", "k", "v", 6)
    assert emitted(engine) == []
    engine.advance_wall_clock(54)
    assert emitted(engine) == [("k", 6, 6)]


def test_a_source_without_an_idle_timeout_keeps_its_operators_on_event_time() -> None:
    engine = engine_of(lambda builder: closing(read(builder, "a").merge(read(builder, "b", timeout=None))).to("out"))
    engine.pipe("a", "k", "v", 5)
    engine.advance_wall_clock(1_000)
    assert emitted(engine) == []


def test_operators_of_other_sources_in_the_same_task_do_not_matter() -> None:
    def define(builder: TopologyBuilder) -> None:
        left = closing(read(builder, "a"), store="left")
        right = closing(read(builder, "b", timeout=None), store="right")
        left.to("out")
        right.to("others")
        left.merge(right).to("all")

    engine = engine_of(define)
    engine.pipe("a", "k", "v", 5)
    engine.pipe("b", "k", "v", 6)
    engine.advance_wall_clock(55)
    assert [found.topic for found in engine.take_outputs()] == ["out", "all"]


def test_partitions_are_idle_each_by_itself() -> None:
    engine = engine_of(lambda builder: closing(read(builder)).to("out"), partitions=2)
    engine.pipe("a", "k", "v", 5, partition=0)
    engine.pipe("a", "l", "v", 5, partition=1)
    engine.advance_wall_clock(29)
    engine.pipe("a", "l", "v", 34, partition=1)
    engine.advance_wall_clock(26)
    assert emitted(engine) == [("k", 1, 5)]
    engine.advance_wall_clock(4)
    assert emitted(engine) == [("l", 2, 34)]


def counted_by_value(builder: TopologyBuilder) -> None:
    moved = read(builder).group_by(lambda _key, value: value, key=str, name="by-value")
    moved.windowed_by(tumbling(60, grace=0), emit_strategy=on_window_close()).count(store="counts").to_stream().to("out")


def test_behind_a_repartition_all_partitions_of_the_source_must_be_idle() -> None:
    engine = engine_of(counted_by_value, partitions=2)
    engine.pipe("a", "k", "x", 5, partition=0)
    for event_time in (25, 45):
        engine.advance_wall_clock(20)
        engine.pipe("a", "k", "y", event_time, partition=1)
    engine.advance_wall_clock(14)
    assert emitted(engine) == []
    engine.advance_wall_clock(20)
    assert sorted(emitted(engine)) == [("x", 1, 5), ("y", 2, 45)]


def test_behind_a_repartition_records_that_do_not_arrive_there_count_as_well() -> None:
    def define(builder: TopologyBuilder) -> None:
        some = read(builder).filter(lambda _key, value: value != "dropped")
        closing(some.select_key(lambda _key, value: value, key=str).repartition(name="moved")).to("out")

    engine = engine_of(define, partitions=2)
    engine.pipe("a", "k", "x", 5)
    for event_time in range(10, 60, 10):
        engine.advance_wall_clock(29)
        engine.pipe("a", "k", "dropped", event_time)
    assert emitted(engine) == []
    engine.advance_wall_clock(30)
    assert emitted(engine) == [("x", 1, 5)]
