"""The NEXMark queries on Spark end with the rows of Flink SQL, and those of other events with the rows of plain Python."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from nexmark.flows import QUERIES
from nexmark.generator import Simulation, side_rows
from pyspark.sql import SparkSession

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.application.runtime.plan.options import LogClock, RunOptions, RunPorts
from tests.examples.nexmark.oracle import ORACLE, History
from tests.examples.nexmark.rows import DATA_SETS, Bag, answers, bag, written_rows
from tests.examples.nexmark.topics import CLOCK, topology_of, write_log

pytestmark = pytest.mark.spark

OTHER_EVENTS = Simulation(seed=3, events=3_000, delay_us=40_000, base="2024-02-28T23:59:00Z", late_share=0.4, late_ms=3_000)
"""Two minutes around midnight, with more late events than in the data sets."""
PARTITIONS = 3
DATA_SET = pytest.mark.parametrize("data_set", [pytest.param("public-1", marks=pytest.mark.slow), "public-2"], scope="module")
TOGETHER = tuple(query for query in QUERIES if query not in {"q8", "q12"})
"""The queries of one topology: q8 merges the streams that q3 joins, which would be a cycle; q12 needs a clock."""


def rows_on_spark(
    session: SparkSession, folder: Path, simulation: Simulation, *queries: str, partitions: int = 1, clock: bool = False
) -> Mapping[str, Bag]:
    """Return the final rows of queries that run together, in several batches."""
    topology, codecs = topology_of(*queries), JsonCodecs()
    write_log(folder / "in", simulation, partitions)
    SparkEngine(
        topology,
        RunPorts(FileEventLog(folder / "in"), FileEventSink(folder / "out"), codecs, MemoryStateStores()),
        RunOptions(
            application_id="nexmark",
            emit="latest",
            max_batch_records=simulation.events * 3 // 5,
            new_topic_partitions=partitions,
            order="arrival" if clock else "timestamp",
            clock=LogClock(CLOCK) if clock else None,
        ),
        checkpoint_dir=folder / "checkpoint",
        session=session,
    ).run_available_now()
    return written_rows(FileEventLog(folder / "out"), topology, codecs)


@pytest.fixture(scope="module")
def found(data_set: str, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Bag]:
    """Return the final rows of all queries but q12 for a data set in topics of one partition."""
    folder, simulation = tmp_path_factory.mktemp(data_set), DATA_SETS[data_set]
    return {
        **rows_on_spark(spark, folder / "together", simulation, *TOGETHER),
        **rows_on_spark(spark, folder / "alone", simulation, "q8"),
    }


@DATA_SET
@pytest.mark.parametrize("query", [query for query in QUERIES if query != "q12"])
@pytest.mark.slow
def test_the_final_rows_are_those_of_flink_sql(data_set: str, query: str, found: Mapping[str, Bag]) -> None:
    assert found[query] == answers(data_set)[query].rows


@DATA_SET
def test_windows_of_the_wall_clock_have_the_rows_of_flink_sql(data_set: str, spark: SparkSession, tmp_path: Path) -> None:
    found = rows_on_spark(spark, tmp_path, DATA_SETS[data_set], "q12", clock=True)
    assert found["q12"] == answers(data_set)["q12"].rows


@pytest.mark.slow
def test_the_final_rows_of_other_events_in_several_partitions_are_those_of_a_plain_computation(
    spark: SparkSession, tmp_path: Path
) -> None:
    found = {
        **rows_on_spark(spark, tmp_path / "together", OTHER_EVENTS, *TOGETHER, partitions=PARTITIONS),
        **rows_on_spark(spark, tmp_path / "alone", OTHER_EVENTS, "q8", partitions=PARTITIONS),
        **rows_on_spark(spark, tmp_path / "clock", OTHER_EVENTS, "q12", partitions=PARTITIONS, clock=True),
    }
    history = History.of(tuple(OTHER_EVENTS.arrivals()), dict(side_rows()))
    expected = {query: bag(ORACLE[query](history)) for query in QUERIES}
    assert all(expected.values()), "each query has rows"
    assert {query for query in QUERIES if found[query] != expected[query]} == set()
