"""flat_map and flat_map_values."""

from tests.operators.running import run_stream


def test_flat_map_emits_every_record_in_order() -> None:
    pairs = run_stream(lambda s: s.flat_map(lambda key, value: [(value, key), (key, value)]), [("a", 1, 10)])
    assert pairs == [(1, "a", 10), ("a", 1, 10)]


def test_flat_map_values_keeps_the_key_and_may_emit_nothing() -> None:
    assert run_stream(lambda s: s.flat_map_values(str.split), [("a", "x y", 10), ("b", "", 20)]) == [
        ("a", "x", 10),
        ("a", "y", 10),
    ]


def test_with_key_the_mapper_takes_the_key_first() -> None:
    records = [("a", "x", 10)]
    assert run_stream(lambda s: s.flat_map_values(lambda key, value: [key, value], with_key=True), records) == [
        ("a", "a", 10),
        ("a", "x", 10),
    ]
