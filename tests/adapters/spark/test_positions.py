"""Positions of a flow on Spark: in new partitions, and in a log that does not have them any more."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.spark.failures import EngineError
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.options import AutoOffsetReset
from tests.adapters.spark.running import Workspace
from tests.adapters.spark.topologies import copied

pytestmark = pytest.mark.spark


def line(value: str, *, partition: int = 0) -> SinkRecord:
    return SinkRecord("lines", b"k", value.encode(), 5, partition=partition)


def results(workspace: Workspace) -> list[bytes | None]:
    return sorted((record.value for record in workspace.records("copy")), key=str)


def test_a_partition_that_appears_while_a_flow_runs_is_read_from_its_beginning(tmp_path: Path, spark: SparkSession) -> None:
    workspace = Workspace(tmp_path)
    workspace.append("lines", 1, [line("a")])
    engine = workspace.engine(copied("lines"), spark, trigger_interval_ms=50)
    appeared = False

    def add_partition(_progress: object, _report: object) -> None:
        nonlocal appeared
        if not appeared:
            appeared = True
            (tmp_path / "topics/lines/partition-1.jsonl").write_text('{"timestamp": 5, "key": "k", "value": "b"}\n' * 3)
        if len(results(workspace)) >= 4:
            engine.stop()

    engine.run(add_partition)
    assert results(workspace) == [b"a", b"b", b"b", b"b"]
    workspace.append("lines", 1, [line("c", partition=1)])
    (tmp_path / "topics/lines/partition-2.jsonl").write_text('{"timestamp": 5, "key": "k", "value": "d"}\n')
    assert workspace.engine(copied("lines"), spark).run_available_now().records == 2
    assert results(workspace) == [b"a", b"b", b"b", b"b", b"c", b"d"]


@pytest.mark.parametrize(
    ("policy", "copied_again", "skipped"), [("earliest", 2, 0), pytest.param("latest", 0, 2, marks=pytest.mark.slow)]
)
def test_a_position_beyond_the_end_is_an_error_unless_its_reset_is_accepted(
    tmp_path: Path, spark: SparkSession, policy: AutoOffsetReset, copied_again: int, skipped: int
) -> None:
    workspace, topology = Workspace(tmp_path), copied("lines")
    workspace.append("lines", 1, [line(f"{number}") for number in range(5)])
    assert workspace.engine(topology, spark).run_available_now().records == 5
    partition = tmp_path / "topics/lines/partition-0.jsonl"
    partition.write_bytes(b"".join(partition.read_bytes().splitlines(keepends=True)[:2]))
    with pytest.raises(EngineError, match="'lines', partition 0: the flow is at offset 5, but the log has 0 to 2: the topic"):
        workspace.engine(topology, spark).run_available_now()
    report = workspace.engine(topology, spark, auto_offset_reset=policy).run_available_now()
    assert report.skipped == {TopicPartition("lines", 0): skipped}
    assert len(results(workspace)) == 5 + copied_again
    with partition.open("a") as file:
        file.write('{"timestamp": 5, "key": "k", "value": "next"}\n')
    assert workspace.engine(topology, spark).run_available_now().records == 1
