"""Topologies that nobody chose: Spark with n tasks, restarted in the middle, gives what the memory engine gives with n."""

from collections import Counter
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.read_model import MemoryReadModel
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.options import RunOptions, RunPorts
from eddyline.application.runtime.partitioner import partition_for
from eddyline.application.runtime.store_rows import rows_of
from eddyline.application.runtime.task_stores import store_types
from eddyline.application.topology import Topology
from tests.adapters.spark.random_topologies import Given, given, topology

pytestmark = pytest.mark.spark

PARTITIONS = 3
CODECS = JsonCodecs()
Updates: TypeAlias = dict[bytes | None, list[tuple[bytes | None, int]]]


@pytest.mark.parametrize("seed", [0, 1, 2, 5, 7, 9, 12, 17])
def test_both_engines_give_the_same(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    built = topology(seed)
    read = {spec.name for spec in built.source_topics}
    records = [record for record in given(seed, 200) if record[0] in read]
    memory = MemoryEngine(built, partitions=PARTITIONS, codecs=CODECS)
    for topic, key, value, timestamp in records:
        memory.pipe(topic, key, value, timestamp, partition=_partition(key))

    log, read_model, drops = MemoryEventLog(), MemoryReadModel(), Counter[tuple[str, str]]()
    for topic in read:
        log.create_topic(topic, PARTITIONS)
    middle = len(records) // 2
    for begin, end in ((0, middle), (middle, len(records))):
        _append(log, built, records, begin, end)
        engine = SparkEngine(
            built,
            RunPorts(log, FileEventSink(tmp_path / "out"), CODECS, MemoryStateStores()),
            RunOptions(application_id="differential", emit="every-update", order="arrival"),
            checkpoint_dir=tmp_path / "checkpoint",
            read_model=read_model,
            session=spark,
        )
        drops += engine.run_available_now().drops

    assert _updates_on_files(tmp_path / "out") == _updates_in_memory(built, memory)
    assert drops == memory.drops
    for name in built.stores:
        assert _rows(built, name, read_model) == memory.store(name), name


def _partition(key: str | None) -> int:
    return 0 if key is None else partition_for(key.encode(), PARTITIONS)


def _append(log: MemoryEventLog, built: Topology, records: list[Given], begin: int, end: int) -> None:
    types = {spec.name: (spec.key_type, spec.value_type) for spec in built.source_topics}
    for arrival in range(begin, end):
        topic, key, value, timestamp = records[arrival]
        key_bytes = CODECS.for_key(topic, types[topic][0]).encode(key)
        value_bytes = CODECS.for_value(topic, types[topic][1]).encode(value)
        log.append(topic, key_bytes, value_bytes, timestamp, partition=_partition(key), arrival=arrival)


def _updates_on_files(folder: Path) -> Updates:
    log, found = FileEventLog(folder), Updates()
    for number in range(log.partitions("out")):
        for batch in log.read("out", number, 0, log.end_offset("out", number)):
            for record in batch:
                found.setdefault(record.key, []).append((record.value, record.timestamp))
    return found


def _updates_in_memory(built: Topology, engine: MemoryEngine) -> Updates:
    (spec,) = built.sink_topics
    key, value, found = CODECS.for_key("out", spec.key_type), CODECS.for_value("out", spec.value_type), Updates()
    for output in engine.outputs("out"):
        found.setdefault(key.encode(output.key), []).append((value.encode(output.value), output.timestamp))
    return found


def _rows(built: Topology, name: str, read_model: MemoryReadModel) -> list[Any]:
    key_type, value_type = store_types(built.stores[name])
    key, value = CODECS.for_state(key_type), CODECS.for_state(value_type)
    entries = read_model.entries(name) if name in read_model.stores() else iter(())
    return rows_of(built.stores[name], (StoreChange(key.decode(e.key), value.decode(e.value)) for e in entries))
