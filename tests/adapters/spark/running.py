"""What the tests of the engine share: topics on files, engines over them, and what came of it."""

import json
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from pyspark.sql import SparkSession

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.options import RunOptions, RunPorts
from eddyline.application.runtime.partitioner import partition_for
from eddyline.application.topology import Topology

TICKERS = [f"T{number}" for number in range(12)]


class Place:
    """A folder with topics and checkpoints."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log, self.sink = FileEventLog(folder / "topics"), FileEventSink(folder / "topics")
        self._written = 0

    def add(self, topic: str, partitions: int, records: Iterable[SinkRecord]) -> None:
        """Appends records to a topic, made where it is missing."""
        self.sink.create_topic(topic, partitions)
        self.sink.write("test", 0, self._written, list(records))
        self._written += 1

    def engine(self, topology: Topology, session: SparkSession | None = None, **given: Any) -> SparkEngine:
        """An engine over the topics of this place; `given` may have fields of RunOptions too, and `codecs`."""
        options = {name: given.pop(name) for name in tuple(given) if name in RunOptions.__dataclass_fields__}
        ports = RunPorts(self.log, self.sink, given.pop("codecs", JsonCodecs()), MemoryStateStores())
        run = RunOptions(**{"application_id": "app", "new_topic_partitions": 2, **options})
        return SparkEngine(topology, ports, run, session=session, **{"checkpoint_dir": self.folder / "checkpoint", **given})

    def records(self, topic: str) -> list[LogRecord]:
        """All records of a topic, partition by partition."""
        if topic not in self.log.topics():
            return []
        return [
            record
            for number in range(self.log.partitions(topic))
            for batch in self.log.read(topic, number, 0, self.log.end_offset(topic, number))
            for record in batch
        ]


def trades(count: int, *, seed: int = 1, lateness_ms: int = 3_000) -> list[SinkRecord]:
    """Trades over some seconds: 5 % out of order, some of them late."""
    rng = Random(seed)
    found = []
    for number in range(count):
        ticker = rng.choice(TICKERS)
        late = rng.randrange(lateness_ms * 5) if rng.random() < 0.05 else 0
        value = {"type": "trade", "ticker": ticker, "price": rng.randrange(1, 100)}
        found.append(SinkRecord("trades", ticker.encode(), json.dumps(value).encode(), 1_700_000_000_000 + number * 10 - late))
    return found


def in_memory(topology: Topology, topic: str, records: Iterable[SinkRecord], partitions: int, **options: Any) -> MemoryEngine:
    """The memory engine after the same records, with as many tasks."""
    engine = MemoryEngine(topology, partitions=partitions, **options)
    spec = next(spec for spec in topology.source_topics if spec.name == topic)
    key, value = JsonCodecs().for_key(topic, spec.key_type), JsonCodecs().for_value(topic, spec.value_type)
    for record in records:
        place = partition_for(record.key, partitions) if record.key is not None else 0
        engine.pipe(topic, key.decode(record.key), value.decode(record.value), record.timestamp, partition=place)
    engine.commit()
    return engine


def updates(records: Iterable[LogRecord]) -> dict[bytes | None, list[tuple[int, Any]]]:
    """The updates of each key, in order."""
    found: dict[bytes | None, list[tuple[int, Any]]] = {}
    for record in records:
        found.setdefault(record.key, []).append((record.timestamp, json.loads(record.value or b"null")))
    return found


def updates_in_memory(topology: Topology, engine: MemoryEngine, topic: str) -> dict[bytes | None, list[tuple[int, Any]]]:
    """The updates of each key that the memory engine gave, as a sink would have them."""
    spec = next(spec for spec in topology.sink_topics if spec.name == topic)
    key, value = JsonCodecs().for_key(topic, spec.key_type), JsonCodecs().for_value(topic, spec.value_type)
    found: dict[bytes | None, list[tuple[int, Any]]] = {}
    for record in engine.outputs(topic):
        update = (record.timestamp, json.loads(value.encode(record.value) or b"null"))
        found.setdefault(key.encode(record.key), []).append(update)
    return found
