"""filter and filter_not."""

from tests.operators.running import run_stream


def test_filter_lets_pass_what_the_predicate_holds_for() -> None:
    assert run_stream(lambda s: s.filter(lambda _key, value: value > 1), [("a", 1, 10), ("b", 2, 20)]) == [("b", 2, 20)]


def test_filter_not_lets_pass_the_rest() -> None:
    assert run_stream(lambda s: s.filter_not(lambda key, _value: key == "b"), [("a", 1, 10), ("b", 2, 20)]) == [("a", 1, 10)]


def test_null_keys_and_values_reach_the_predicate() -> None:
    records = [(None, 1, 10), ("a", None, 20)]
    assert run_stream(lambda s: s.filter(lambda key, value: not key or value is None), records) == records
