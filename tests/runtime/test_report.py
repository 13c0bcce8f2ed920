"""A run adds up the counts of its tasks."""

from collections import Counter

from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.progress.report import RunReport, TaskReport, TaskState
from eddyline.application.topology.metrics import MetricValue


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


def test_a_report_includes_the_counts_of_another_one() -> None:
    first, second = TopicPartition("t", 0), TopicPartition("t", 1)
    state = TaskState("0_0", 5)
    report, batch = RunReport(), RunReport(batches=1)
    batch.add(
        TaskReport(
            3, 1, Counter({("node", "late"): 2}), {first: 3, second: 1}, {"t": 3}, {"t": 1}, {"node": 3}, state, {"committed": 1}
        )
    )
    batch.written["out"] += 4
    report.include(batch)
    report.include(batch)
    assert report == RunReport(
        6, 2, Counter({("node", "late"): 4}), Counter({"out": 8}), 2, {first: 6, second: 2}, Counter({"t": 6}), Counter({"t": 2}),
        Counter({"node": 6}), {"0_0": state}, Counter({"committed": 2}),
    )  # fmt: skip
    earlier = report.copy()
    report.include(batch)
    assert report.since(earlier).tasks == {}
    assert report.since(earlier).processed == {"node": 3}
    assert earlier.consumed == {"t": 6}


def test_the_metrics_of_batches_are_added_up_and_late_windows_counted_since_a_copy() -> None:
    report = RunReport()
    batch = TaskReport(1, 0, Counter(), metrics={("node", "hits"): MetricValue("counter", 2, 1)}, late_windows={"node": 3})
    report.add(batch)
    earlier = report.copy()
    report.add(batch)
    assert report.metrics["node", "hits", ""].value == 4
    assert (earlier.late_windows, report.since(earlier).late_windows) == ({"node": 3}, {"node": 3})
