"""In the order of arrival, all results of a batch are written together, and what tasks report goes to the driver."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.spark.exchange.columns import Columns, Packed, Sequenced, pack_records
from eddyline.adapters.spark.exchange.frames import Frame, Kind, Sender, pack_frame, unpack_frame
from eddyline.adapters.spark.exchange.reports import unpack_report, unpack_written
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.adapters.spark.sink.arrival_writer import arrival_writer
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.changelogs import BatchProgress, ChangelogProgress, encode_progress
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.topology import Topology, TopologyBuilder
from tests.adapters.spark.in_process import InProcessRun, LocalBroadcast
from tests.adapters.spark.sinks import ListSink, StrictSink
from tests.adapters.spark.topologies import copied
from tests.runtime.plans import memory_ports

GROUPS = 2


def broadcast_to(sink: ListSink, topology: Topology | None = None, **options: Any) -> Broadcast:
    log = MemoryEventLog()
    log.create_topic("lines", 1)
    plan = RunPlan.of(
        topology or copied("lines"), memory_ports(log, sink=sink), RunOptions(application_id="app", order="arrival", **options)
    )
    return LocalBroadcast(SparkPlan(plan, stage_line(plan.topology), "app-1", groups=GROUPS))


def results(task: int, number: int, *records: tuple[str, bytes], stage: int = 0) -> Frame:
    (body,) = pack_records(Packed(topic, None, value, 5) for topic, value in records)
    return Frame(Sender(stage, task, number), Kind.RESULTS, 0, body)


def write(broadcast: Broadcast, *frames: Frame, batch: int = 7) -> list[Frame]:
    """Write a batch whose frames arrive in two Arrow batches; return the frames for the driver."""
    half = len(frames) // 2
    columns = [pa.array([pack_frame(frame) for frame in some], pa.binary()) for some in (frames[:half], frames[half:])]
    rows = (pa.RecordBatch.from_arrays([column], ["frame"]) for column in columns)
    written = arrival_writer(broadcast, BatchProgress(batch, 1_000, {"lines": [4]}))(rows)
    return [unpack_frame(frame) for found in written for frame in found.column("frame").to_pylist()]


def outcomes(frames: Sequence[Frame]) -> list[dict[str, int]]:
    """The outcomes of the slots."""
    return [dict(unpack_report(frame.body).transactions) for frame in frames if frame.kind is Kind.REPORT]


def counted(frames: Sequence[Frame]) -> list[tuple[Sender, Any]]:
    """The numbers of written records, and the sender."""
    return [(frame.sender, unpack_written(frame.body)) for frame in frames if frame.kind is Kind.WRITTEN]


def test_frames_that_are_no_results_go_to_the_driver_unchanged() -> None:
    sink = ListSink()
    report = Frame(Sender(0, 1, 1), Kind.REPORT, 0, b"report")
    changes = Frame(Sender(0, 1, 2), Kind.CHANGES, 0, b"changes")
    assert write(broadcast_to(sink), report, changes) == [report, changes]
    assert sink.writes == []


def counts() -> Topology:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).group_by_key().count(store="counts").to_stream().to("a")
    return builder.build()


def changes(task: int, number: int, *values: bytes) -> Frame:
    (body,) = pack_records(Packed("app-counts-changelog", b"k", value, 5, (), task) for value in values)
    return Frame(Sender(0, task, number), Kind.CHANGELOG, 0, body)


def stream_time(task: int, number: int, timestamp: int) -> Frame:
    return Frame(Sender(0, task, number), Kind.STREAM_TIME, 0, str(timestamp).encode())


def progress(stream_time: int | None) -> tuple[str, bytes]:
    return "app-counts-changelog", encode_progress(ChangelogProgress(7, 1_000, stream_time, {"lines": [4]}))


def test_changes_follow_all_results() -> None:
    sink = ListSink()
    broadcast = broadcast_to(sink, counts(), changelog_stores="all")
    write(broadcast, changes(0, 1, b"3"), stream_time(0, 2, 8), results(1, 1, ("a", b"1")))
    assert sink.writes == [("app-1", 0, 7, [("a", b"1"), ("app-counts-changelog", b"3"), progress(8)])]


def test_all_results_are_written_to_one_slot() -> None:
    sink = ListSink()
    write(broadcast_to(sink), results(1, 1, ("a", b"2")), results(0, 1, ("a", b"1")))
    assert sink.writes == [("app-1", 0, 7, [("a", b"1"), ("a", b"2")])]


def value_of(_key: str, value: str) -> str:
    return value


class KeySink(ListSink):
    """Lists topic and key of all records in the order in which they were written."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: list[tuple[str, bytes | None]] = []

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        self.keys += [(record.topic, record.key) for record in records]
        return super().write(writer, slot, batch, records)


def test_the_results_of_all_topics_are_written_in_one_sequence() -> None:
    builder = TopologyBuilder()
    lines = builder.stream("lines", key=str, value=str)
    lines.to("first")
    lines.select_key(value_of).group_by_key().count(store="counts").to_stream().to("second")
    log = MemoryEventLog()
    log.create_topic("lines", 2)
    for number in range(6):
        log.append("lines", b"k", b"v%d" % (number % 2), number, partition=number % 2, arrival=number)
    sink = KeySink()
    InProcessRun(builder.build(), log, order="arrival", sink=sink).run(max_batch_records=4)
    assert [topic for topic, _ in sink.keys] == ["first", "second"] * 6
    assert [key for topic, key in sink.keys if topic == "second"] == [b"v0", b"v1"] * 3


def sequenced(stage: int, task: int, number: int, *records: tuple[bytes, int, int]) -> Frame:
    """Return results with these values, arrival numbers and numbers in the order of sending."""
    columns = Columns()
    for value, arrival, sequence in records:
        columns.add("a", None, value, 5)
        columns.sequences.append(Sequenced(arrival, sequence))
    return Frame(Sender(stage, task, number), Kind.RESULTS, 0, columns.pack())


def test_results_of_the_same_cause_are_written_by_stage_task_and_order_of_sending() -> None:
    sink = ListSink()
    write(
        broadcast_to(sink),
        sequenced(1, 0, 1, (b"5", 7, 0)),
        sequenced(0, 1, 1, (b"4", 7, 0)),
        sequenced(0, 0, 2, (b"2", 7, 1), (b"6", 8, 3)),
        sequenced(0, 0, 1, (b"3", 7, 2), (b"1", 7, 0)),
    )
    assert [value for _, value in sink.writes[0][3]] == [b"1", b"2", b"3", b"4", b"5", b"6"]


def test_results_that_the_sink_rejects_go_through_the_production_exception_handler() -> None:
    sink = StrictSink()
    broadcast = broadcast_to(sink, production_exception_handler="dead-letter")
    frames = write(broadcast, results(0, 1, ("a", b"1"), ("a", b"long")), results(0, 2, ("b", b"long")))
    ((_, _, _, written),) = sink.writes
    assert written == [("a", b"1"), ("app-dead-letters", b"long"), ("b", b"long")]
    assert counted(frames) == [(Sender(0, 0, 0), {"a": 1, "b": 1, "app-dead-letters": 1})]
