"""Changed flows over the checkpoints of earlier versions."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.spark.driver.checkpoint_lock import CheckpointError
from eddyline.adapters.spark.driver.moved_state import export_state, import_state, replace_state
from eddyline.application.operations.exported_state import ExportedStateError, read_state, write_state
from eddyline.application.operations.rescale import rescale
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.progress.store_changes import StoreChanges
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology import Topology, TopologyBuilder
from eddyline.application.topology.windows import tumbling
from tests.adapters.spark.running import Workspace, in_memory, updates, updates_in_memory

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


def totals_from_two_topics() -> Topology:
    builder = TopologyBuilder()
    streams = [builder.stream(topic, key=str, value=int) for topic in ("amounts", "more")]
    grouped = streams[0].merge(streams[1]).group_by_key()
    grouped.aggregate(StatsWithTotal, add, store="stats").to_stream().group_by(
        lambda _key, stats: stats.count % 2, key=int, name="by-parity"
    ).count(store="parities").to_stream().map_values(lambda number: number, value=int).to("parities")
    return builder.build()


@pytest.mark.slow
def test_state_moves_to_a_new_checkpoint_of_another_version(tmp_path: Path, spark: SparkSession) -> None:
    workspace = Workspace(tmp_path)
    workspace.append("amounts", 2, amounts(1, 2, 3))
    workspace.append("more", 2, [])
    workspace.engine(with_a_field_more(), spark).run_available_now()
    exported = export_state(spark, workspace.checkpoint, with_a_field_more())
    write_state(exported, tmp_path / "state")
    state = read_state(tmp_path / "state")
    assert state == exported
    with pytest.raises(ExportedStateError, match="store 'stats' was a key-value store and is a window store now"):
        import_state(tmp_path / "other", "app", windowed(), state)
    with pytest.raises(CheckpointError, match=r"there is a checkpoint in .* already"):
        import_state(workspace.checkpoint, "app", totals_from_two_topics(), state)

    workspace.append("amounts", 2, amounts(4))
    workspace.checkpoint = tmp_path / "other"
    import_state(workspace.checkpoint, "app", totals_from_two_topics(), state)
    workspace.append("more", 2, [SinkRecord("more", b"a", b"10", 5)])
    changes = StoreChanges()
    report = workspace.engine(totals_from_two_topics(), spark, store_changes=changes).run_available_now()
    assert report.records == 2
    (entry,) = changes.entries("stats")
    assert json.loads(entry.value or b"") == [{"count": 5, "total": 20}, 5]
    again = export_state(spark, workspace.checkpoint, totals_from_two_topics())
    assert {store for task in again.tasks for store, _, _ in task.entries} == {"stats", "parities", "$cells"}


def test_only_complete_checkpoints_are_exported(tmp_path: Path, spark: SparkSession) -> None:
    workspace = Workspace(tmp_path)
    workspace.append("amounts", 1, amounts(1))
    with pytest.raises(CheckpointError, match="there is no checkpoint in"):
        export_state(spark, workspace.checkpoint, first_version())
    engine = workspace.engine(first_version(), spark)
    engine.run_available_now()
    (workspace.checkpoint / "spark" / "commits" / "0").unlink()
    with pytest.raises(CheckpointError, match="has no complete batch"):
        export_state(spark, workspace.checkpoint, first_version())
    (workspace.checkpoint / "spark" / "commits" / "0").touch()
    (workspace.checkpoint / "spark" / "offsets" / "1").touch()
    with pytest.raises(CheckpointError, match=r"batch 1 of checkpoint .* is not complete"):
        export_state(spark, workspace.checkpoint, first_version())


@pytest.mark.slow
def test_a_checkpoint_that_has_gone_on_is_not_replaced_by_what_an_interrupted_replacement_has_left(
    tmp_path: Path, spark: SparkSession
) -> None:
    workspace = Workspace(tmp_path)
    workspace.append("amounts", 1, amounts(1))
    workspace.engine(first_version(), spark).run_available_now()
    old = export_state(spark, workspace.checkpoint, first_version())
    import_state(workspace.checkpoint.with_name("checkpoint.new"), "app", first_version(), old)
    workspace.append("amounts", 1, amounts(2))
    workspace.engine(first_version(), spark).run_available_now()
    found = export_state(spark, workspace.checkpoint, first_version())
    assert (dict(old.offsets), dict(found.offsets)) == ({"amounts": [1]}, {"amounts": [2]})


def test_a_rescaled_flow_continues_with_the_same_results(tmp_path: Path, spark: SparkSession) -> None:
    workspace, topology = Workspace(tmp_path / "with space"), find_flow("word-count").topology()
    lines = [SinkRecord("text-lines", None, f"word{number % 7} word{number % 3}".encode(), number) for number in range(60)]
    workspace.append("text-lines", 2, lines[:30])
    workspace.engine(topology, spark).run_available_now()
    exported = export_state(spark, workspace.checkpoint, topology)
    replace_state(workspace.checkpoint, "app", topology, rescale(exported, topology, JsonCodecs(), 5).state)
    assert [path.name for path in workspace.folder.iterdir() if "checkpoint" in path.name] == ["checkpoint"]
    workspace.append("text-lines", 2, lines[30:])
    assert workspace.engine(topology, spark).run_available_now().records == 30
    again = export_state(spark, workspace.checkpoint, topology)
    assert dict(again.partitions) == {"word-count-store-repartition": 5}
    assert len({task.task for task in again.tasks if task.entries}) > 2
    memory = in_memory(topology, "text-lines", lines, 1)
    assert {key: all_[-1][1] for key, all_ in updates(workspace.records("word-counts")).items()} == {
        key: all_[-1][1] for key, all_ in updates_in_memory(topology, memory, "word-counts").items()
    }
