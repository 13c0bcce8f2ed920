"""A run adds up the counts of its tasks."""

from collections import Counter

from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.report import RunReport
from eddyline.application.runtime.task_report import TaskReport


def test_the_counts_of_tasks_are_added_up() -> None:
    report = RunReport()
    report.add(TaskReport(3, 1, Counter({("node", "late"): 2})))
    report.add(TaskReport(4, 2, Counter({("node", "late"): 1, ("node", "null-key"): 5})))
    assert (report.records, report.dead_letters) == (7, 3)
    assert report.drops == {("node", "late"): 3, ("node", "null-key"): 5}


def test_skipped_offsets_are_added_up_by_partition() -> None:
    report, first, second = RunReport(), TopicPartition("t", 0), TopicPartition("t", 1)
    report.add(TaskReport(0, 0, Counter(), {first: 3}))
    report.add_skipped({first: 4, second: 0})
    assert report.skipped == {first: 7, second: 0}


def test_a_new_report_is_empty_and_shares_no_counts_with_another_one() -> None:
    first, second = RunReport(), RunReport()
    first.add(TaskReport(1, 0, Counter({("node", "late"): 1})))
    first.written["topic"] += 1
    assert second == RunReport(records=0, dead_letters=0, drops=Counter(), written=Counter(), batches=0, skipped={})


def test_the_counts_since_an_earlier_copy_are_those_that_were_added() -> None:
    first, second = TopicPartition("t", 0), TopicPartition("t", 1)
    report = RunReport(3, 1, Counter({("node", "late"): 2}), Counter({"out": 5}), 1, {first: 4})
    earlier = report.copy()
    report.add(TaskReport(10, 20, Counter({("node", "late"): 30}), {first: 40, second: 50}))
    report.written["out"] += 60
    report.batches += 70
    assert earlier == RunReport(3, 1, Counter({("node", "late"): 2}), Counter({"out": 5}), 1, {first: 4})
    assert report.since(earlier) == RunReport(
        10, 20, Counter({("node", "late"): 30}), Counter({"out": 60}), 70, {first: 40, second: 50}
    )
