"""The inputs of results that were written by Spark, found in the batches of its checkpoint."""

import json
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.driver.recorded_batches import recorded_batches
from eddyline.application.lineage.lineage import Lineage
from eddyline.application.lineage.search import Source
from eddyline.application.ports.event_log import LogRecord, Position
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.samples.catalogue import FLOWS
from tests.adapters.spark.running import Workspace, trades

pytestmark = pytest.mark.spark


def test_why_a_window_has_this_result(spark: SparkSession, tmp_path: Path) -> None:
    flow = next(flow for flow in FLOWS if flow.name == "stock-stats")
    topology, workspace = flow.topology(), Workspace(tmp_path)
    records = trades(600)
    for start in (0, 200, 400):  # several batches in each run
        workspace.append("trades", 2, records[start : start + 200])
        workspace.engine(topology, spark, emit="latest", max_batch_records=120).run_available_now()
    known = recorded_batches(workspace.checkpoint)
    assert len(known) > len((0, 200, 400))

    ports = RunPorts(workspace.log, workspace.sink, JsonCodecs(), MemoryStateStores())
    options = RunOptions(application_id="app", emit="latest", max_batch_records=120)
    lineage = Lineage(Source(topology, ports, options, known_batches=lambda: known))
    results = Random(0).sample(workspace.records("stock-stats"), 8)
    for result in results:
        found = lineage.explain_output(Position(*result[:3]))
        assert (found.found, found.verified, found.notes) == (True, True, ()), (result, found.notes)
        assert len(found.inputs) == json.loads(result.value or b"{}")["countTrades"]
        assert all(_is_in_window(record.key, record.timestamp, result) for record in found.inputs)


def _is_in_window(key: str, timestamp: int, result: LogRecord) -> bool:
    windowed = json.loads(result.key or b"{}")
    window = windowed["window"]
    return bool(key == windowed["key"] and window["start"] <= timestamp < window["end"])
