"""What the tests of poison share: a flow that copies and counts trades, good records around bad ones, and what became of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import SparkSession

from eddyline.adapters.container import Container
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.run import MemoryRun
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.application.operations.dead_letter_log import DeadLetterLog
from eddyline.application.ports.event_log import EventLog, Headers, LogRecord
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.dead_letters import original_headers
from eddyline.application.runtime.options import RunOptions
from eddyline.application.topology import Topology, TopologyBuilder
from eddyline.domain.trading import Trade

GOOD = Trade("ASK", "MSFT", 12.5, 100)
TRACE = ("trace", b"1")
MEGABYTES_20 = 20_000_000
DEEP = b"[" * 100_000 + b"]" * 100_000


class Bad(NamedTuple):
    """A record that cannot be decoded, and words that its reason must have."""

    value: bytes | None
    why: str
    key: bytes | None = b"bad"


def copied_and_counted(topic: str) -> Topology:
    """Trades of the topic to `<topic>-copies`, and how many each key has had to `<topic>-counts`."""
    builder = TopologyBuilder()
    trades = builder.stream(topic, key=str, value=Trade)
    trades.to(f"{topic}-copies")
    trades.group_by_key().count(store="counts").to_stream().to(f"{topic}-counts")
    return builder.build()


def among_good_ones(topic: str, bad: Mapping[str, Bad], good: bytes | None) -> list[SinkRecord]:
    """A good record, then each bad one with a good one behind it, in one partition."""
    records = [SinkRecord(topic, b"good", good, 1_000, (TRACE,), 0)]
    for number, (key, value) in enumerate(((found.key, found.value) for found in bad.values()), 1):
        records.append(SinkRecord(topic, key, value, 1_000 + number, (TRACE,), 0))
        records.append(SinkRecord(topic, b"good", good, 1_000 + number, (TRACE,), 0))
    return records


def runner(
    container: Container, topology: Topology, application_id: str, folder: Path, spark: SparkSession | None
) -> MemoryRun | SparkEngine:
    """What runs the flow: Spark where there is a session, else memory."""
    if spark is not None:
        engine: SparkEngine = container.spark_engine(
            topology, options=container.options(application_id=application_id), checkpoint_dir=folder, session=spark
        )
        return engine
    return MemoryRun(
        topology,
        container.ports(),
        RunOptions(application_id=application_id, emit="every-update", new_topic_partitions=2),
        MemoryClock(5_000),
    )


def everything(log: EventLog, topic: str) -> list[LogRecord]:
    """All records of a topic, partition by partition."""
    return [
        record
        for number in range(log.partitions(topic))
        for batch in log.read(topic, number, log.beginning_offset(topic, number), log.end_offset(topic, number))
        for record in batch
    ]


def check_letters(log: EventLog, application_id: str, topic: str, bad: Sequence[Bad], headers: Headers = (TRACE,)) -> None:
    """Every bad record is a letter of its own, with its raw bytes, its place and its reason."""
    found = {letter.reason.offset: letter for letter in DeadLetterLog(log, application_id)}
    assert found.keys() == {2 * number + 1 for number in range(len(bad))}
    for number, (value, why, key) in enumerate(bad):
        _, record, reason = found[2 * number + 1]
        assert (record.key, record.value) == (key, value)
        assert (reason.topic, reason.partition) == (topic, 0)
        assert reason.exception in {"CodecError", "UnknownSchemaError", "UnreadableRecordError"}
        assert why in reason.message
        assert len(reason.message) < 1_000
        assert reason.stacktrace.startswith("Traceback (most recent call last):\n")
        assert original_headers(record.headers) == (() if reason.exception == "UnreadableRecordError" else headers)
        assert {name for name, _ in record.headers} >= {
            f"__streams.errors.{part}" for part in ("exception", "message", "stacktrace", "topic", "partition", "offset")
        }
