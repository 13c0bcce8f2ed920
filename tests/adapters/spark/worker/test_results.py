"""The results and the changelog of a task are written as one slot of the batch, and their numbers are reported."""

from collections.abc import Sequence
from typing import Any

import pytest

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.spark.exchange.columns import Packed, pack_records
from eddyline.adapters.spark.exchange.frames import Frame, Kind, Sender, unpack_frame
from eddyline.adapters.spark.exchange.reports import unpack_report, unpack_written
from eddyline.adapters.spark.exchange.rows import END
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.adapters.spark.worker.cache import RunCache
from eddyline.adapters.spark.worker.hosted_task import HostedTask
from eddyline.adapters.spark.worker.results import write_task
from eddyline.application.ports.event_sink import RejectedRecordsError, SinkRecord
from eddyline.application.runtime.plan.changelogs import BatchProgress, ChangelogProgress, encode_progress
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.topology import Topology, TopologyBuilder
from tests.adapters.spark.in_process import LocalBroadcast
from tests.adapters.spark.sinks import ListSink, StrictSink
from tests.runtime.plans import memory_ports

STAGE, TASK, BATCH = 1, 2, 7
SLOT = 2 * TASK + STAGE


def moved() -> Topology:
    """Return a topology of two stages; the second writes the values to `a`, and to `b` those that are longer than 1."""
    builder = TopologyBuilder()
    values = builder.stream("lines", key=str, value=str).repartition(name="moved")
    values.to("a")
    values.filter(lambda _, value: len(value) > 1).to("b")
    return builder.build()


def counts() -> Topology:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).repartition(name="moved").group_by_key().count(store="counts")
    return builder.build()


class Written:
    """A task of the second stage that writes batches to a sink."""

    def __init__(self, sink: ListSink, topology: Topology | None = None, **options: Any) -> None:
        log = MemoryEventLog()
        log.create_topic("lines", 3)
        plan = RunPlan.of(topology or moved(), memory_ports(log, sink=sink), RunOptions(application_id="app", **options))
        spark_plan = SparkPlan(plan, stage_line(plan.topology), "app-1", groups=2)
        self._cache = RunCache(LocalBroadcast(spark_plan))
        self._task = HostedTask(spark_plan, STAGE, TASK, 900)
        self.frames: list[Frame] = []

    def write(self, *values: str, batch: int = BATCH) -> "Written":
        records = [Packed("moved-repartition", b"k", f'"{value}"'.encode(), 5) for value in values]
        received = [Frame(Sender(0, 0, number), Kind.RECORDS, 900, body) for number, body in enumerate(pack_records(records))]
        list(self._task.run(received, 900))
        rows = list(write_task(self._cache, self._task, BatchProgress(batch, 1_000, {"lines": [4]})))
        assert {(row.task, row.stage) for row in rows} <= {(TASK, END)}
        self.frames = [unpack_frame(row.frame) for row in rows]
        return self

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of written records."""
        (found,) = (unpack_written(frame.body) for frame in self.frames if frame.kind is Kind.WRITTEN)
        return dict(found)

    @property
    def report(self) -> Any:
        (found,) = (unpack_report(frame.body) for frame in self.frames if frame.kind is Kind.REPORT)
        return found


def test_the_results_of_a_task_are_one_slot_in_the_order_of_sending() -> None:
    sink = ListSink()
    task = Written(sink).write("x", "long", "y")
    assert sink.writes == [("app-1", SLOT, BATCH, [("a", b"x"), ("a", b"long"), ("a", b"y"), ("b", b"long")])]
    assert task.counts == {"a": 3, "b": 1}
    assert task.report.transactions == {"committed": 1}


def test_the_slots_of_tasks_of_several_stages_differ() -> None:
    log = MemoryEventLog()
    log.create_topic("lines", 3)
    plan = RunPlan.of(moved(), memory_ports(log), RunOptions(application_id="app"))
    spark_plan = SparkPlan(plan, stage_line(plan.topology), "app-1", groups=2)
    assert len({spark_plan.slot(stage, task) for stage in (0, 1) for task in range(3)}) == 6
    assert [spark_plan.slots_of(task) for task in range(4)] == [[1], [3], [5], []], "the first stage has no results"


def test_a_batch_without_results_is_not_written() -> None:
    sink = ListSink()
    assert Written(sink).write().frames == []
    assert sink.writes == []


def test_a_slot_that_was_written_before_is_reported_as_repeated_with_the_failed_attempts() -> None:
    class RepeatedSink(ListSink):
        def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
            del writer, slot, batch, records
            return False

        def take_retries(self) -> dict[str, int]:
            return {"fenced": 2}

    assert Written(RepeatedSink()).write("x").report.transactions == {"repeated": 1, "fenced": 2}


def test_the_topics_of_results_are_created_once() -> None:
    sink = ListSink()
    Written(sink).write("x").write("y", "long", batch=8)
    assert sink.created == ["a", "b"]


def _progress(stream_time: int | None) -> tuple[str, bytes]:
    return "app-counts-changelog", encode_progress(ChangelogProgress(BATCH, 1_000, stream_time, {"lines": [4]}))


def test_changes_and_progress_follow_the_results_and_are_not_counted() -> None:
    sink = ListSink()
    builder = TopologyBuilder()
    values = builder.stream("lines", key=str, value=str).repartition(name="moved")
    lengths = values.group_by_key().aggregate(int, lambda length, value: length + len(value), store="counts")
    lengths.to_stream().to("a")
    task = Written(sink, builder.build(), changelog_stores="all", emit="every-update").write("x", "y")
    changed = ("app-counts-changelog", b"[2,5]")
    assert sink.writes == [("app-1", SLOT, BATCH, [("a", b"1"), ("a", b"2"), changed, _progress(5)])]
    assert task.counts == {"a": 2}


def test_progress_is_written_without_results_and_changes() -> None:
    sink = ListSink()
    task = Written(sink, counts(), changelog_stores="all").write()
    assert sink.writes == [("app-1", SLOT, BATCH, [_progress(None)])]
    assert [frame.kind for frame in task.frames] == [Kind.REPORT]


def test_an_entry_that_a_changelog_does_not_accept_ends_the_run_whatever_the_handler_says() -> None:
    class Narrow(ListSink):
        def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
            if any(record.key for record in records):
                raise RejectedRecordsError("too long", {record[:3]: ValueError("too long") for record in records if record.key})
            return super().write(writer, slot, batch, records)

    task = Written(Narrow(), counts(), changelog_stores="all", production_exception_handler="continue")
    with pytest.raises(RejectedRecordsError) as raised:
        task.write("x")
    assert "'app-counts-changelog' must accept every entry of its store" in raised.value.__notes__[0]


@pytest.mark.parametrize(("response", "letters"), [("continue", []), ("dead-letter", [b"long", b"longer"])])
def test_results_that_the_sink_rejects_go_through_the_production_exception_handler(response: Any, letters: list[bytes]) -> None:
    sink = StrictSink()
    task = Written(sink, production_exception_handler=response).write("x", "long", "longer")
    ((_, _, _, written),) = sink.writes
    assert [value for topic, value in written if topic == "a"] == [b"x"]
    assert [value for topic, value in written if topic == "app-dead-letters"] == letters
    assert task.counts == {"a": 1, "b": 2, **({"app-dead-letters": 2} if letters else {})}
    assert (task.report.dead_letters, task.report.drops) == (len(letters), {("a-sink", "production-error"): 2})


def test_by_default_a_rejected_result_ends_the_run() -> None:
    with pytest.raises(RejectedRecordsError) as raised:
        Written(StrictSink()).write("long")
    assert "production.exception.handler" in raised.value.__notes__[0]
