"""The local engine in one process over a log in memory: commits, restarts, standby, clocks."""

import json
import re
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.files.journal import BatchId
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.local.engine import LocalEngine
from eddyline.adapters.local.restoring import StateMismatchError
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.ports.event_log import OffsetOutOfRangeError
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.changelogs import ChangelogProgress, decode
from eddyline.application.runtime.plan.options import RunPorts
from eddyline.application.runtime.plan.partitioner import partition_for
from eddyline.application.runtime.progress.log_identity import LogMismatchError
from eddyline.application.runtime.progress.report import Progress, RunReport
from eddyline.application.samples.text.word_count import word_count
from eddyline.application.topology import TopologyBuilder, tumbling
from eddyline.application.topology.processor import Processor, ProcessorContext, PunctuationType, Record
from eddyline.application.topology.stores import key_value_store
from tests.adapters.local.running import engine_of
from tests.adapters.memory.running import built, fill, merged, values


@pytest.fixture
def log() -> MemoryEventLog:
    return MemoryEventLog()


def rekeyed(builder: TopologyBuilder) -> None:
    """Join records with a table by another key, which they get on the way."""
    rows = builder.table("rows", key=str, value=str)
    lines = builder.stream("a", key=str, value=str).select_key(lambda _key, _value: "k", key=str)
    lines.left_join(rows, lambda left, row: f"{left}/{row}", value=str).to("out")


def counted(builder: TopologyBuilder) -> None:
    builder.stream("a", key=str, value=str).group_by_key().count(store="counts").to_stream().to("out")


def test_a_run_continues_where_the_last_one_ended(log: MemoryEventLog) -> None:
    fill(log, "text-lines", (b"x y", 1, 0))
    engine_of(built(word_count), log).run_available_now()
    log.append("text-lines", b"k", b"x", 2)
    report = engine_of(built(word_count), log).run_available_now()
    assert (values(log, "word-counts"), report.records) == ([b"1", b"1", b"2"], 1)
    assert engine_of(built(word_count), log).run_available_now().records == 0


def test_a_topology_with_only_a_global_store_keeps_it(log: MemoryEventLog) -> None:
    sums: list[int] = []

    class Summing(Processor[str, int, str, int]):
        def process(self, record: Record[str, int]) -> None:
            store = self.context.state_store("sums")
            store.put(record.key, (store.get(record.key) or 0) + record.value)
            sums.append(store.get(record.key))

    def define(builder: TopologyBuilder) -> None:
        builder.add_global_store(key_value_store("sums", key=str, value=int), "numbers", Summing, key=str, value=int)

    fill(log, "numbers", (b"3", 1, 0), (b"4", 2, 0))
    engine_of(built(define), log).run_available_now()
    assert sums == [3, 7]
    log.append("numbers", b"k", b"5", 3)
    engine_of(built(define), log).run_available_now()
    assert sums[-1] == 12


def test_the_windows_of_a_key_are_in_the_partition_of_the_key(log: MemoryEventLog) -> None:
    def windows(builder: TopologyBuilder) -> None:
        lines = builder.stream("a", key=str, value=str)
        lines.group_by_key().windowed_by(tumbling(10, grace=0)).count(store="counts").to_stream().to("out")

    log.create_topic("a", 1)
    for key in ("ann", "bob", "eve"):
        for timestamp in range(0, 100, 10):
            log.append("a", key.encode(), b"x", timestamp)
    engine_of(built(windows), log, new_topic_partitions=5, order="arrival").run_available_now()
    found = {
        (json.loads(record.key or b"")["key"], number)
        for number in range(log.partitions("out"))
        for batch in log.read("out", number, 0, log.end_offset("out", number))
        for record in batch
    }
    assert found == {(key, partition_for(key.encode(), 5)) for key in ("ann", "bob", "eve")}


def test_the_latest_update_of_a_key_is_written_with_each_commit(log: MemoryEventLog) -> None:
    fill(log, "text-lines", (b"x", 1, 0), (b"x", 2, 1), (b"x", 3, 2))
    engine_of(built(word_count), log, emit="latest", max_batch_records=1, commit_interval_ms=60_000).run_available_now()
    assert values(log, "word-counts")[-1] == b"3"
    assert len(values(log, "word-counts")) < 3


def test_small_steps_lose_no_records_of_a_repartition_topic(log: MemoryEventLog) -> None:
    fill(log, "rows", *((b"r%d" % number, number, number) for number in range(10)))
    fill(log, "a", *((b"a%d" % number, 100 + number, number) for number in range(5)))
    engine_of(built(rekeyed), log, max_batch_records=3).run_available_now()
    assert values(log, "out") == [b"a%d/r9" % number for number in range(5)]


class InterruptedRunError(Exception):
    """The process is killed."""


class FragileSink(MemoryEventSink):
    """A sink whose process is killed after a number of batches, or within one, after the records of some partitions."""

    def __init__(self, log: MemoryEventLog, batches: int) -> None:
        super().__init__(log)
        self.left = batches

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        if not self.left:
            raise InterruptedRunError
        self.left -= 1
        return super().write(writer, slot, batch, records)


@pytest.mark.parametrize("batches", range(1, 5))
def test_records_that_wait_for_a_table_survive_a_kill(log: MemoryEventLog, batches: int) -> None:
    fill(log, "rows", *((b"r%d" % number, number, number) for number in range(10)))
    fill(log, "a", *((b"a%d" % number, 100 + number, number) for number in range(5)))
    ports = RunPorts(log, FragileSink(log, batches), JsonCodecs(), MemoryStateStores())
    with pytest.raises(InterruptedRunError):
        engine_of(built(rekeyed), log, ports=ports, max_batch_records=3).run_available_now()
    engine_of(built(rekeyed), log, max_batch_records=3).run_available_now()
    assert values(log, "out") == [b"a%d/r9" % number for number in range(5)]


class TornSink(FileEventSink):
    """A sink on files whose process is killed within a batch, when only the partitions of one topic are written."""

    def __init__(self, root: Path, batch: int) -> None:
        super().__init__(root)
        self._batch = batch

    def _append(self, topic: str, partition: int, batch: BatchId, data: bytes) -> bool:
        if batch.batch >= self._batch and topic != "word-counts":
            raise InterruptedRunError
        return super()._append(topic, partition, batch, data)


@pytest.mark.parametrize("torn", [0, 1, 2])
def test_a_commit_on_files_that_was_interrupted_is_completed_once(tmp_path: Path, torn: int) -> None:
    root, folder = tmp_path / "topics", tmp_path / "state"
    sink = FileEventSink(root)
    sink.create_topic("text-lines", 1)
    sink.write("input", 0, 0, [SinkRecord("text-lines", b"k", b"x", number) for number in range(9)])

    def run(sink: FileEventSink) -> None:
        ports = RunPorts(FileEventLog(root), sink, JsonCodecs(), MemoryStateStores())
        engine_of(built(word_count), MemoryEventLog(), ports=ports, folder=folder, max_batch_records=3).run_available_now()

    with pytest.raises(InterruptedRunError):
        run(TornSink(root, torn))
    run(FileEventSink(root))
    written = FileEventLog(root)
    found = [
        record.value for batch in written.read("word-counts", 0, 0, written.end_offset("word-counts", 0)) for record in batch
    ]
    assert found == [b"%d" % number for number in range(1, 10)]


def test_a_second_process_on_files_stands_by_until_the_first_has_ended(tmp_path: Path) -> None:
    root, folder = tmp_path / "topics", tmp_path / "state"
    sink = FileEventSink(root)
    sink.create_topic("text-lines", 1)

    def engine() -> tuple[threading.Thread, LocalEngine]:
        ports = RunPorts(FileEventLog(root), FileEventSink(root), JsonCodecs(), MemoryStateStores())
        created = engine_of(built(word_count), MemoryEventLog(), ports=ports, folder=folder)
        thread = threading.Thread(target=created.run, args=(lambda progress, _report: reached.append(progress.done),))
        thread.start()
        return thread, created

    def write(number: int) -> None:
        sink.write("input", 0, number, [SinkRecord("text-lines", b"k", b"x", number)])

    def wait_for(count: int) -> None:
        log, deadline = FileEventLog(root), threading.Event()
        for _ in range(12_000):
            if "word-counts" in log.topics() and log.end_offset("word-counts", 0) >= count:
                return
            deadline.wait(0.01)
        raise AssertionError(count)

    reached: list[int] = []
    write(0)
    first, running = engine()
    wait_for(1)
    second, standing_by = engine()
    write(1)
    wait_for(2)
    running.stop()
    first.join(120)
    write(2)
    wait_for(3)
    standing_by.stop()
    second.join(120)
    log = FileEventLog(root)
    assert [record.value for batch in log.read("word-counts", 0, 0, 3) for record in batch] == [b"1", b"2", b"3"]


def test_a_processor_is_called_on_time_although_nothing_comes(log: MemoryEventLog) -> None:
    called = threading.Event()
    clock = MemoryClock(1_000)

    class Ticking(Processor[Any, Any, Any, Any]):
        def init(self, context: ProcessorContext[Any, Any]) -> None:
            context.schedule(1_000, PunctuationType.WALL_CLOCK_TIME, lambda _now: called.set())

        def process(self, record: Record[Any, Any]) -> None:
            """Do nothing."""

    fill(log, "a")
    topology = built(lambda builder: builder.stream("a", key=str, value=str).process(Ticking))
    engine = engine_of(topology, log, clock=clock)
    running = threading.Thread(target=engine.run)
    running.start()
    assert not called.wait(0.2)
    clock.advance(1_000)
    assert called.wait(120)
    engine.stop()
    running.join(120)


def test_a_topic_that_was_created_again_ends_the_run(log: MemoryEventLog) -> None:
    fill(log, "a", (b"1", 5, 1), (b"2", 6, 2))
    fill(log, "b")
    engine_of(built(merged), log).run_available_now()
    log.delete_topic("a")
    fill(log, "a", (b"3", 5, 1))
    with pytest.raises(LogMismatchError, match="'app' belong to topics that have been deleted and created again"):
        engine_of(built(merged), log).run_available_now()


def test_state_of_another_topology_is_refused(log: MemoryEventLog) -> None:
    def summed(builder: TopologyBuilder) -> None:
        grouped = builder.stream("a", key=str, value=str).group_by_key()
        grouped.aggregate(list, lambda total, value: [*total, value], value=list[str], store="counts").to_stream().to("out")

    fill(log, "a", (b"1", 5, 1))
    engine_of(built(counted), log).run_available_now()
    with pytest.raises(
        StateMismatchError, match="the flow cannot continue the state of application 'app': the values of store 'counts'"
    ):
        engine_of(built(summed), log).run_available_now()


def test_a_store_that_is_new_is_named_since_it_starts_empty(log: MemoryEventLog, caplog: pytest.LogCaptureFixture) -> None:
    def renamed(builder: TopologyBuilder) -> None:
        builder.stream("a", key=str, value=str).group_by_key().count(store="totals").to_stream().to("out")

    fill(log, "a", (b"1", 5, 1))
    engine_of(built(counted), log).run_available_now()
    engine_of(built(counted), log).run_available_now()
    assert "starts empty" not in caplog.text
    engine_of(built(renamed), log).run_available_now()
    assert "application 'app': store 'totals' is new: it starts empty; if it is store 'counts' under another name" in caplog.text


def test_topics_that_appear_later_are_read_if_they_match_a_pattern(log: MemoryEventLog) -> None:
    def logs(builder: TopologyBuilder) -> None:
        builder.stream(re.compile("logs-.*"), key=str, value=str).to("out")

    fill(log, "logs-a", (b"1", 5, 1))
    engine = engine_of(built(logs), log)
    running = threading.Thread(target=engine.run)
    running.start()
    fill(log, "logs-b", (b"2", 6, 2))
    waiting = threading.Event()
    for _ in range(12_000):
        if "out" in log.topics() and log.end_offset("out", 0) == 2:
            break
        waiting.wait(0.01)
    engine.stop()
    running.join(120)
    assert values(log, "out") == [b"1", b"2"]


def test_a_position_that_the_log_has_lost_ends_the_run_by_default(log: MemoryEventLog) -> None:
    fill(log, "a", (b"1", 5, 1), (b"2", 5, 2))
    engine_of(built(counted), log).run_available_now()
    log._topics["a"][0].clear()  # noqa: SLF001 - as if it was emptied
    with pytest.raises(OffsetOutOfRangeError, match="the flow is at offset 2, but the log has 0 to 0"):
        engine_of(built(counted), log).run_available_now()


def test_a_task_waits_for_an_empty_partition_as_long_as_the_flow_says(log: MemoryEventLog) -> None:
    fill(log, "a", (b"a5", 5, 0))
    fill(log, "b")
    clock = MemoryClock(1_000)
    engine = engine_of(built(merged), log, clock=clock, max_task_idle_ms=400)
    running = threading.Thread(target=engine.run)
    running.start()
    waiting = threading.Event()

    def wait_for(count: int) -> None:
        for _ in range(12_000):
            if "out" in log.topics() and log.end_offset("out", 0) == count:
                return
            waiting.wait(0.01)

    assert not waiting.wait(0.3)
    assert values(log, "out") == []
    log.append("b", b"k", b"b1", 1)
    wait_for(1)
    assert values(log, "out") == [b"b1"]
    clock.advance(400)
    wait_for(2)
    engine.stop()
    running.join(120)
    assert values(log, "out") == [b"b1", b"a5"]


def test_each_commit_says_in_the_changelogs_of_all_tasks_what_they_include(log: MemoryEventLog) -> None:
    log.create_topic("a", 2)
    for partition in (0, 1, 1):
        log.append("a", b"k", b"v", 1, partition=partition)
    engine_of(built(counted), log, max_batch_records=1).run_available_now()
    for partition in (0, 1):
        end = log.end_offset("app-counts-changelog", partition)
        (batch,) = log.read("app-counts-changelog", partition, end - 1, end)
        found = decode(batch[0].key, batch[0].value, batch[0].timestamp)
        assert isinstance(found, ChangelogProgress)
        assert (found.batch, found.offsets) == (1, {"a": [1, 2]})


def test_a_batch_takes_as_long_as_the_step_that_ends_with_its_commit(log: MemoryEventLog) -> None:
    log.create_topic("a", 1)
    log.append("a", b"k", b"v", 1, partition=0)
    reported: list[float] = []

    def slow(_key: str | None, _value: str | None) -> None:
        time.sleep(0.05)

    topology = built(lambda builder: builder.stream("a", key=str, value=str).peek(slow).to("out"))
    engine_of(topology, log).run_available_now(lambda progress, _report: reported.append(progress.seconds))
    assert reported[0] >= 0.05


def test_the_last_commit_before_a_pause_is_reported(log: MemoryEventLog) -> None:
    fill(log, "a", (b"x", 1, 0))
    engine = engine_of(built(counted), log, trigger_interval_ms=300)
    reported: list[int] = []
    first, last = threading.Event(), threading.Event()

    def on_progress(progress: Progress, _report: RunReport) -> None:
        reported.append(progress.done)
        first.set()
        if progress.done == 2:
            last.set()

    thread = threading.Thread(target=engine.run, args=[on_progress])
    thread.start()
    try:
        assert first.wait(60)
        log.append("a", b"k", b"y", 2)
        assert last.wait(60), reported
    finally:
        engine.stop()
        thread.join()


def test_dead_letters_of_a_global_table_are_written_once_although_each_run_reads_it_again() -> None:
    log = MemoryEventLog()
    log.create_topic("lines", 2)
    fill(log, "rows", (b"good", 1, 0), (b"\xff", 2, 1))

    def define(builder: TopologyBuilder) -> None:
        rows = builder.global_table("rows", key=str, value=str, store="rows")
        lines = builder.stream("lines", key=str, value=str)
        lines.join(rows, lambda line, row: line + row, key_selector=lambda key, _line: key, value=str).to("out")

    for arrival in (2, 3):
        log.append("lines", b"k", b"line ", 3, arrival=arrival, partition=0)
        engine_of(built(define), log).run_available_now()
    log.append("rows", b"k", b"\xfe", 4, arrival=4)
    engine_of(built(define), log).run_available_now()
    assert values(log, "out") == [b"line good", b"line good"]
    assert values(log, "app-dead-letters") == [b"\xff", b"\xfe"]
