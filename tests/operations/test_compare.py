"""Comparing two topics as tables: equal keys, different keys, and keys that cannot be compared yet."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.operations.compare import Comparison, Difference, Side, compare


def log_of(partitions: int = 1, **topics: list[tuple[str | None, str | None, int]]) -> MemoryEventLog:
    """Return a log with topics of records (key, value, timestamp); the length of a key selects its partition."""
    log = MemoryEventLog()
    for topic, records in topics.items():
        log.create_topic(topic, partitions)
        for key, value, timestamp in records:
            partition = len(key or "") % partitions
            log.append(topic, _encoded(key), _encoded(value), timestamp, partition=partition)
    return log


def _encoded(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def compared(log: MemoryEventLog, **options: Any) -> Comparison:
    return compare(log, Side("one"), Side("two"), **options)


def counts(found: Comparison) -> tuple[int, int, int, int, int]:
    return found.equal, found.different, found.only_first, found.only_second, found.later


def test_the_last_record_of_a_key_is_its_row() -> None:
    log = log_of(one=[("a", "1", 1), ("a", "2", 2)], two=[("a", "0", 1), ("a", "1", 1), ("a", "2", 2)])
    found = compared(log)
    assert counts(found) == (1, 0, 0, 0, 0)
    assert found.agree
    assert found.until is None


def test_differences_contain_both_values_and_are_sorted_by_key() -> None:
    log = log_of(
        one=[("c", "1", 1), ("b", "1", 1), ("a", "1", 1), ("x", "1", 9)], two=[("b", "2", 1), ("a", "1", 1), ("d", "4", 9)]
    )
    found = compared(log)
    assert counts(found) == (1, 1, 2, 1, 0)
    assert not found.agree
    assert found.differences == [
        Difference(b"b", b"1", b"2"),
        Difference(b"c", b"1", None),
        Difference(b"d", None, b"4"),
        Difference(b"x", b"1", None),
    ]


def test_differences_beyond_the_limit_are_counted_only() -> None:
    log = log_of(one=[(key, "1", 1) for key in "abcdef"], two=[(key, "2", 1) for key in "abcdef"])
    found = compared(log, limit=2)
    assert [difference.key for difference in found.differences] == [b"a", b"b"]
    assert found.different == 6


def test_by_default_twenty_differences_are_listed_and_keys_are_compared_up_to_the_slower_topic() -> None:
    keys = "abcdefghijklmnopqrstuvwxyz"
    one: list[tuple[str | None, str | None, int]] = [*((key, "1", 1) for key in keys), ("newest", "1", 5), ("later", "1", 9)]
    log = log_of(one=one, two=[*((key, "2", 1) for key in keys), ("newest", "2", 5)])
    found = compared(log)
    assert (len(found.differences), found.different, found.later) == (20, 26, 2)


def test_values_are_normalized_with_their_headers() -> None:
    log = MemoryEventLog()
    for topic in ("one", "two"):
        log.create_topic(topic, 1)
        log.append(topic, b"k", topic.encode(), 1, (("same", b"x"),))
    sides = [Side(topic, value=lambda _value, headers: headers[0][1] or b"") for topic in ("one", "two")]
    assert compare(log, *sides).agree


def test_a_deleted_key_is_a_missing_key() -> None:
    log = log_of(one=[("a", "1", 1), ("a", None, 2), ("b", None, 2)], two=[("b", "1", 2)])
    assert counts(compared(log)) == (0, 0, 0, 1, 0)


def test_keys_at_or_after_the_stream_time_of_the_slower_topic_are_not_compared() -> None:
    log = log_of(one=[("a", "1", 1), ("b", "1", 5), ("c", "1", 8)], two=[("a", "1", 1), ("b", "0", 5)])
    found = compared(log)
    assert found.until == 5
    assert counts(found) == (1, 0, 0, 0, 2), "b may still change: the stream time of the second topic is the time of b"


def test_a_key_that_only_the_faster_topic_has_updated_is_not_compared() -> None:
    log = log_of(one=[("a", "1", 1), ("b", "1", 5)], two=[("a", "1", 1), ("a", "2", 6)])
    assert counts(compared(log)) == (0, 0, 0, 0, 2)


def test_with_equal_stream_times_all_keys_are_compared() -> None:
    log = log_of(one=[("a", "1", 5), ("b", "1", 5)], two=[("a", "2", 4), ("b", "1", 5)])
    assert counts(compared(log)) == (1, 1, 0, 0, 0)


def test_until_end_compares_all_keys() -> None:
    log = log_of(one=[("a", "1", 1), ("b", "1", 5)], two=[("a", "1", 1)])
    assert counts(compared(log, until="end")) == (1, 0, 1, 0, 0)


def test_until_a_time_compares_only_keys_with_older_records() -> None:
    log = log_of(one=[("a", "1", 1), ("b", "1", 3)], two=[("a", "2", 1), ("b", "2", 3)])
    assert counts(compared(log, until=3)) == (0, 1, 0, 0, 1)


def test_the_result_contains_the_progress_of_each_topic() -> None:
    log = log_of(2, one=[("a", "1", 7), ("bb", "1", 3), ("a", "2", 6), (None, "x", 1)], two=[])
    log.append("one", None, b"garbage", -1, error="no record")
    found = compared(log)
    first, second = found.first, found.second
    assert (first.topic, first.end_offsets, first.records, first.keys, first.stream_time) == ("one", [3, 2], 5, 2, 7)
    assert (first.keyless, first.unreadable) == (1, 1)
    assert (second.topic, second.end_offsets, second.records, second.keys, second.stream_time) == ("two", [0, 0], 0, 0, -1)


def test_records_written_during_the_comparison_are_ignored() -> None:
    log = log_of(one=[("a", "1", 1)], two=[("a", "1", 1)])

    class GrowingLog(MemoryEventLog):
        def read(self, topic: str, partition: int, start: int, end: int) -> Any:
            log.append("two", b"a", b"2", 2)
            return log.read(topic, partition, start, end)

        def end_offset(self, topic: str, partition: int) -> int:
            return log.end_offset(topic, partition)

        def beginning_offset(self, topic: str, partition: int) -> int:
            return log.beginning_offset(topic, partition)

        def partitions(self, topic: str) -> int:
            return log.partitions(topic)

    assert counts(compared(GrowingLog())) == (1, 0, 0, 0, 0)


def test_the_row_of_a_key_in_two_partitions_is_the_newer_one_of_their_last_records() -> None:
    log = log_of(2, one=[], two=[("k", "new", 5)])
    for partition, value, timestamp in ((0, b"older", 9), (0, b"new", 5), (1, b"old", 4)):
        log.append("one", b"k", value, timestamp, partition=partition)
    assert counts(compared(log, until="end")) == (1, 0, 0, 0, 0)


def test_keys_and_values_are_compared_after_normalization() -> None:
    log = log_of(one=[("A", '{"x": 1}', 1)], two=[("a", '{"x":1}', 1)])
    one = Side("one", lambda key, _: key.lower(), lambda value, _: value.replace(b" ", b""))
    assert counts(compare(log, one, Side("two"))) == (1, 0, 0, 0, 0)


_RECORDS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.one_of(st.none(), st.sampled_from("123")), st.integers(0, 6)), max_size=20
)


@given(_RECORDS, _RECORDS)
def test_the_result_equals_that_of_two_plain_dictionaries(
    one: list[tuple[str, str | None, int]], two: list[tuple[str, str | None, int]]
) -> None:
    found = compared(log_of(one=one, two=two), until="end")  # type: ignore[arg-type]
    tables = [{key: value for key, value, _ in side} for side in (one, two)]
    first, second = ({key: value for key, value in table.items() if value is not None} for table in tables)
    assert found.equal == sum(first.get(key) == value for key, value in second.items())
    assert found.different == sum(key in first and first[key] != value for key, value in second.items())
    assert (found.only_first, found.only_second) == (len(first.keys() - second.keys()), len(second.keys() - first.keys()))
    assert found.agree == (first == second)


@given(_RECORDS, st.integers(0, 20))
def test_a_topic_with_increasing_timestamps_agrees_with_each_of_its_prefixes(
    records: list[tuple[str, str | None, int]], length: int
) -> None:
    increasing: list[Any] = [(key, value, time) for time, (key, value, _) in enumerate(records)]
    assert compared(log_of(one=increasing, two=increasing[:length])).agree


def test_with_a_tolerance_numbers_may_differ_a_little() -> None:
    log = log_of(
        one=[("a", '{"sum": 0.3, "parts": [1, "x"]}', 1), ("b", "1.0", 1), ("c", "text", 1), ("d", "[1]", 1), ("e", "1", 1)],
        two=[
            ("a", '{"sum": 0.30000000000000004, "parts": [1, "x"]}', 1),
            ("b", "1.1", 1),
            ("c", "other", 1),
            ("d", "[1, 2]", 1),
            ("e", "true", 1),
        ],
    )
    assert counts(compared(log)) == (0, 5, 0, 0, 0)
    found = compared(log, tolerance=1e-9)
    assert counts(found) == (1, 4, 0, 0, 0)
    assert [difference.key for difference in found.differences] == [b"b", b"c", b"d", b"e"]
