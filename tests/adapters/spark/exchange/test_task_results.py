"""Results are kept in the order of sending, packed or not, and those of changelogs after them."""

import pytest

from eddyline.adapters.spark.exchange import task_results
from eddyline.adapters.spark.exchange.columns import Columns
from eddyline.adapters.spark.exchange.task_results import TaskResults
from eddyline.application.ports.event_sink import SinkRecord

RECORDS = [SinkRecord("ab"[number % 2], b"k%d" % number, None, number, (("h", b"x"),), number % 3) for number in range(9)]
CHANGE = SinkRecord("app-store-changelog", b"k", b"v", 5, (), 0)


def _columns(records: list[SinkRecord]) -> Columns:
    columns = Columns()
    for record in records:
        columns.add(*record)
    return columns


@pytest.mark.parametrize("most_unpacked", [0, 1, 2, 3])
def test_results_are_the_same_in_each_iteration_whether_packed_or_not(
    monkeypatch: pytest.MonkeyPatch, most_unpacked: int
) -> None:
    monkeypatch.setattr(task_results, "_MOST_UNPACKED", most_unpacked)
    results = TaskResults()
    for start in (0, 3, 6):
        results.add(_columns(RECORDS[start : start + 3]))
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


def test_without_records_there_is_nothing_to_write() -> None:
    assert not TaskResults()
