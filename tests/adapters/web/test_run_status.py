"""What the server beside a run says about it: GET /status and the metrics of the run."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.web.run_metrics import RunCollector
from eddyline.application.monitoring.run_monitor import RunMonitor
from eddyline.application.runtime.progress.report import Progress, RunReport
from tests.fixtures.example_runs import NOW_MS, after_one_batch, words_by_second
from tests.fixtures.query_servers import serving
from tests.fixtures.state_queries import example_queries


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    """A client of the server of a run after its first batch: four records, and one that cannot be decoded; one is left."""
    monitor = after_one_batch()
    with (
        monitor.running(),
        serving(example_queries(), run=monitor) as server,
        httpx.Client(base_url=server.url, trust_env=False) as opened,
    ):
        yield opened


@pytest.fixture(scope="module")
def status(client: httpx.Client) -> Any:
    return client.get("/status").raise_for_status().json()


@pytest.fixture(scope="module")
def metrics(client: httpx.Client) -> dict[str, float]:
    families = text_string_to_metric_families(client.get("/metrics").text)
    return {
        " ".join((sample.name, *sorted(value for name, value in sample.labels.items() if name != "application_id"))): sample.value
        for family in families
        for sample in family.samples
    }


def test_the_status_names_the_run_and_its_state(status: Any) -> None:
    names = ("applicationId", "flow", "engine", "state", "failure", "recordingLevel", "started", "time")
    assert [status[name] for name in names] == ["app", "words", "memory", "running", None, "debug", NOW_MS, NOW_MS]
    assert (status["lag"], status["streamTime"], status["stateEntries"], status["stateBytes"]) == (1, 5_200, 1, None)


def test_the_status_has_the_counts_of_the_run(status: Any) -> None:
    totals = status["totals"]
    assert totals["recordsIn"] == {"lines": 4}
    assert totals["recordsOut"] == {"counted": 2, "app-dead-letters": 1}
    assert {"node": "count", "reason": "late", "records": 1} in totals["dropped"]
    assert (totals["undecodable"], totals["late"], totals["transactions"]) == ({"lines": 1}, 1, {"committed": 1})


def test_the_status_has_nodes_tasks_partitions_and_batches(status: Any) -> None:
    nodes = {node["name"]: node for node in status["nodes"]}
    assert nodes["count"] == {
        "name": "count", "kind": "window-aggregate", "parents": ["counts-repartition-source"], "subTopology": 1, "processed": 3,
        "dropped": {"late": 1},
    }  # fmt: skip
    assert [(task["task"], task["streamTime"]) for task in status["tasks"]] == [("0_0", 5_200), ("1_0", 5_200)]
    assert status["partitions"] == [
        {"topic": "lines", "partition": 0, "offset": 5, "end": 6, "lag": 1, "lastAdvanced": NOW_MS}
    ]  # fmt: skip
    (batch,) = status["history"]
    assert (batch["records"], batch["written"], batch["dropped"], batch["lag"]) == (4, 3, 3, 1)


@pytest.mark.parametrize(("batches", "expected"), [(0, 0), (1, 1), (600, 1)])
def test_the_number_of_batches_is_a_parameter(client: httpx.Client, batches: int, expected: int) -> None:
    assert len(client.get("/status", params={"batches": batches}).json()["history"]) == expected


@pytest.mark.parametrize("batches", ["-1", "601", "x"])
def test_an_invalid_number_of_batches_is_refused(client: httpx.Client, batches: str) -> None:
    assert client.get("/status", params={"batches": batches}).status_code == 422


def test_the_status_is_described_in_openapi(client: httpx.Client) -> None:
    described = client.get("/openapi.json").json()
    answer = described["paths"]["/status"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert answer == {"$ref": "#/components/schemas/RunModel"}
    assert "recordsPerSecond" in described["components"]["schemas"]["RunModel"]["properties"]


def test_a_server_beside_a_run_says_where_its_status_is(server: Any) -> None:
    answer = httpx.get(f"{server.url}/status", trust_env=False)
    assert (answer.status_code, answer.json()["type"]) == (404, "urn:eddyline:problem:no-run")
    assert "'eddyline run --serve'" in answer.json()["detail"]
    assert "eddyline_run_info" not in httpx.get(f"{server.url}/metrics", trust_env=False).text


@pytest.mark.parametrize(
    ("sample", "value"),
    [
        ("eddyline_run_info memory words", 1),
        ("eddyline_run_state running", 1),
        ("eddyline_run_state error", 0),
        ("eddyline_run_start_time_seconds", NOW_MS / 1_000),
        ("eddyline_run_last_batch_time_seconds", NOW_MS / 1_000),
        ("eddyline_run_batch_duration_seconds_count", 1),
        ("eddyline_run_batch_duration_seconds_bucket +Inf", 1),
        ("eddyline_run_records_consumed_total lines", 4),
        ("eddyline_run_records_produced_total counted", 2),
        ("eddyline_run_records_undecodable_total lines", 1),
        ("eddyline_run_dropped_records_total no-word words", 1),
        ("eddyline_run_late_records_total", 1),
        ("eddyline_run_late_windows_total", 1),
        ("eddyline_run_dead_letters_total", 1),
        ("eddyline_run_sink_transactions_total committed", 1),
        ("eddyline_run_node_records_total count", 3),
        ("eddyline_run_lag_records 0 lines", 1),
        ("eddyline_run_last_advanced_time_seconds 0 lines", NOW_MS / 1_000),
        ("eddyline_run_stream_time_seconds 1_0", 5.2),
        ("eddyline_run_state_entries 1_0", 1),
    ],
)
def test_the_metrics_of_a_run_are_those_of_its_status(metrics: dict[str, float], sample: str, value: float) -> None:
    assert metrics[sample] == value


def test_a_flow_that_chooses_topics_by_record_does_not_make_labels_without_end() -> None:
    log, clock = MemoryEventLog(), MemoryClock(NOW_MS)
    monitor = RunMonitor(words_by_second(), log, clock, application_id="app", flow="words", engine="memory")
    for batch in range(3):
        report = RunReport()
        report.written.update({f"topic-{number}": 1 for number in range(batch * 600, (batch + 1) * 600)})
        monitor.on_progress(Progress(batch, 0, None, 0.1, report), RunReport())
    (produced,) = (family for family in RunCollector([monitor]).collect() if family.name == "eddyline_run_records_produced")
    topics = {sample.labels["topic"]: sample.value for sample in produced.samples}
    assert (len(topics), topics["topic-0"], topics["other"]) == (1_001, 1, 800)
