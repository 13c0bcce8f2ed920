"""Positions of a flow on Spark over Kafka: in a partition that appears, and where Kafka does not have them any more."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.adapters.spark.failures import EngineError
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.topology import Topology, TopologyBuilder
from tests.adapters.kafka.conftest import Write


class Copies:
    """A flow that copies two topics of Kafka to a file, on Spark."""

    def __init__(self, folder: Path, spark: SparkSession, settings: KafkaSettings, *sources: str) -> None:
        self._folder, self._spark, self._settings, self._sources = folder, spark, settings, sources
        self._topics = folder / "topics"

    def engine(self, **options: Any) -> SparkEngine:
        ports = RunPorts(KafkaEventLog(self._settings), FileEventSink(self._topics), JsonCodecs(), MemoryStateStores())
        run = RunOptions(application_id="copies", new_topic_partitions=1, trigger_interval_ms=50, **options)
        return SparkEngine(self._topology(), ports, run, checkpoint_dir=self._folder / "checkpoint", session=self._spark)

    def _topology(self) -> Topology:
        builder = TopologyBuilder()
        first, second = (builder.stream(source, key=str, value=str) for source in self._sources)
        first.merge(second).to("copy")
        return builder.build()

    def values(self) -> list[str]:
        log = FileEventLog(self._topics)
        if "copy" not in log.topics():
            return []
        return sorted((one.value or b"").decode() for batch in log.read("copy", 0, 0, log.end_offset("copy", 0)) for one in batch)

    def forget_topic_ids(self) -> None:
        """Make the checkpoint one of brokers that give topics no ids, so that a topic may be created again."""
        path = self._folder / "checkpoint" / "eddyline.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "log": None}))


def numbered(prefix: str, start: int, end: int) -> list[bytes | None]:
    return [f"{prefix}{number}".encode() for number in range(start, end)]


@pytest.mark.slow
def test_positions_in_new_partitions_and_in_partitions_that_have_lost_them(
    tmp_path: Path, spark: SparkSession, settings: KafkaSettings, topics: Topics, write: Write, name: str
) -> None:
    kept, replaced = f"{name}-kept", f"{name}-replaced"
    topics.create(kept, 1)
    topics.create(replaced, 1)
    write(kept, numbered("k", 0, 3))
    write(replaced, numbered("r", 0, 5))
    copies = Copies(tmp_path, spark, settings, kept, replaced)
    engine, appeared = copies.engine(), False

    def add_partition(_progress: object, _report: object) -> None:
        nonlocal appeared
        if not appeared:
            appeared = True
            topics.ensure_partitions(kept, 2)
            write(kept, [b"new0", b"new1"], partition=1)
        if len(copies.values()) == 10:
            engine.stop()

    engine.run(add_partition)
    copied = ["k0", "k1", "k2", "new0", "new1", "r0", "r1", "r2", "r3", "r4"]
    assert copies.values() == copied, "a partition that appears while the flow runs is read from its beginning"

    write(kept, numbered("k", 3, 7))
    topics.delete_records(kept, {0: 5})
    replace(topics, write, replaced, 2)
    copies.forget_topic_ids()
    with pytest.raises(EngineError, match=f"'{kept}', partition 0: the flow is at offset 3, but the log has 5 to 7"):
        copies.engine().run_available_now()
    report = copies.engine(auto_offset_reset="earliest").run_available_now()
    assert report.skipped == {TopicPartition(kept, 0): 2, TopicPartition(replaced, 0): 0}
    copied = sorted([*copied, "k5", "k6", "again0", "again1"])
    assert copies.values() == copied

    write(kept, numbered("k", 7, 10))
    topics.delete_records(kept, {0: 9})
    replace(topics, write, replaced, 1)
    copies.forget_topic_ids()
    report = copies.engine(auto_offset_reset="latest").run_available_now()
    assert report.skipped == {TopicPartition(kept, 0): 3, TopicPartition(replaced, 0): 1}
    assert copies.values() == copied


def replace(topics: Topics, write: Write, topic: str, count: int) -> None:
    """Create a topic again, with fewer records than before."""
    topics.delete(topic)
    topics.create(topic, 1)
    write(topic, numbered("again", 0, count))
