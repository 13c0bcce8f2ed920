"""map_values."""

from typing import Any

import pytest

from tests.operators.running import engine_for, run_stream


def test_the_value_is_mapped_and_the_key_stays_the_same() -> None:
    assert run_stream(lambda s: s.map_values(lambda value: value + 1), [("a", 1, 10)]) == [("a", 2, 10)]


def test_with_key_the_mapper_takes_the_key_first() -> None:
    assert run_stream(lambda s: s.map_values(lambda key, value: key * value, with_key=True), [("a", 3, 10)]) == [("a", "aaa", 10)]


@pytest.mark.parametrize("with_key", [True, False])
def test_timestamp_and_headers_stay_the_same(*, with_key: bool) -> None:
    def mapper(*given: Any) -> Any:
        return given

    def define(builder: Any) -> None:
        builder.stream("in", key=str, value=int).map_values(mapper, with_key=with_key).to("out")

    engine = engine_for(define)
    engine.pipe("in", "a", 7, 5, (("trace", b"x"),))
    assert [output[1:5] for output in engine.outputs()] == [("a", ("a", 7) if with_key else (7,), 5, (("trace", b"x"),))]
