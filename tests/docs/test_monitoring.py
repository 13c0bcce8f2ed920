"""The table of metrics in the guide has those of a run and its server, with their labels, and no others."""

import re
from pathlib import Path

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.fixtures.example_runs import after_one_batch
from tests.fixtures.query_servers import serving
from tests.fixtures.state_queries import example_queries

GUIDE = (Path(__file__).parents[2] / "docs/how-to/monitoring.md").read_text()
_OF_ALL_FLOWS = {"application_id"}
ROW = re.compile(r"^\| `(eddyline_\w+)` \|([^|]*)\|", re.MULTILINE)


def test_the_table_of_metrics_is_complete() -> None:
    listed = {name: set(re.findall(r"`(\w+)`", labels)) for name, labels in ROW.findall(GUIDE)}
    queries = example_queries()
    queries.measure(records_per_second=5.0)
    monitor = after_one_batch()
    with serving(queries, run=monitor) as server, httpx.Client(base_url=server.url, trust_env=False) as client:
        client.get("/stores")
        text = client.get("/metrics").text
    types = {name: kind for _, _, name, kind in (line.split() for line in text.splitlines() if line.startswith("# TYPE"))}
    assert {name for name in types if not name.endswith("_created")} == set(listed)
    labels = {
        sample.name.removesuffix("_bucket"): set(sample.labels) - _OF_ALL_FLOWS
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if not sample.name.endswith(("_sum", "_count", "_created"))
    }
    assert {name: found for name, found in labels.items() if name in listed} == {
        name: listed[name] for name in labels if name in listed
    }
    assert len(labels) > len(listed) - 5
