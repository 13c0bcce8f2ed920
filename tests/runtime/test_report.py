"""A run adds up the counts of its tasks."""

from collections import Counter

from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.report import RunReport
from eddyline.application.runtime.task_host import TaskReport


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
