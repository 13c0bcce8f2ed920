"""The Spark engine, from files to files."""

import json
import re
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from eddyline.adapters.spark.driver.checkpoint_lock import CheckpointError
from eddyline.adapters.spark.failures import EngineError
from eddyline.application.ports.event_log import UnknownTopicError
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.partitioner import partition_for
from eddyline.application.runtime.progress.report import Progress
from eddyline.application.runtime.progress.store_changes import StoreChanges
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology import TopologyBuilder, on_window_close, tumbling
from tests.adapters.spark.running import TICKERS, Workspace, in_memory, trades, updates, updates_in_memory
from tests.adapters.spark.topologies import copied
from tests.fixtures.metered import metered

pytestmark = pytest.mark.spark


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"the condition does not hold after {seconds:.0f} s"
        time.sleep(0.05)


@pytest.mark.parametrize("partitions", [*(pytest.param(count, marks=pytest.mark.slow) for count in (1, 2)), 7])
def test_tables_and_drops_equal_those_of_the_memory_engine_with_as_many_tasks(
    workspace: Workspace, spark: SparkSession, partitions: int
) -> None:
    topology, records = find_flow("stock-stats").topology(grace_ms=1_000), trades(4_000)
    workspace.append("trades", partitions, records)
    memory = in_memory(topology, "trades", records, partitions)
    store_changes, reported = StoreChanges(), list[Progress]()
    report = workspace.engine(topology, spark, store_changes=store_changes, max_batch_records=1_500).run_available_now(
        lambda progress, _report: reported.append(progress)
    )
    assert {key: all_[-1] for key, all_ in updates(workspace.records("stock-stats")).items()} == {
        key: all_[-1] for key, all_ in updates_in_memory(topology, memory, "stock-stats").items()
    }
    assert len(list(store_changes.entries("trade-aggregates"))) == len(memory.store("trade-aggregates"))
    assert report.drops == memory.drops
    assert sum(report.drops.values()) > 0
    assert report.records == len(records)
    assert report.written["stock-stats"] == len(workspace.records("stock-stats"))
    assert [progress.done for progress in reported] == sorted(progress.done for progress in reported)
    assert (reported[-1].done, reported[-1].total) == (len(records), len(records))
    assert report.batches == len(reported) >= 3


def test_the_report_has_what_metrics_of_processors_have_counted(workspace: Workspace, spark: SparkSession) -> None:
    workspace.append("orders", 1, [SinkRecord("orders", b"a", b"%d" % amount, amount) for amount in (40, 2, 15, 5)])
    report = workspace.engine(metered(), spark).run_available_now()
    assert {(name, *value[:3]) for (_, name, _), value in report.metrics.items()} == {
        ("rejected", "counter", 2, 2),
        ("open_orders", "gauge", 1, 4),
        ("amount", "sensor", 62, 4),
    }


def test_the_windows_of_a_key_are_in_the_partition_of_the_key(workspace: Workspace, spark: SparkSession) -> None:
    workspace.append("trades", 2, trades(500))
    workspace.engine(find_flow("stock-stats").topology(), spark, new_topic_partitions=5).run_available_now()
    partitions = defaultdict[bytes, set[int]](set)
    for number in range(workspace.log.partitions("stock-stats")):
        for batch in workspace.log.read("stock-stats", number, 0, workspace.log.end_offset("stock-stats", number)):
            for record in batch:
                partitions[json.loads(record.key or b"")["key"].encode()].add(number)
    assert dict(partitions) == {ticker: {partition_for(ticker, 5)} for ticker in partitions}
    assert len(partitions) == len(TICKERS)


def test_batches_grow_while_tasks_process_them_in_a_short_time(
    workspace: Workspace, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eddyline.application.runtime.plan.options._BATCH_RECORDS", 100)
    workspace.append("trades", 2, trades(1_500))
    done = [0]
    engine = workspace.engine(find_flow("stock-stats").topology(), spark)
    engine.run_available_now(lambda progress, _: done.append(progress.done))
    first, second, third, *_ = (after - before for before, after in pairwise(done))
    assert first <= 102 < second < third


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_one_daemon_forks_the_workers_of_all_stages(workspace: Workspace, spark: SparkSession) -> None:
    workspace.append("trades", 2, trades(20))
    workspace.engine(find_flow("stock-stats").topology(), spark).run_available_now()
    daemons = [command for command in _children_of_java().values() if "process.daemon" in command and "pyspark.worker" in command]
    assert len(daemons) == 1


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_the_source_of_a_query_runs_in_a_fork_once_there_is_a_daemon(workspace: Workspace, spark: SparkSession) -> None:
    workspace.append("lines", 1, [SinkRecord("lines", b"k", b"v", 1)])
    workspace.engine(copied("lines"), spark).run_available_now()
    engine = workspace.engine(copied("lines"), spark)
    engine.start()
    workspace.append("lines", 1, [SinkRecord("lines", b"k", b"v", 2)])
    until(lambda: engine.report.records == 1)
    sources = [process for process, command in _children_of_java().items() if "python_streaming_source_runner" in command]
    imported = [(Path("/proc") / str(process) / "maps").read_text() for process in sources]
    engine.stop()
    assert imported
    assert not any("pyarrow" in libraries for libraries in imported)


def _children_of_java() -> dict[int, str]:
    """Return the command of each child of the Java process of this one, by process id."""
    java = SparkContext._gateway.proc.pid  # type: ignore[union-attr] # noqa: SLF001 - the only way to the process
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if int((folder / "stat").read_text().rpartition(")")[2].split()[1]) == java:
                found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    return found


def test_a_run_continues_where_the_previous_one_ended(workspace: Workspace, spark: SparkSession) -> None:
    topology = find_flow("word-count").topology()
    lines = [SinkRecord("text-lines", None, f"the word{number % 7} and {number % 3}".encode(), number) for number in range(60)]
    workspace.append("text-lines", 3, lines[:25])
    first = workspace.engine(topology, spark, emit="every-update").run_available_now()
    workspace.append("text-lines", 3, lines[25:])
    second = workspace.engine(topology, spark, emit="every-update").run_available_now()
    assert (first.records, second.records) == (25, 35)
    assert not list(workspace.checkpoint.rglob("*.crc"))
    memory = in_memory(topology, "text-lines", lines, 1)
    assert {key: all_[-1][1] for key, all_ in updates(workspace.records("word-counts")).items()} == {
        key: all_[-1][1] for key, all_ in updates_in_memory(topology, memory, "word-counts").items()
    }
    assert len(workspace.records("word-counts")) == len(memory.outputs("word-counts"))


def test_topics_that_match_a_pattern_are_read_when_they_appear(workspace: Workspace, spark: SparkSession) -> None:
    builder = TopologyBuilder()
    logs = builder.stream(re.compile("logs-.*"), key=str, value=str)
    logs.group_by_key().count(store="counts").to_stream().to("counted")
    topology = builder.build()

    def written(topic: str, partitions: int, number: int) -> None:
        workspace.append(topic, partitions, [SinkRecord(topic, b"k", b"x", time) for time in range(number)])

    written("logs-app", 1, 2)
    engine = workspace.engine(topology, spark, emit="every-update", trigger_interval_ms=0)
    engine.start()
    until(lambda: len(workspace.records("counted")) == 2)
    written("logs-db", 2, 3)
    until(lambda: len(workspace.records("counted")) == 5)
    engine.stop()
    written("logs-web", 1, 1)
    report = workspace.engine(topology, spark, emit="every-update").run_available_now()
    assert report.records == 1
    counts = [3, 3] if partition_for(b"k", 2) else [6]  # a count of the key in each task that reads it
    assert sorted(int(record.value or b"") for record in workspace.records("counted")) == sorted(
        number for count in counts for number in range(1, count + 1)
    )


def test_windows_of_an_idle_source_close_without_records(workspace: Workspace, spark: SparkSession) -> None:
    builder = TopologyBuilder()
    stream = builder.stream("events", key=str, value=str, idle_timeout=200)
    grouped = stream.group_by(lambda _key, value: value, key=str, name="by-value")
    windowed = grouped.windowed_by(tumbling(1_000, grace=0), emit_strategy=on_window_close())
    windowed.count(store="counts").to_stream(lambda key, _count: key.key).to("counted")
    workspace.append("events", 2, [SinkRecord("events", b"k%d" % number, b"x", number) for number in range(5)])
    engine = workspace.engine(builder.build(), spark, emit="every-update", trigger_interval_ms=0)
    engine.start()
    until(lambda: len(workspace.records("counted")) > 0)
    engine.stop()
    assert [(record.key, record.value, record.timestamp) for record in workspace.records("counted")] == [(b"x", b"5", 4)]


def test_undecodable_records_become_dead_letters_and_are_counted(workspace: Workspace, spark: SparkSession) -> None:
    workspace.append("trades", 1, trades(5, lateness_ms=1))
    with (workspace.folder / "topics" / "trades" / "partition-0.jsonl").open("ab") as handle:
        handle.write(b"this is no record\n")
    workspace.append("trades", 1, [SinkRecord("trades", b"T1", b"{torn", 7), *trades(5, lateness_ms=1)])
    report = workspace.engine(find_flow("stock-stats").topology(), spark).run_available_now()
    assert {letter.value for letter in workspace.records("app-dead-letters")} == {b"this is no record", b"{torn"}
    assert (report.records, report.dead_letters) == (10, 2)


def test_a_stateless_flow_runs_without_a_stage(workspace: Workspace, spark: SparkSession) -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).filter(starts_with_a).to("a-lines")
    workspace.append("lines", 2, [SinkRecord("lines", b"%d" % n, value, n) for n, value in enumerate([b"ab", b"ba", b"aa"])])
    workspace.engine(builder.build(), spark).run_available_now()
    assert sorted(record.value or b"" for record in workspace.records("a-lines")) == [b"aa", b"ab"]


def starts_with_a(_key: str, value: str) -> bool:
    return value.startswith("a")


def test_wall_clock_punctuation_runs_without_data_until_the_engine_is_stopped(workspace: Workspace, spark: SparkSession) -> None:
    workspace.append("product-views", 1, [SinkRecord("product-views", b"lamp", b"1", 5)])
    engine = workspace.engine(
        find_flow("product-counter").topology(punctuation="wall", interval_ms=300), spark, trigger_interval_ms=100
    )
    engine.start()
    until(lambda: len(workspace.records("product-counts")) >= 3)
    engine.stop()
    counts = workspace.records("product-counts")
    assert {record.value for record in counts} == {b"1"}
    assert len({record.timestamp for record in counts}) == len(counts)
    assert engine.await_termination(0)


def test_partitions_that_are_added_during_a_run_are_read(workspace: Workspace, spark: SparkSession) -> None:
    workspace.append("product-views", 1, [SinkRecord("product-views", b"lamp", b"1", 5)])
    engine = workspace.engine(find_flow("product-counter").topology(), spark, trigger_interval_ms=100)
    engine.start()
    until(lambda: engine.report.records == 1)
    (workspace.folder / "topics" / "product-views" / "partition-1.jsonl").touch()
    workspace.append("product-views", 2, [SinkRecord("product-views", b"desk", b"1", 6_000, partition=1)])
    until(lambda: {record.key for record in workspace.records("product-counts")} >= {b"desk"})
    engine.stop()
    assert engine.report.records == 2


def test_an_available_now_run_ends_in_spite_of_wall_clock_punctuation(workspace: Workspace, spark: SparkSession) -> None:
    workspace.append("product-views", 1, [SinkRecord("product-views", b"lamp", b"1", 5)])
    topology = find_flow("product-counter").topology(punctuation="wall", interval_ms=100)
    assert workspace.engine(topology, spark).run_available_now().records == 1


def fail(_key: str, value: str) -> str:
    raise ValueError(f"cannot map {value!r}")


def test_a_run_fails_with_the_message_of_the_exception_in_an_operator(workspace: Workspace, spark: SparkSession) -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).map_values(fail, with_key=True).to("out")
    workspace.append("lines", 1, [SinkRecord("lines", b"k", b"v", 1)])
    with pytest.raises(EngineError, match="ValueError: cannot map 'v'"):
        workspace.engine(builder.build(), spark).run_available_now()


def test_a_missing_topic_is_named(workspace: Workspace, spark: SparkSession) -> None:
    with pytest.raises(UnknownTopicError, match="trades"):
        workspace.engine(find_flow("stock-stats").topology(), spark).run_available_now()


def test_waiting_for_empty_partitions_is_refused(workspace: Workspace, spark: SparkSession) -> None:
    with pytest.raises(EngineError, match=r"max\.task\.idle\.ms=100 needs the engine local or memory"):
        workspace.engine(copied("lines"), spark, max_task_idle_ms=100)


def test_an_engine_that_is_running_cannot_be_started_again(workspace: Workspace, spark: SparkSession) -> None:
    workspace.append("lines", 1, [])
    engine = workspace.engine(copied("lines"), spark)
    engine.start()
    with pytest.raises(EngineError, match="application 'app' is already running; stop it first"):
        engine.start()
    engine.stop()


def test_a_second_run_of_a_checkpoint_is_refused(workspace: Workspace, spark: SparkSession) -> None:
    workspace.append("lines", 1, [])
    first = workspace.engine(copied("lines"), spark)
    first.start()
    with pytest.raises(CheckpointError, match="in use"):
        workspace.engine(copied("lines"), spark).start()
    first.stop()


def test_a_checkpoint_of_another_topology_is_refused(workspace: Workspace, spark: SparkSession) -> None:
    workspace.append("lines", 1, [])
    workspace.append("others", 1, [])
    workspace.engine(copied("lines"), spark).run_available_now()
    with pytest.raises(CheckpointError, match="the sub-topology that reads 'others' is new"):
        workspace.engine(copied("others"), spark).run_available_now()


def test_a_topology_with_only_global_tables_runs(workspace: Workspace, spark: SparkSession) -> None:
    builder = TopologyBuilder()
    builder.global_table("rates", key=str, value=int)
    topology = builder.build()
    workspace.append("rates", 2, [SinkRecord("rates", b"a", b"1", 5, partition=number) for number in range(2)])
    assert [workspace.engine(topology, spark).run_available_now().records for _ in range(2)] == [2, 0]


@pytest.mark.slow
def test_a_batch_that_does_not_end_is_canceled_by_a_stop_and_repeated_by_the_next_run(
    workspace: Workspace, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eddyline.adapters.spark.engine._STOP_GRACE_S", 0.5)
    begun, go_on = workspace.folder / "begun", workspace.folder / "go-on"

    def wait(value: str) -> str:
        begun.touch()
        while value == "b" and not go_on.exists():
            time.sleep(0.01)
        return value

    builder = TopologyBuilder()
    lines = builder.stream("lines", key=str, value=str)
    lines.group_by_key().reduce(lambda value, new: value + wait(new), store="joined").to_stream().to("joined")
    topology = builder.build()
    workspace.append("lines", 1, [SinkRecord("lines", b"k", b"a", 1)])
    workspace.engine(topology, spark).run_available_now()
    begun.unlink(missing_ok=True)
    workspace.append("lines", 1, [SinkRecord("lines", b"k", b"b", 2)])
    engine = workspace.engine(topology, spark)
    engine.start()
    until(begun.exists)
    engine.stop()
    assert engine.report.batches == 0
    go_on.touch()
    workspace.append("lines", 1, [SinkRecord("lines", b"k", b"c", 3)])
    report = workspace.engine(topology, spark).run_available_now()
    assert report.records == 2
    assert workspace.records("joined")[-1].value == b"abc"
