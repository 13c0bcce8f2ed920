"""A checkpoint keeps the Spark partitions that its tasks were assigned to, whatever the log has later."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.spark.driver import checkpoint
from eddyline.adapters.spark.driver.moved_state import export_state
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.topology import Topology, TopologyBuilder
from tests.adapters.spark.running import Workspace, updates

pytestmark = pytest.mark.spark

ASSIGNED = [0, 1, 1, 0]


def _counted() -> Topology:
    builder = TopologyBuilder()
    counts = builder.stream("lines", key=str, value=str).group_by_key().count(store="counts").to_stream()
    counts.map_values(lambda count: -count, value=int).group_by(lambda _key, _count: "all", key=str, name="all").count(
        store="all-counts"
    ).to_stream().to("sums")
    counts.to("counts")
    return builder.build()


def _lines(counts: Sequence[int]) -> list[SinkRecord]:
    """Return so many lines for each partition, each with a key of its own."""
    return [
        SinkRecord("lines", b"k%d" % partition, b'"line"', 5, (), partition)
        for partition, count in enumerate(counts)
        for _ in range(count)
    ]


def _counts(workspace: Workspace, topic: str) -> dict[bytes | None, int]:
    return {key: all_[-1][1] for key, all_ in updates(workspace.records(topic)).items()}


def test_tasks_are_assigned_by_the_records_of_the_log_and_keep_their_state(tmp_path: Path, spark: SparkSession) -> None:
    workspace, topology = Workspace(tmp_path), _counted()
    workspace.append("lines", len(ASSIGNED), _lines([9, 5, 4, 1]))
    workspace.engine(topology, spark, max_batch_records=8).run_available_now()
    workspace.append("lines", len(ASSIGNED), _lines([1, 20, 1, 30]))
    workspace.engine(topology, spark, max_batch_records=20).run_available_now()
    assert _counts(workspace, "counts") == {b"k0": 10, b"k1": 25, b"k2": 5, b"k3": 31}
    assert _counts(workspace, "sums") == {b"all": 71}
    identity = checkpoint.stored_identity(workspace.checkpoint)
    assert identity is not None
    assert (identity.groups, identity.assigned) == (2, ASSIGNED)
    exported = export_state(spark, workspace.checkpoint, topology)
    assert sorted(task.task for task in exported.tasks if "lines" in task.topics) == [0, 1, 2, 3]
