"""What a mapper returns in place of a key and a value, or of several results, is refused, one by one and by column."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from eddyline import TopologyBuilder
from eddyline.testing import MemoryEngine


class Entry(NamedTuple):
    key: str
    value: int


def results(build: Callable[[Any], Any], *, by_column: bool) -> list[tuple[Any, Any]]:
    builder = TopologyBuilder()
    build(builder.stream("in", key=str, value=int)).to("out")
    engine = MemoryEngine(builder.build())
    records = [("in", "a", number, number) for number in range(5)]
    if by_column:
        engine.pipe_all(records)
    else:
        for topic, key, value, timestamp in records:
            engine.pipe(topic, key, value, timestamp=timestamp)
    return [(output.key, output.value) for output in engine.outputs("out")]


@pytest.mark.parametrize("by_column", [False, True])
@pytest.mark.parametrize("pair", [("k", 1), ["k", 1], Entry("k", 1)])
def test_a_tuple_or_a_list_of_two_is_a_key_and_a_value(pair: Any, by_column: bool) -> None:
    assert results(lambda stream: stream.map(lambda _key, _value: pair), by_column=by_column) == [("k", 1)] * 5
    assert results(lambda stream: stream.flat_map(lambda _key, _value: [pair]), by_column=by_column) == [("k", 1)] * 5


@pytest.mark.parametrize("by_column", [False, True])
@pytest.mark.parametrize("result", ["ab", None, 1, ("k", 1, 2), ("k",), {"a": 1, "b": 2}, {"a", "b"}, b"ab"])
def test_anything_else_is_refused_in_place_of_a_key_and_a_value(result: Any, by_column: bool) -> None:
    with pytest.raises(TypeError, match=r"a mapper returned .* in place of a key and a value; return \(key, value\)"):
        results(lambda stream: stream.map(lambda _key, _value: result), by_column=by_column)
    with pytest.raises(TypeError, match=r"a mapper returned .* in place of a key and a value; return \(key, value\)"):
        results(lambda stream: stream.flat_map(lambda _key, _value: [result]), by_column=by_column)


@pytest.mark.parametrize("by_column", [False, True])
@pytest.mark.parametrize("result", ["ab", None, 1, {"a": 1}, b"ab"])
@pytest.mark.parametrize("value", [None, str, list[str]])
def test_what_has_no_results_of_its_own_is_refused_in_place_of_several(result: Any, value: Any, by_column: bool) -> None:
    expected = r"a mapper returned .* in place of several results; return a list of results, which is empty for none"
    with pytest.raises(TypeError, match=expected):
        results(lambda stream: stream.flat_map_values(lambda _value: result, value=value), by_column=by_column)
    with pytest.raises(TypeError, match=expected):
        results(lambda stream: stream.flat_map(lambda _key, _value: result, value=value), by_column=by_column)
    with pytest.raises(TypeError, match=expected):
        results(lambda stream: stream.flat_map_values(lambda _key, _value: result, with_key=True), by_column=by_column)


@pytest.mark.parametrize("by_column", [False, True])
@pytest.mark.parametrize("several", [["x", "y"], ("x", "y"), {"x": 1, "y": 2}.values(), range(2), map(str, ())])
def test_whatever_can_be_iterated_over_has_several_results(several: Any, by_column: bool) -> None:
    expected = [("a", one) for one in several] * 5
    assert results(lambda stream: stream.flat_map_values(lambda _value: several), by_column=by_column) == expected
