"""merge."""

from eddyline.application.topology import TopologyBuilder
from tests.operators.running import engine_for, seen


def define(builder: TopologyBuilder) -> None:
    first, *others = (builder.stream(topic, key=str, value=int) for topic in ("a", "b", "c"))
    first.merge(*others).to("out")


def test_the_records_of_all_streams_come_in_the_order_in_which_they_arrive() -> None:
    engine = engine_for(define)
    for topic, value, timestamp in [("b", 1, 30), ("a", 2, 10), ("c", 3, 20)]:
        engine.pipe(topic, "k", value, timestamp)
    assert seen(engine) == [("k", 1, 30), ("k", 2, 10), ("k", 3, 20)]
