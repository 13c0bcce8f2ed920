"""merge."""

from eddyline.application.topology import TopologyBuilder
from tests.operators.running import emitted, engine_for


def define(builder: TopologyBuilder) -> None:
    first, *others = (builder.stream(topic, key=str, value=int) for topic in ("a", "b", "c"))
    first.merge(*others).to("out")


def test_records_are_emitted_in_the_order_of_their_arrival() -> None:
    engine = engine_for(define)
    for topic, value, timestamp in [("b", 1, 30), ("a", 2, 10), ("c", 3, 20)]:
        engine.pipe(topic, "k", value, timestamp)
    assert emitted(engine) == [("k", 1, 30), ("k", 2, 10), ("k", 3, 20)]
