"""peek and for_each."""

from eddyline.application.topology import TopologyBuilder
from tests.operators.running import engine_for, run_stream


def test_peek_shows_each_record_and_lets_it_pass() -> None:
    shown: list[object] = []
    passed = run_stream(lambda s: s.peek(lambda key, value: shown.append((key, value))), [("a", 1, 10), ("b", 2, 20)])
    assert shown == [("a", 1), ("b", 2)]
    assert passed == [("a", 1, 10), ("b", 2, 20)]


def test_for_each_ends_the_stream() -> None:
    shown: list[object] = []

    def define(builder: TopologyBuilder) -> None:
        builder.stream("in", key=str, value=int).for_each(lambda key, value: shown.append((key, value)))

    engine = engine_for(define)
    engine.pipe("in", "a", 1, 10)
    assert (shown, engine.outputs()) == ([("a", 1)], [])
