"""The Spark engine, from files to files."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.read_model import MemoryReadModel
from eddyline.adapters.registry.errors import RegistryUnavailableError
from eddyline.adapters.spark.driver.checkpoint import CheckpointError
from eddyline.adapters.spark.failures import EngineError
from eddyline.application.ports.codec import Codec
from eddyline.application.ports.event_log import UnknownTopicError
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.report import Progress
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology import Topology, TopologyBuilder
from tests.adapters.spark.running import Place, in_memory, trades, updates, updates_in_memory

pytestmark = pytest.mark.spark


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    """Waits for something to become true."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_tables_and_drops_are_those_of_the_memory_engine_with_as_many_tasks(
    place: Place, spark: SparkSession, partitions: int
) -> None:
    topology, given = find_flow("stock-stats").topology(grace_ms=1_000), trades(4_000)
    place.add("trades", partitions, given)
    memory = in_memory(topology, "trades", given, partitions)
    read_model, reached = MemoryReadModel(), list[Progress]()
    report = place.engine(topology, spark, read_model=read_model, max_batch_records=1_500).run_available_now(
        lambda progress, _report: reached.append(progress)
    )
    assert {key: all_[-1] for key, all_ in updates(place.records("stock-stats")).items()} == {
        key: all_[-1] for key, all_ in updates_in_memory(topology, memory, "stock-stats").items()
    }
    assert len(list(read_model.entries("trade-aggregates"))) == len(memory.store("trade-aggregates"))
    assert report.drops == memory.drops
    assert sum(report.drops.values()) > 0
    assert report.records == len(given)
    assert report.written["stock-stats"] == len(place.records("stock-stats"))
    assert [progress.done for progress in reached] == sorted(progress.done for progress in reached)
    assert (reached[-1].done, reached[-1].total) == (len(given), len(given))
    assert report.batches == len(reached) >= 3


def test_a_later_run_goes_on_where_the_one_before_ended(place: Place, spark: SparkSession) -> None:
    topology = find_flow("word-count").topology()
    lines = [SinkRecord("text-lines", None, f"the word{number % 7} and {number % 3}".encode(), number) for number in range(60)]
    place.add("text-lines", 3, lines[:25])
    first = place.engine(topology, spark, emit="every-update").run_available_now()
    place.add("text-lines", 3, lines[25:])
    second = place.engine(topology, spark, emit="every-update").run_available_now()
    assert (first.records, second.records) == (25, 35)
    memory = in_memory(topology, "text-lines", lines, 1)
    assert {key: all_[-1][1] for key, all_ in updates(place.records("word-counts")).items()} == {
        key: all_[-1][1] for key, all_ in updates_in_memory(topology, memory, "word-counts").items()
    }
    assert len(place.records("word-counts")) == len(memory.outputs("word-counts"))


def test_bad_lines_go_to_the_dead_letters_and_are_counted(place: Place, spark: SparkSession) -> None:
    place.add("trades", 1, trades(5, lateness_ms=1))
    with (place.folder / "topics" / "trades" / "partition-0.jsonl").open("ab") as handle:
        handle.write(b"this is no record\n")
    place.add("trades", 1, [SinkRecord("trades", b"T1", b"{torn", 7), *trades(5, lateness_ms=1)])
    report = place.engine(find_flow("stock-stats").topology(), spark).run_available_now()
    assert {letter.value for letter in place.records("app-dead-letters")} == {b"this is no record", b"{torn"}
    assert (report.records, report.dead_letters) == (10, 2)


def test_a_flow_without_state_needs_no_stage(place: Place, spark: SparkSession) -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).filter(starts_with_a).to("a-lines")
    place.add("lines", 2, [SinkRecord("lines", b"%d" % n, value, n) for n, value in enumerate([b"ab", b"ba", b"aa"])])
    place.engine(builder.build(), spark).run_available_now()
    assert sorted(record.value or b"" for record in place.records("a-lines")) == [b"aa", b"ab"]


def starts_with_a(_key: str, value: str) -> bool:
    return value.startswith("a")


def test_wall_clock_punctuation_fires_without_data_and_stop_is_graceful(place: Place, spark: SparkSession) -> None:
    place.add("product-views", 1, [SinkRecord("product-views", b"lamp", b"1", 5)])
    engine = place.engine(
        find_flow("product-counter").topology(punctuation="wall", interval_ms=300), spark, trigger_interval_ms=100
    )
    engine.start()
    until(lambda: len(place.records("product-counts")) >= 3)
    engine.stop()
    counted = place.records("product-counts")
    assert {record.value for record in counted} == {b"1"}
    assert len({record.timestamp for record in counted}) == len(counted)
    assert engine.await_termination(0)


def test_partitions_that_a_topic_gets_while_the_flow_runs_are_read(place: Place, spark: SparkSession) -> None:
    place.add("product-views", 1, [SinkRecord("product-views", b"lamp", b"1", 5)])
    engine = place.engine(find_flow("product-counter").topology(), spark, trigger_interval_ms=100)
    engine.start()
    until(lambda: engine.report.records == 1)
    (place.folder / "topics" / "product-views" / "partition-1.jsonl").touch()
    place.add("product-views", 2, [SinkRecord("product-views", b"desk", b"1", 6_000, partition=1)])
    until(lambda: {record.key for record in place.records("product-counts")} >= {b"desk"})
    engine.stop()
    assert engine.report.records == 2


def test_available_now_ends_where_the_wall_clock_goes_on(place: Place, spark: SparkSession) -> None:
    place.add("product-views", 1, [SinkRecord("product-views", b"lamp", b"1", 5)])
    topology = find_flow("product-counter").topology(punctuation="wall", interval_ms=100)
    assert place.engine(topology, spark).run_available_now().records == 1


class _DownForAWhile(JsonCodecs):
    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def for_value(self, topic: str, value_type: Any) -> Codec:
        if not (self._folder / "up").exists():
            (self._folder / "up").touch()
            raise RegistryUnavailableError("the registry is down")
        return super().for_value(topic, value_type)


def test_a_batch_is_repeated_when_a_codec_could_not_work_for_a_while(place: Place, spark: SparkSession) -> None:
    place.add("trades", 1, trades(20))
    engine = place.engine(find_flow("stock-stats").topology(), spark, codecs=_DownForAWhile(place.folder))
    assert engine.run_available_now().records == 20
    assert place.records("app-dead-letters") == []


def fail(_key: str, value: str) -> str:
    raise ValueError(f"cannot map {value!r}")


def test_a_failing_step_ends_the_run_with_its_own_message(place: Place, spark: SparkSession) -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).map_values(fail, with_key=True).to("out")
    place.add("lines", 1, [SinkRecord("lines", b"k", b"v", 1)])
    with pytest.raises(EngineError, match="ValueError: cannot map 'v'"):
        place.engine(builder.build(), spark).run_available_now()


def test_a_missing_topic_is_named(place: Place, spark: SparkSession) -> None:
    with pytest.raises(UnknownTopicError, match="trades"):
        place.engine(find_flow("stock-stats").topology(), spark).run_available_now()


def test_a_checkpoint_of_another_topology_is_refused_with_the_cure(place: Place, spark: SparkSession) -> None:
    place.add("lines", 1, [])
    place.add("others", 1, [])
    place.engine(copied("lines"), spark).run_available_now()
    with pytest.raises(CheckpointError, match=r"sub-topologies .*choose another application.id, or reset"):
        place.engine(copied("others"), spark).run_available_now()


def test_two_runs_of_one_checkpoint_at_once_are_refused(place: Place, spark: SparkSession) -> None:
    place.add("lines", 1, [])
    first = place.engine(copied("lines"), spark)
    first.start()
    with pytest.raises(CheckpointError, match="in use"):
        place.engine(copied("lines"), spark).start()
    first.stop()


def copied(topic: str) -> Topology:
    builder = TopologyBuilder()
    builder.stream(topic, key=str, value=str).to("copy")
    return builder.build()
