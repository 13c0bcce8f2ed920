"""Runs flows on Spark and in memory over the same records, for tests of the whole engine."""

import json
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from pyspark.sql import SparkSession

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.plan.partitioner import partition_for
from eddyline.application.topology import Topology
from eddyline.testing import MemoryEngine

TICKERS = [f"T{number}" for number in range(12)]


class Workspace:
    """A folder with topics in files and a checkpoint, and engines that run over them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.checkpoint = folder / "checkpoint"
        self.log, self.sink = FileEventLog(folder / "topics"), FileEventSink(folder / "topics")
        self._batches = 0

    def append(self, topic: str, partitions: int, records: Iterable[SinkRecord]) -> None:
        """Append records to a topic; create it if it does not exist."""
        self.sink.create_topic(topic, partitions)
        self.sink.write("test", 0, self._batches, list(records))
        self._batches += 1

    def engine(self, topology: Topology, session: SparkSession | None = None, **options: Any) -> SparkEngine:
        """Return an engine; `options` are fields of RunOptions, parameters of SparkEngine, and `codecs`."""
        run_options = {name: options.pop(name) for name in tuple(options) if name in RunOptions.__dataclass_fields__}
        ports = RunPorts(self.log, self.sink, options.pop("codecs", JsonCodecs()), MemoryStateStores())
        run = RunOptions(**{"application_id": "app", "new_topic_partitions": 2, **run_options})
        return SparkEngine(topology, ports, run, session=session, **{"checkpoint_dir": self.checkpoint, **options})

    def records(self, topic: str) -> list[LogRecord]:
        """Return the records of a topic, partition by partition; none if there is no such topic."""
        if topic not in self.log.topics():
            return []
        return [
            record
            for number in range(self.log.partitions(topic))
            for batch in self.log.read(topic, number, 0, self.log.end_offset(topic, number))
            for record in batch
        ]


def trades(count: int, *, seed: int = 1, lateness_ms: int = 3_000) -> list[SinkRecord]:
    """Return trades, 10 ms apart; 5 % are out of order by up to five times `lateness_ms`."""
    rng = Random(seed)
    records = []
    for number in range(count):
        ticker = rng.choice(TICKERS)
        late = rng.randrange(lateness_ms * 5) if rng.random() < 0.05 else 0
        value = {"type": "ASK", "ticker": ticker, "price": rng.randrange(1, 100), "size": 1}
        records.append(SinkRecord("trades", ticker.encode(), json.dumps(value).encode(), 1_700_000_000_000 + number * 10 - late))
    return records


def in_memory(topology: Topology, topic: str, records: Iterable[SinkRecord], partitions: int, **options: Any) -> MemoryEngine:
    """Return a memory engine with this many tasks that has processed the records, and by default has emitted every update."""
    engine = MemoryEngine(topology, partitions=partitions, **{"emit": "every-update", **options})
    spec = next(spec for spec in topology.source_topics if spec.name == topic)
    codecs = JsonCodecs().configured(topology.type_choices)
    key, value = codecs.for_key(topic, spec.key_type), codecs.for_value(topic, spec.value_type)
    for record in records:
        partition = partition_for(record.key, partitions) if record.key is not None else 0
        engine.pipe(topic, key.decode(record.key), value.decode(record.value), record.timestamp, partition=partition)
    engine.commit()
    return engine


def updates(records: Iterable[LogRecord]) -> dict[bytes | None, list[tuple[int, Any]]]:
    """Return the timestamps and values of each key, in order."""
    found: dict[bytes | None, list[tuple[int, Any]]] = {}
    for record in records:
        found.setdefault(record.key, []).append((record.timestamp, json.loads(record.value or b"null")))
    return found


def updates_in_memory(topology: Topology, engine: MemoryEngine, topic: str) -> dict[bytes | None, list[tuple[int, Any]]]:
    """Return what `updates` would return if the outputs of the memory engine were written to a topic."""
    spec = next(spec for spec in topology.sink_topics if spec.name == topic)
    codecs = JsonCodecs().configured(topology.type_choices)
    key, value = codecs.for_key(topic, spec.key_type), codecs.for_value(topic, spec.value_type)
    found: dict[bytes | None, list[tuple[int, Any]]] = {}
    for record in engine.outputs(topic):
        update = (record.timestamp, json.loads(value.encode(record.value) or b"null"))
        found.setdefault(key.encode(record.key), []).append(update)
    return found


def latest_counts(data: Path) -> dict[str, int]:
    """Return the latest count of each word of the flow word-count, whose topics are below a data directory."""
    records = (json.loads(line) for file in (data / "topics" / "word-counts").glob("*.jsonl") for line in file.open())
    return {record["key"]: int(record["value"]) for record in records}
