"""Changed flows over the checkpoints of earlier versions."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.spark.driver.checkpoint import CheckpointError
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.topology import Topology, TopologyBuilder
from eddyline.application.topology.windows import tumbling
from tests.adapters.spark.running import Workspace

pytestmark = pytest.mark.spark


@dataclass
class Stats:
    count: int = 0


@dataclass
class StatsWithTotal:
    count: int = 0
    total: int = 0


def count(stats: Stats, _amount: int) -> Stats:
    return Stats(stats.count + 1)


def add(stats: StatsWithTotal, amount: int) -> StatsWithTotal:
    return StatsWithTotal(stats.count + 1, stats.total + amount)


def first_version() -> Topology:
    builder = TopologyBuilder()
    builder.stream("amounts", key=str, value=int).group_by_key().aggregate(Stats, count, store="stats").to_stream().to("out")
    return builder.build()


def with_a_field_more() -> Topology:
    builder = TopologyBuilder()
    grouped = builder.stream("amounts", key=str, value=int).group_by_key()
    grouped.aggregate(StatsWithTotal, add, store="stats").to_stream().to("out")
    return builder.build()


def windowed() -> Topology:
    builder = TopologyBuilder()
    grouped = builder.stream("amounts", key=str, value=int).group_by_key().windowed_by(tumbling(1_000, grace=0))
    grouped.aggregate(Stats, count, store="stats").to_stream().to("out")
    return builder.build()


def amounts(*values: int) -> list[SinkRecord]:
    return [SinkRecord("amounts", b"a", str(value).encode(), value) for value in values]


def latest(workspace: Workspace) -> Mapping[bytes | None, Any]:
    return {record.key: json.loads(record.value or b"null") for record in workspace.records("out")}


def test_a_changed_flow_continues_with_the_state_or_is_refused(tmp_path: Path, spark: SparkSession) -> None:
    workspace = Workspace(tmp_path)
    workspace.append("amounts", 1, amounts(1, 2, 3))
    workspace.engine(first_version(), spark).run_available_now()
    assert latest(workspace) == {b"a": {"count": 3}}

    workspace.append("amounts", 1, amounts(4))
    engine = workspace.engine(windowed(), spark)
    refusal = "cannot continue: store 'stats' was a key-value store and is a window store now; give it another name"
    for refused in (engine.check_checkpoint, engine.check, engine.run_available_now):
        with pytest.raises(CheckpointError, match=refusal):
            refused()

    workspace.engine(with_a_field_more(), spark).run_available_now()
    assert latest(workspace) == {b"a": {"count": 4, "total": 4}}, "old entries have the default"
    identity = json.loads((workspace.checkpoint / "eddyline.json").read_text())
    assert identity["topology"]["stores"]["stats"]["schema_version"] == 2

    workspace.append("amounts", 1, amounts(5))
    with pytest.raises(CheckpointError, match="field 'total' is gone, so its values would be lost"):
        workspace.engine(first_version(), spark).run_available_now()
    del identity["topology"], identity["partitions"]
    (workspace.checkpoint / "eddyline.json").write_text(json.dumps(identity))
    workspace.engine(with_a_field_more(), spark).run_available_now()
    assert latest(workspace) == {b"a": {"count": 5, "total": 9}}, "the checkpoint of an older release starts"
