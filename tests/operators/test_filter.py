"""filter and filter_not."""

from tests.operators.running import run_stream


def test_filter_keeps_the_records_that_match() -> None:
    assert run_stream(lambda s: s.filter(lambda _key, value: value > 1), [("a", 1, 10), ("b", 2, 20)]) == [("b", 2, 20)]


def test_filter_not_keeps_the_records_that_do_not_match() -> None:
    assert run_stream(lambda s: s.filter_not(lambda key, _value: key == "b"), [("a", 1, 10), ("b", 2, 20)]) == [("a", 1, 10)]


def test_the_predicate_gets_null_keys_and_null_values() -> None:
    records = [(None, 1, 10), ("a", None, 20)]
    assert run_stream(lambda s: s.filter(lambda key, value: not key or value is None), records) == records
