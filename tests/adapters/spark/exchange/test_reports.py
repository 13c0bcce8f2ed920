"""Reports cross from workers to the driver unchanged."""

from collections import Counter

from eddyline.adapters.spark.exchange.reports import pack_report, pack_written, unpack_report, unpack_written
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.progress.report import TaskReport, TaskState


def test_the_report_of_a_task_is_unpacked_unchanged() -> None:
    report = TaskReport(
        3,
        1,
        Counter({("é", "late"): 2, ("b", "null-key"): 5}),
        {TopicPartition("t", 1): 7},
        consumed={"t": 3, "moved-repartition": 2},
        undecodable={"t": 1},
        processed={"é": 3},
        state=TaskState("1_0", -5, 3, 40),
        transactions={"committed": 1},
        trace_contexts=("00-1-2-01",),
        late_windows={"é": 3},
        times=(5, 7),
    )
    assert unpack_report(pack_report(report)) == report


def test_the_numbers_of_records_written_are_unpacked_unchanged() -> None:
    assert unpack_written(pack_written({"é": 2, "b": 5})) == {"é": 2, "b": 5}
