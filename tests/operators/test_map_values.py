"""map_values."""

from tests.operators.running import run_stream


def test_the_value_is_mapped_and_the_key_stays_the_same() -> None:
    assert run_stream(lambda s: s.map_values(lambda value: value + 1), [("a", 1, 10)]) == [("a", 2, 10)]


def test_with_key_the_mapper_takes_the_key_first() -> None:
    assert run_stream(lambda s: s.map_values(lambda key, value: key * value, with_key=True), [("a", 3, 10)]) == [("a", "aaa", 10)]
