"""On Spark the changelogs of stores are written with the results of each slot."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.rocksdb.state_store import RocksDBStateStores
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.ports.state_stores import StateStores
from eddyline.application.runtime.plan.changelogs import ChangelogEntry
from eddyline.application.topology import Topology, TopologyBuilder, tumbling
from tests.adapters.spark.in_process import InProcessRun
from tests.adapters.spark.random_topologies import random_input, random_topology
from tests.adapters.spark.running import Workspace
from tests.runtime.changelogs import entries, progress, rebuilt


def counted(*queryable: str) -> Topology:
    """Return a topology with stores in two sub-topologies."""
    builder = TopologyBuilder()
    builder.queryable(*queryable)
    lines = builder.stream("lines", key=str, value=str)
    lines.group_by_key().windowed_by(tumbling(10, grace=0)).count(store="windows").to_stream().to("windowed")
    lines.select_key(_value, key=str).group_by_key().count(store="words").to_stream().to("counts")
    return builder.build()


def _value(_key: str, value: str) -> str:
    return value


def log_of(records: int, partitions: int = 3) -> MemoryEventLog:
    log = MemoryEventLog()
    log.create_topic("lines", partitions)
    append(log, records)
    return log


def append(log: MemoryEventLog, records: int, start: int = 0) -> None:
    for number in range(start, start + records):
        log.append("lines", b"k%d" % (number % 7), b"w%d" % (number % 5), number, partition=number % 7 % 3)


def in_random_topology(seed: int, failure_rate: float, cache_loss_rate: float, stores: StateStores | None = None) -> InProcessRun:
    """Run a random topology over random input, with changelogs of all its stores."""
    topology, codecs, log = random_topology(seed), JsonCodecs(), MemoryEventLog()
    types = {spec.name: spec for spec in topology.source_topics}
    for topic in types:
        log.create_topic(topic, 2)
    for arrival, (topic, key, value, timestamp) in enumerate(random_input(seed, 150)):
        if topic in types:
            own = codecs.for_key(topic, types[topic].key_type).encode(key)
            content = codecs.for_value(topic, types[topic].value_type).encode(value)
            log.append(topic, own, content, timestamp, partition=len(own or b"") % 2, arrival=arrival)
    changelogs = tuple(_changelogs(topology))
    run = InProcessRun(topology, log, seed=seed, codecs=codecs, stores=stores or MemoryStateStores(), changelog_stores=changelogs)
    return run.run(max_batch_records=20, failure_rate=failure_rate, cache_loss_rate=cache_loss_rate)


def _updates(run: InProcessRun, store: str) -> list[list[ChangelogEntry]]:
    """Return the entries with values; when a store notices that entries have expired depends on its worker."""
    return [[entry for entry in part if entry.value is not None] for part in entries(run.log, store)]


def _changelogs(topology: Topology) -> list[str]:
    return [name for sub in topology.sub_topologies for name in sub.stores]


@pytest.mark.parametrize("seed", range(12))
def test_a_changelog_has_each_change_once_however_often_batches_are_repeated(seed: int) -> None:
    calm, eventful = in_random_topology(seed, 0.0, 0.0), in_random_topology(seed, 0.4, 0.4)
    for name in _changelogs(calm.topology):
        assert rebuilt(eventful.log, eventful.topology, name) == eventful.store(name), name
        assert _updates(eventful, name) == _updates(calm, name), name


@pytest.mark.parametrize("seed", range(4))
def test_stores_on_the_local_disk_have_the_changes_of_stores_in_memory(seed: int, quick_disk: Path) -> None:
    stores = RocksDBStateStores(JsonCodecs(), quick_disk, cache_max_bytes=1)
    calm, eventful = in_random_topology(seed, 0.0, 0.0), in_random_topology(seed, 0.2, 0.2, stores)
    eventful.close()
    assert eventful.report.drops == calm.report.drops
    for name in _changelogs(calm.topology):
        assert eventful.store(name) == calm.store(name), name
        assert rebuilt(eventful.log, eventful.topology, name) == calm.store(name), name
        assert _updates(eventful, name) == _updates(calm, name), name


def test_a_queryable_store_has_a_changelog_without_the_setting() -> None:
    run = InProcessRun(counted("words"), log_of(30)).run()
    assert rebuilt(run.log, run.topology, "words") == run.store("words")
    assert [topic for topic in run.log.topics() if topic.endswith("-changelog")] == ["app-words-changelog"]


def test_each_task_writes_its_progress_in_each_batch_also_without_input() -> None:
    log = log_of(30)
    run = InProcessRun(counted(), log, changelog_stores="all").run()
    log.append("lines", b"k0", b"w0", 50, partition=0)
    run.run()
    for store in ("windows", "words"):
        for part in progress(log, store):
            assert [(found.batch, found.offsets) for found in part] == [
                (0, {"lines": [13, 9, 8]}),
                (1, {"lines": [14, 9, 8]}),
            ]
            assert all(found.time_ms > 0 for found in part)
    assert [part[-1].stream_time for part in progress(log, "windows")] == [50, 29, 26]


def test_offsets_of_batches_with_more_records_are_those_of_the_last_complete_batch() -> None:
    log = log_of(30)
    run = InProcessRun(counted(), log, changelog_stores="all").run()
    append(log, 30, start=30)
    run.run(max_batch_records=10)
    (found, *others) = progress(log, "words")
    complete = [13, 9, 8]
    end = [log.end_offset("lines", number) for number in range(3)]
    assert [record.offsets["lines"] for record in found] == [complete, complete, complete, end]
    assert all([record.offsets for record in part] == [record.offsets for record in found] for part in others)


def test_by_arrival_the_changes_are_written_after_the_results() -> None:
    log = MemoryEventLog()
    log.create_topic("lines", 2)
    for number in range(10):
        log.append("lines", b"k%d" % (number % 3), b"w", number, partition=number % 2, arrival=number)
    run = InProcessRun(counted(), log, order="arrival", changelog_stores="all").run(max_batch_records=4)
    for store in ("windows", "words"):
        assert rebuilt(log, counted(), store) == run.store(store)
        assert [found.batch for found in progress(log, store)[1]] == [0, 1, 2]


def test_the_counts_of_a_run_are_those_of_its_results() -> None:
    run = InProcessRun(counted(), log_of(20), changelog_stores="all").run()
    assert set(run.report.written) == {"windowed", "counts"}


def _lines(start: int, count: int) -> list[SinkRecord]:
    numbers = range(start, start + count)
    return [SinkRecord("lines", b"k%d" % (number % 7), b"w%d" % (number % 5), number) for number in numbers]


@pytest.mark.spark
def test_a_store_rebuilt_from_its_changelog_equals_the_store_after_restarts_and_a_repeated_batch(
    tmp_path: Path, spark: SparkSession
) -> None:
    workspace, topology = Workspace(tmp_path), counted()
    workspace.append("lines", 3, _lines(0, 40))
    assert workspace.engine(topology, spark, changelog_stores="all", max_batch_records=15).run_available_now().batches == 3
    once = entries(workspace.log, "words")
    (last,) = sorted((workspace.checkpoint / "spark/commits").glob("2"))
    last.unlink()
    (last.parent / f".{last.name}.crc").unlink(missing_ok=True)
    assert workspace.engine(topology, spark, changelog_stores="all").run_available_now().batches == 1
    assert entries(workspace.log, "words") == once
    workspace.append("lines", 3, _lines(40, 20))
    workspace.engine(topology, spark, changelog_stores="all").run_available_now()

    log = MemoryEventLog()
    log.create_topic("lines", 3)
    for record in workspace.records("lines"):
        log.append(*record[:1], record.key, record.value, record.timestamp, partition=record.partition)
    expected = InProcessRun(topology, log).run()
    for store in ("windows", "words"):
        assert rebuilt(workspace.log, topology, store) == expected.store(store)
        parts = progress(workspace.log, store)
        ends = [workspace.log.end_offset("lines", number) for number in range(3)]
        assert [(part[-1].batch, part[-1].offsets) for part in parts] == [(3, {"lines": ends})] * 3
        assert [found.batch for found in parts[0]] == [0, 1, 2, 3]
        assert parts[0][0].offsets == {"lines": [0, 0, 0]}
        assert all(1_700_000_000_000 < found.time_ms < 10_000_000_000_000 for found in parts[0])
