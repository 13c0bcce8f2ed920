"""peek and for_each."""

from eddyline.application.topology import TopologyBuilder
from tests.operators.running import engine_for, run_stream


def test_peek_calls_the_action_and_forwards_the_record() -> None:
    calls: list[object] = []
    forwarded = run_stream(lambda s: s.peek(lambda key, value: calls.append((key, value))), [("a", 1, 10), ("b", 2, 20)])
    assert calls == [("a", 1), ("b", 2)]
    assert forwarded == [("a", 1, 10), ("b", 2, 20)]


def test_for_each_ends_the_stream() -> None:
    calls: list[object] = []

    def define(builder: TopologyBuilder) -> None:
        builder.stream("in", key=str, value=int).for_each(lambda key, value: calls.append((key, value)))

    engine = engine_for(define)
    engine.pipe("in", "a", 1, 10)
    assert (calls, engine.outputs()) == ([("a", 1)], [])
