"""filter and filter_not."""

from eddyline.application.topology import TopologyBuilder
from eddyline.testing import MemoryEngine
from tests.operators.running import run_stream


def test_filter_keeps_the_records_that_match() -> None:
    assert run_stream(lambda s: s.filter(lambda _key, value: value > 1), [("a", 1, 10), ("b", 2, 20)]) == [("b", 2, 20)]


def test_filter_not_keeps_the_records_that_do_not_match() -> None:
    assert run_stream(lambda s: s.filter_not(lambda key, _value: key == "b"), [("a", 1, 10), ("b", 2, 20)]) == [("a", 1, 10)]


def test_the_predicate_gets_null_keys_and_null_values() -> None:
    records = [(None, 1, 10), ("a", None, 20)]
    assert run_stream(lambda s: s.filter(lambda key, value: not key or value is None), records) == records


def test_with_a_reason_what_does_not_match_is_dropped_and_counted() -> None:
    builder = TopologyBuilder()
    numbers = builder.stream("in", key=str, value=int)
    numbers.filter(lambda _key, value: value > 1, name="large", drop_reason="too-small").to("out")
    engine = MemoryEngine(builder.build())
    for value in (1, 2, 0):
        engine.pipe("in", "a", value, 5)
    assert [output.value for output in engine.outputs()] == [2]
    assert dict(engine.drops) == {("large", "too-small"): 2}
    assert [dropped.value for dropped in engine.dropped] == [1, 0]
