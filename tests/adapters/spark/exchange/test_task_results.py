"""Results are kept in the order of sending, packed or not, and those of changelogs after them."""

import pytest

from eddyline.adapters.spark.exchange import task_results
from eddyline.adapters.spark.exchange.columns import Columns
from eddyline.adapters.spark.exchange.task_results import TaskResults
from eddyline.application.ports.event_sink import Results, SinkRecord

RECORDS = [SinkRecord("ab"[number % 2], b"k%d" % number, None, number, (("h", b"x"),), number % 3) for number in range(9)]
CHANGE = SinkRecord("app-store-changelog", b"k", b"v", 5, (), 0)


def _columns(records: list[SinkRecord]) -> Columns:
    columns = Columns()
    for record in records:
        columns.add(*record)
    return columns


def _results(records: list[SinkRecord]) -> Results:
    topics, keys, values, timestamps, headers, partitions = zip(*records, strict=True)
    return Results(topics[0], keys, values, timestamps, headers, partitions[0])


@pytest.mark.parametrize("most_bytes", [0, 1, 500, 1_000])
def test_results_are_the_same_in_each_iteration_whether_packed_or_not(monkeypatch: pytest.MonkeyPatch, most_bytes: int) -> None:
    monkeypatch.setattr(task_results, "_MOST_UNPACKED_BYTES", most_bytes)
    results = TaskResults()
    results.add(_columns(RECORDS[:3]))
    for start in range(3, 6):
        results.add(_results(RECORDS[start : start + 1]))
    results.add(_columns(RECORDS[6:]))
    results.add_changes(iter([CHANGE]))
    assert list(results) == list(results) == [*RECORDS, CHANGE]
    assert all(isinstance(record, SinkRecord) for record in results)
    assert (len(results), results[1], results[-2:]) == (10, RECORDS[1], [RECORDS[8], CHANGE])
    assert [record for each in results.by_column() for record in each.records()] == [*RECORDS, CHANGE]
    assert results.count_by_topic() == {"a": 5, "b": 4}, "without changelogs"


def test_results_for_one_topic_are_one_column() -> None:
    results = TaskResults()
    results.add(_columns([CHANGE] * 3))
    results.add_changes([CHANGE, RECORDS[0]])
    assert [len(found.keys) for found in results.by_column()] == [3, 1, 1]


def test_results_of_one_topic_are_passed_on_as_they_are() -> None:
    results, given = TaskResults(), _results([RECORDS[0], RECORDS[6]])
    results.add(given)
    assert next(results.by_column()) is given
    assert (len(results), results.count_by_topic()) == (2, {"a": 2})


def test_without_records_there_is_nothing_to_write() -> None:
    assert not TaskResults()
