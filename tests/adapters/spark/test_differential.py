"""For random topologies, Spark with n tasks and a restart has the same output, drops and stores as the memory engine with n."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.rocksdb.state_store import RocksDBStateStores
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.runtime.plan.partitioner import partition_for
from eddyline.application.runtime.plan.topic_types import store_types
from eddyline.application.runtime.progress.store_changes import StoreChanges
from eddyline.application.runtime.progress.store_rows import rows_of
from eddyline.application.topology import Topology
from eddyline.testing import MemoryEngine
from tests.adapters.spark.random_topologies import Input, random_input, random_topology
from tests.runtime.changelogs import rebuilt
from tests.runtime.plans import memory_ports

pytestmark = pytest.mark.spark

PARTITIONS = 3
CODECS = JsonCodecs()
Updates: TypeAlias = dict[bytes | None, list[tuple[bytes | None, int]]]


@pytest.mark.parametrize(
    ("seed", "stores"),
    [*(pytest.param(seed, "memory", marks=pytest.mark.slow) for seed in (0, 1, 2, 7, 9, 12)), (5, "memory"), (17, "rocksdb")],
)
def test_both_engines_agree(seed: int, stores: str, spark: SparkSession, tmp_path: Path) -> None:
    topology = random_topology(seed)
    source_topics = {spec.name for spec in topology.source_topics}
    records = [record for record in random_input(seed, 200) if record[0] in source_topics]
    memory = MemoryEngine(topology, partitions=PARTITIONS, codecs=CODECS)
    for topic, key, value, timestamp in records:
        memory.pipe(topic, key, value, timestamp, partition=_partition(key))

    log, store_changes, drops = MemoryEventLog(), StoreChanges(), Counter[tuple[str, str]]()
    for topic in source_topics:
        log.create_topic(topic, PARTITIONS)
    ports = memory_ports(log, codecs=CODECS, sink=FileEventSink(tmp_path / "out"))
    if stores == "rocksdb":
        ports = replace(ports, stores=RocksDBStateStores(CODECS, tmp_path / "stores", cache_max_bytes=1 << 20))
    middle = len(records) // 2
    for start, end in ((0, middle), (middle, len(records))):
        _append(log, topology, records, start, end)
        engine = SparkEngine(
            topology,
            ports,
            RunOptions(application_id="differential", emit="every-update", order="arrival", changelog_stores="all"),
            checkpoint_dir=tmp_path / "checkpoint",
            store_changes=store_changes,
            session=spark,
        )
        drops += engine.run_available_now().drops

    assert _updates_in_files(tmp_path / "out") == _updates_in_memory(topology, memory)
    assert drops == memory.drops
    written = FileEventLog(tmp_path / "out")
    assert (tmp_path / "stores").exists() == (stores == "rocksdb")
    for name, spec in topology.stores.items():
        assert _rows(topology, name, store_changes) == memory.store(name), name
        if not spec.internal:
            assert rebuilt(written, topology, name, CODECS, "differential") == memory.store(name), name


def _partition(key: str | None) -> int:
    return 0 if key is None else partition_for(key.encode(), PARTITIONS)


def _append(log: MemoryEventLog, topology: Topology, records: list[Input], start: int, end: int) -> None:
    types = {spec.name: (spec.key_type, spec.value_type) for spec in topology.source_topics}
    for arrival in range(start, end):
        topic, key, value, timestamp = records[arrival]
        key_bytes = CODECS.for_key(topic, types[topic][0]).encode(key)
        value_bytes = CODECS.for_value(topic, types[topic][1]).encode(value)
        log.append(topic, key_bytes, value_bytes, timestamp, partition=_partition(key), arrival=arrival)


def _updates_in_files(folder: Path) -> Updates:
    log, updates = FileEventLog(folder), Updates()
    for number in range(log.partitions("out")):
        for batch in log.read("out", number, 0, log.end_offset("out", number)):
            for record in batch:
                updates.setdefault(record.key, []).append((record.value, record.timestamp))
    return updates


def _updates_in_memory(topology: Topology, engine: MemoryEngine) -> Updates:
    (spec,) = topology.sink_topics
    key, value, updates = CODECS.for_key("out", spec.key_type), CODECS.for_value("out", spec.value_type), Updates()
    for output in engine.outputs("out"):
        updates.setdefault(key.encode(output.key), []).append((value.encode(output.value), output.timestamp))
    return updates


def _rows(topology: Topology, name: str, store_changes: StoreChanges) -> list[Any]:
    key_type, value_type = store_types(topology.stores[name])
    key, value = CODECS.for_state(key_type), CODECS.for_state(value_type)
    entries = store_changes.entries(name) if name in store_changes.stores() else iter(())
    return rows_of(topology.stores[name], (StoreChange(key.decode(e.key), value.decode(e.value)) for e in entries))
