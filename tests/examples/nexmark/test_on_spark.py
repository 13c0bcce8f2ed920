"""The NEXMark queries on Spark, most of them in one topology, end with the rows of Flink SQL."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from nexmark.flows import QUERIES
from nexmark.generator import side_rows
from pyspark.sql import SparkSession

from eddyline import TopologyBuilder
from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.application.runtime.options import LogClock, RunOptions, RunPorts
from eddyline.application.topology import Topology
from tests.examples.nexmark.rows import DATA_SETS, Bag, answers, written_rows

pytestmark = pytest.mark.spark
DATA_SET = "public-2"
CLOCK = "clock"


def topology_of(*queries: str) -> Topology:
    """Return a topology with several queries; what they read is read once."""
    builder = TopologyBuilder()
    for query in queries:
        QUERIES[query](builder)
    return builder.build()


def write_log(folder: Path) -> None:
    """Write the events to topics of one partition, numbered in the order of their arrival; a clock shows when each arrives."""
    lines: dict[str, list[str]] = {topic: [] for topic in (CLOCK, "person", "auction", "bid", "side_input")}
    events = list(DATA_SETS[DATA_SET].arrivals())

    def add(topic: str, key: str | None, value: object, timestamp: int, arrival: int) -> None:
        record = {"timestamp": timestamp, "key": key, "value": value, "arrival": arrival}
        lines[topic].append(json.dumps(record) + "\n")

    for key, value in side_rows():
        add("side_input", str(key), value, events[0].timestamp, 0)
    for number, event in enumerate(events, start=1):
        add(CLOCK, None, None, event.arrival, 2 * number)
        add(event.topic, str(event.key), event.json_value(), event.timestamp, 2 * number + 1)
    for topic, records in lines.items():
        path = folder / topic / "partition-0.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text("".join(records))


def rows_on_spark(session: SparkSession, folder: Path, queries: tuple[str, ...], *, clock: bool = False) -> Mapping[str, Bag]:
    """Return the final rows of queries that run together, in two batches."""
    topology, codecs = topology_of(*queries), JsonCodecs()
    write_log(folder / "in")
    SparkEngine(
        topology,
        RunPorts(FileEventLog(folder / "in"), FileEventSink(folder / "out"), codecs, MemoryStateStores()),
        RunOptions(
            application_id="nexmark",
            emit="latest",
            max_batch_records=6_000,
            new_topic_partitions=1,
            order="arrival" if clock else "timestamp",
            clock=LogClock(CLOCK) if clock else None,
        ),
        checkpoint_dir=folder / "checkpoint",
        session=session,
    ).run_available_now()
    return written_rows(FileEventLog(folder / "out"), topology, codecs, DATA_SET)


@pytest.fixture(scope="module")
def found(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Bag]:
    """Return the final rows of all queries but q12; q8 merges the streams that q3 joins, which is a cycle in one topology."""
    together = tuple(query for query in QUERIES if query not in {"q8", "q12"})
    rows = rows_on_spark(spark, tmp_path_factory.mktemp("together"), together)
    return {**rows, **rows_on_spark(spark, tmp_path_factory.mktemp("alone"), ("q8",))}


@pytest.mark.parametrize("query", [query for query in QUERIES if query != "q12"])
def test_the_final_rows_are_those_of_flink_sql(query: str, found: Mapping[str, Bag]) -> None:
    assert found[query] == answers(DATA_SET)[query].rows


def test_windows_of_the_wall_clock_have_the_rows_of_flink_sql(spark: SparkSession, tmp_path: Path) -> None:
    found = rows_on_spark(spark, tmp_path, ("q12",), clock=True)
    assert found["q12"] == answers(DATA_SET)["q12"].rows
