"""The dashboard for Grafana is valid, and asks for metrics and labels that the server of a run has."""

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families

from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.monitoring.run_monitor import RunMonitor
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.progress.report import Progress, RunReport
from eddyline.application.topology import Topology, TopologyBuilder, tumbling
from tests.adapters.memory.running import fill, run_of
from tests.fixtures.query_servers import serving
from tests.fixtures.state_queries import example_queries

ROOT = Path(__file__).parents[2]
DASHBOARD = json.loads((ROOT / "deploy/grafana/eddyline.json").read_text())
SCHEMA = json.loads((ROOT / "tests/schemas/grafana-dashboard.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
TARGETS = [target for panel in PANELS for target in panel["targets"]]
METRIC = re.compile(r"\beddyline_[a-z_]+")


def problems(dashboard: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(dashboard)]


def numbers() -> Topology:
    """Return a topology with whatever a metric may count."""
    builder = TopologyBuilder()
    lines = builder.stream("lines", key=str, value=str).map_values(_number, name="to-number")
    lines.group_by_key().windowed_by(tumbling(1_000, grace=0)).count(store="counts", name="count").to_stream().to("counted")
    return builder.build()


def _number(text: str) -> int:
    return int(text)


@pytest.fixture(scope="module")
def families() -> dict[str, Metric]:
    """The metrics of a run that has dropped, skipped and failed to process records, by name."""
    log = MemoryEventLog()
    fill(log, "lines", (b"1", 5_000, 0), (b"x", 5_100, 1), (b"2", 1_000, 2), (b"\xff", 6_000, 3))
    monitor = RunMonitor(numbers(), log, MemoryClock(1_000), application_id="app", flow="f", engine="memory")

    def with_skipped(progress: Progress, report: RunReport) -> None:
        report.add_skipped({TopicPartition("lines", 0): 3})
        monitor.on_progress(progress, report)

    run_of(numbers(), log, processing_exception_handler="dead-letter").run_available_now(with_skipped)
    with serving(example_queries(), run=monitor) as server, httpx.Client(base_url=server.url, trust_env=False) as client:
        client.get("/stores")
        text = client.get("/metrics").text
    declared = (line.split()[2:] for line in text.splitlines() if line.startswith("# TYPE"))
    without_samples = {name: Metric(name, "", kind) for name, kind in declared}
    return without_samples | {sample.name: family for family in text_string_to_metric_families(text) for sample in family.samples}


def labels_of(family: Metric) -> set[str]:
    return {label for sample in family.samples for label in sample.labels}


def test_the_dashboard_has_the_schema_of_grafana() -> None:
    assert problems(DASHBOARD) == []


def test_the_schema_finds_mistakes() -> None:
    panel = {**PANELS[0], "targets": [{**PANELS[0]["targets"][0], "expression": "up"}]}
    assert "'expression' was unexpected" in problems({**DASHBOARD, "panels": [panel]})[0]


def test_panels_have_ids_of_their_own_and_do_not_overlap() -> None:
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)
    for one, other in combinations((panel["gridPos"] for panel in DASHBOARD["panels"]), 2):
        apart = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        assert apart or one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target["expr"])
def test_every_metric_of_a_query_is_one_of_a_run(families: dict[str, Metric], target: dict[str, str]) -> None:
    names = METRIC.findall(target["expr"])
    assert names
    assert [name for name in names if name not in families] == []
    assert 'instance=~"$instance"' in target["expr"]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target["expr"])
def test_every_label_of_a_query_is_one_of_its_metric(families: dict[str, Metric], target: dict[str, str]) -> None:
    (name,) = METRIC.findall(target["expr"])
    by = {label.strip() for found in re.findall(r"\bby \(([^)]*)\)", target["expr"]) for label in found.split(",")}
    shown = set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
    if families[name].samples:
        assert by | shown <= labels_of(families[name])
    assert not by or shown <= by


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target["expr"])
def test_counters_are_queried_as_rates_and_gauges_are_not(target: dict[str, str]) -> None:
    (name,) = METRIC.findall(target["expr"])
    counted = name.endswith(("_total", "_bucket"))
    assert (re.search(rf"\b(rate|increase)\({name}", target["expr"]) is not None) == counted


def test_the_variables_ask_for_a_metric_of_a_server(families: dict[str, Metric]) -> None:
    variable = next(found for found in DASHBOARD["templating"]["list"] if found["type"] == "query")
    (name,) = METRIC.findall(variable["definition"])
    assert name in families
