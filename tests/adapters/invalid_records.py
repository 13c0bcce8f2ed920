"""Helpers of the tests with records that cannot be decoded: a topology, input with valid and invalid records, and checks."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pyspark.sql import SparkSession

from eddyline.adapters.container import Container
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.run import MemoryRun
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.application.operations.dead_letter_log import DeadLetterLog
from eddyline.application.ports.event_log import EventLog, Headers, LogRecord
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.dead_letters import original_headers
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.topology import Stream, Topology, TopologyBuilder
from eddyline.domain.trading import Trade

TRADE = Trade("ASK", "MSFT", 12.5, 100)
TRACE_HEADER = ("trace", b"1")
MEGABYTES_20 = 20_000_000
DEEPLY_NESTED_JSON = b"[" * 100_000 + b"]" * 100_000


class InvalidRecord(NamedTuple):
    """The value and key of a record that cannot be decoded, and a part of the error message."""

    value: bytes | None
    reason: str
    key: bytes | None = b"invalid"


def copy_and_count_topology(topic: str, kind: type[Any] = Trade) -> Topology:
    """Return a topology that copies trades, or another kind, to `<topic>-copies` and their count by key to `<topic>-counts`."""
    builder = TopologyBuilder()
    trades: Stream[str, Any] = builder.stream(topic, key=str, value=kind)
    trades.to(f"{topic}-copies")
    trades.group_by_key().count(store="counts").to_stream().to(f"{topic}-counts")
    return builder.build()


def with_valid_records(topic: str, invalid: Mapping[str, InvalidRecord], valid: bytes | None) -> list[SinkRecord]:
    """Return records of one partition: the invalid ones, with a record of the valid value before and after each."""
    records = [SinkRecord(topic, b"valid", valid, 1_000, (TRACE_HEADER,), 0)]
    for number, (value, _, key) in enumerate(invalid.values(), 1):
        records.append(SinkRecord(topic, key, value, 1_000 + number, (TRACE_HEADER,), 0))
        records.append(SinkRecord(topic, b"valid", valid, 1_000 + number, (TRACE_HEADER,), 0))
    return records


def engine_for(
    container: Container, topology: Topology, application_id: str, folder: Path, spark: SparkSession | None
) -> MemoryRun | SparkEngine:
    """Return the Spark engine if there is a session, else the memory engine."""
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


def read_all(log: EventLog, topic: str) -> list[LogRecord]:
    """Return all records of a topic, partition by partition."""
    return [
        record
        for number in range(log.partitions(topic))
        for batch in log.read(topic, number, log.beginning_offset(topic, number), log.end_offset(topic, number))
        for record in batch
    ]


def assert_dead_letters(
    log: EventLog, application_id: str, topic: str, invalid: Sequence[InvalidRecord], headers: Headers = (TRACE_HEADER,)
) -> None:
    """Assert that there is a dead letter for every invalid record, with its raw bytes, its position and the reason."""
    letters = {letter.reason.offset: letter for letter in DeadLetterLog(log, application_id)}
    assert letters.keys() == {2 * number + 1 for number in range(len(invalid))}
    for number, (value, expected_reason, key) in enumerate(invalid):
        _, record, reason = letters[2 * number + 1]
        assert (record.key, record.value) == (key, value)
        assert (reason.topic, reason.partition) == (topic, 0)
        assert reason.exception in {"CodecError", "UnknownSchemaError", "UnreadableRecordError"}
        assert expected_reason in reason.message
        assert len(reason.message) < 1_000
        assert reason.stacktrace.startswith("Traceback (most recent call last):\n")
        assert original_headers(record.headers) == (() if reason.exception == "UnreadableRecordError" else headers)
        assert {name for name, _ in record.headers} >= {
            f"__streams.errors.{part}" for part in ("exception", "message", "stacktrace", "topic", "partition", "offset")
        }
