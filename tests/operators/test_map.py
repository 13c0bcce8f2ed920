"""map and select_key."""

from tests.operators.running import run_stream


def test_map_emits_one_record_with_the_same_timestamp_for_each_record() -> None:
    assert run_stream(lambda s: s.map(lambda key, value: (value, key)), [("a", 1, 10)]) == [(1, "a", 10)]


def test_select_key_keeps_the_value() -> None:
    assert run_stream(lambda s: s.select_key(lambda key, value: f"{key}{value}"), [("a", 1, 10)]) == [("a1", 1, 10)]
