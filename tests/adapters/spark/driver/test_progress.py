"""The progress of a query is read from what Spark reports about its batches."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.spark.driver.progress import QueryProgress
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.input.offsets import by_partition
from eddyline.application.runtime.progress.report import Progress, RunReport


class CommittedLog(MemoryEventLog):
    """A log that lists the offsets that are committed to it."""

    def __init__(self) -> None:
        super().__init__()
        self.committed: list[tuple[str, Mapping[TopicPartition, int]]] = []

    def commit_offsets(self, application_id: str, offsets: Mapping[TopicPartition, int]) -> None:
        self.committed.append((application_id, offsets))


class ReportedQuery:
    """A streaming query that has reported some batches."""

    def __init__(self) -> None:
        self.recentProgress: list[dict[str, Any]] = []

    @property
    def lastProgress(self) -> dict[str, Any] | None:  # noqa: N802 - Spark's name
        return self.recentProgress[-1] if self.recentProgress else None

    def report(self, batch: int, start: Any, end: Any, *, rows: int = 1, waited: bool = False) -> None:
        """Report a batch that took 1.5 s, with the end offsets before and after it, or that Spark has waited for it."""
        source = {name: None if ends is None else json.dumps({"ends": ends}) for name, ends in self._offsets(start, end)}
        progress = {"batchId": batch, "numInputRows": rows, "sources": [source], "durationMs": _durations(waited=waited)}
        self.recentProgress.append(progress)

    @staticmethod
    def _offsets(start: Any, end: Any) -> tuple[tuple[str, Any], tuple[str, Any]]:
        return ("startOffset", start), ("endOffset", end)


def _durations(*, waited: bool) -> dict[str, int]:
    return {"triggerExecution": 1_500, "latestOffset": 10} | ({} if waited else {"addBatch": 1_000})


@pytest.fixture
def log() -> CommittedLog:
    log = CommittedLog()
    log.create_topic("a", 2)
    return log


@pytest.fixture
def query() -> ReportedQuery:
    return ReportedQuery()


def progress_of(query: ReportedQuery, log: CommittedLog, target: Any = None, report: RunReport | None = None) -> QueryProgress:
    return QueryProgress(query, log, target, "app", report or RunReport())  # type: ignore[arg-type]


def test_each_batch_is_reported_once_with_the_records_done_since_the_run_began(query: ReportedQuery, log: CommittedLog) -> None:
    progress = progress_of(query, log)
    query.report(4, {"a": [10, 0]}, {"a": [12, 1]})
    query.report(5, {"a": [12, 1]}, {"a": [12, 4]})
    assert list(progress.new_batches()) == [
        Progress(4, 3, None, 1.5, start=by_partition({"a": [10, 0]}), positions=by_partition({"a": [12, 1]})),
        Progress(5, 6, None, 1.5, start=by_partition({"a": [12, 1]}), positions=by_partition({"a": [12, 4]})),
    ]
    query.report(6, {"a": [12, 4]}, {"a": [13, 4]})
    assert list(progress.new_batches()) == [
        Progress(6, 7, None, 1.5, start=by_partition({"a": [12, 4]}), positions=by_partition({"a": [13, 4]}))
    ]
    assert list(progress.new_batches()) == []


def test_reports_of_earlier_batches_are_not_read_again(query: ReportedQuery, log: CommittedLog) -> None:
    progress = progress_of(query, log)
    query.report(4, {"a": [10, 0]}, {"a": [12, 1]})
    assert [one.batch for one in progress.new_batches()] == [4]
    query.recentProgress.insert(0, {})  # has nothing that is read of a report
    assert list(progress.new_batches()) == []
    query.report(5, {"a": [12, 1]}, {"a": [12, 4]})
    assert [one.batch for one in progress.new_batches()] == [5]


def test_batches_that_follow_at_once_are_all_reported(query: ReportedQuery, log: CommittedLog) -> None:
    progress = progress_of(query, log)
    query.report(4, {"a": [10, 0]}, {"a": [12, 1]})
    assert [one.batch for one in progress.new_batches()] == [4]
    query.report(5, {"a": [12, 1]}, {"a": [12, 4]})
    query.report(6, {"a": [12, 4]}, {"a": [12, 5]})
    query.report(7, {"a": [12, 5]}, {"a": [12, 5]}, rows=0, waited=True)
    assert [one.batch for one in progress.new_batches()] == [5, 6]
    assert progress.idle


def test_the_first_run_begins_at_the_beginning_offsets(query: ReportedQuery, log: CommittedLog) -> None:
    query.report(0, None, {"a": [2, 3]})
    assert [one.done for one in progress_of(query, log).new_batches()] == [5]


def test_the_total_of_an_available_now_run_is_the_distance_to_its_target(query: ReportedQuery, log: CommittedLog) -> None:
    progress = progress_of(query, log, {"a": [14, 2]})
    query.report(0, {"a": [10, 0]}, {"a": [12, 0]})
    query.report(1, {"a": [12, 0]}, {"a": [15, 3]})
    assert [(one.done, one.total) for one in progress.new_batches()] == [(2, 6), (8, 8)]


def test_offsets_are_committed_after_each_batch_that_has_read_something(query: ReportedQuery, log: CommittedLog) -> None:
    progress = progress_of(query, log)
    query.report(0, {"a": [0, 0]}, {"a": [2, 0]})
    query.report(1, {"a": [2, 0]}, {"a": [2, 0]})
    assert len(list(progress.new_batches())) == 2
    assert log.committed == [("app", {TopicPartition("a", 0): 2, TopicPartition("a", 1): 0})]
    query.report(2, {"a": [2, 0]}, {"a": [2, 1]})
    progress.commit()
    progress.commit()
    assert log.committed[1:] == [("app", {TopicPartition("a", 0): 2, TopicPartition("a", 1): 1})]


def test_a_query_without_a_batch_commits_nothing(query: ReportedQuery, log: CommittedLog) -> None:
    progress_of(query, log).commit()
    assert log.committed == []


@pytest.mark.parametrize(
    ("rows", "end", "target", "idle"),
    [
        (0, [5, 5], {"a": [5, 5]}, True),
        (0, [6, 5], {"a": [5, 5]}, True),
        (1, [5, 5], {"a": [5, 5]}, False),
        (0, [5, 4], {"a": [5, 5]}, False),
        (0, [5], {"a": [5, 1]}, False),
        (0, [5, 5], {"a": [5]}, True),
        (0, [5, 5], None, True),
    ],
    ids=["at the target", "beyond it", "not empty", "before it", "without a new partition", "with a new partition", "no target"],
)
def test_a_query_is_idle_after_an_empty_batch_at_its_target(
    query: ReportedQuery, log: CommittedLog, rows: int, end: list[int], target: Any, idle: bool
) -> None:
    progress = progress_of(query, log, target)
    assert progress.idle is False
    query.report(0, {"a": [0, 0]}, {"a": end}, rows=rows)
    assert len(list(progress.new_batches())) == 1
    assert progress.idle is idle


def test_a_batch_has_ended_when_spark_has_reported_it(query: ReportedQuery, log: CommittedLog) -> None:
    progress = progress_of(query, log)
    assert not progress.has_ended(0)
    query.report(3, {"a": [0, 0]}, {"a": [1, 0]})
    assert [progress.has_ended(batch) for batch in (2, 3, 4)] == [True, True, False]


def test_waiting_for_data_is_no_batch_and_hides_none(query: ReportedQuery, log: CommittedLog) -> None:
    progress = progress_of(query, log)
    query.report(4, {"a": [10, 0]}, {"a": [12, 0]})
    query.report(5, {"a": [12, 0]}, {"a": [12, 0]}, rows=0, waited=True)
    assert [one.batch for one in progress.new_batches()] == [4]
    assert not progress.has_ended(5), "Spark reports the number of the next batch while it waits"
    assert progress.has_ended(4)
    query.report(5, {"a": [12, 0]}, {"a": [15, 0]})
    assert [(one.batch, one.done) for one in progress.new_batches()] == [(5, 5)]
    assert progress.has_ended(5)


def test_waiting_at_the_target_is_idle(query: ReportedQuery, log: CommittedLog) -> None:
    progress = progress_of(query, log, {"a": [12, 0]})
    query.report(0, {"a": [12, 0]}, {"a": [12, 0]}, rows=0, waited=True)
    assert [one.done for one in progress.new_batches()] == [0]
    assert progress.idle


def test_where_a_query_waits_is_reported_once_before_its_first_batch(query: ReportedQuery, log: CommittedLog) -> None:
    progress = progress_of(query, log)
    query.report(5, None, None, rows=0, waited=True)
    assert list(progress.new_batches()) == []
    positions = by_partition({"a": [12, 1]})
    query.report(5, {"a": [12, 1]}, {"a": [12, 1]}, rows=0, waited=True)
    assert list(progress.new_batches()) == [Progress(4, 0, None, 0.0, start=positions, positions=positions)]
    assert list(progress.new_batches()) == []
    query.report(5, {"a": [12, 1]}, {"a": [15, 1]})
    assert [(one.batch, one.done) for one in progress.new_batches()] == [(5, 3)]
    assert log.committed == [("app", {TopicPartition("a", 0): 15, TopicPartition("a", 1): 1})]


def test_a_batch_is_reported_with_its_own_counts(query: ReportedQuery, log: CommittedLog) -> None:
    counts = {4: RunReport(records=2, batches=1)}
    progress = QueryProgress(query, log, None, "app", RunReport(), counts)  # type: ignore[arg-type]
    query.report(4, {"a": [10, 0]}, {"a": [13, 0]})
    query.report(5, {"a": [13, 0]}, {"a": [13, 0]}, rows=0)
    assert [(one.done, one.report.records, one.report.is_empty) for one in progress.new_batches()] == [
        (3, 2, False),
        (3, 0, True),
    ]


def test_skipped_offsets_are_reported_once_and_do_not_count_as_done(query: ReportedQuery, log: CommittedLog) -> None:
    report = RunReport()
    progress = progress_of(query, log, report=report)
    query.report(4, {"a": [10, 90]}, {"a": [12, 90]})
    query.report(5, {"a": [12, 90]}, {"a": [30, 7]})
    source = query.recentProgress[-1]["sources"][0]
    resets = [["a", 0, 12, 20, 8], ["a", 1, 90, 0, 0]]
    source["endOffset"] = json.dumps({"ends": {"a": [30, 7]}, "resets": resets})
    assert [one.done for one in progress.new_batches()] == [2, 2 + 10 + 7]
    idle = {**source, "startOffset": source["endOffset"]}
    query.recentProgress.append({**query.recentProgress[-1], "batchId": 6, "sources": [idle]})
    assert [one.done for one in progress.new_batches()] == [19]
    assert report.skipped == {TopicPartition("a", 0): 8, TopicPartition("a", 1): 0}
