"""Probes and metrics."""

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.fixtures.query_servers import serving
from tests.fixtures.state_queries import example_queries


def metrics(client: httpx.Client) -> dict[tuple[str, tuple[str, ...]], float]:
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    families = text_string_to_metric_families(answer.text)
    return {(sample.name, tuple(sample.labels.values())): sample.value for family in families for sample in family.samples}


def test_a_server_is_ready_when_no_store_is_restoring() -> None:
    queries = example_queries()
    queries.refresh("stats", restoring=True)
    with serving(queries) as server, httpx.Client(base_url=server.url, trust_env=False) as client:
        restoring = client.get("/health/ready")
        assert (restoring.status_code, restoring.json()) == (503, {"status": "restoring", "restoring": ["stats"]})
        assert client.get("/health/live").status_code == 200
        assert client.get("/stores/stats/keys/IBM").json()["freshness"]["restoring"] is True
        queries.refresh("stats", restoring=False)
        assert client.get("/health/ready").json() == client.get("/health").json() == {"status": "ready", "restoring": []}


def test_metrics_have_the_sizes_and_the_freshness_of_stores() -> None:
    queries = example_queries()
    queries.refresh("stats", batch=None, stream_time=None, lag=12, restoring=True)
    with serving(queries) as server, httpx.Client(base_url=server.url, trust_env=False) as client:
        found = metrics(client)
    assert found["eddyline_store_entries", ("inventory",)] == 14
    assert found["eddyline_store_size_bytes", ("inventory",)] > 0
    assert found["eddyline_store_batch_time_seconds", ("inventory",)] == 1_700_000_000
    assert found["eddyline_store_lag_records", ("stats",)] == 12
    assert found["eddyline_store_restoring", ("stats",)] == 1
    assert ("eddyline_store_batch", ("stats",)) not in found


def test_requests_are_counted_by_route_and_never_by_key() -> None:
    with serving(example_queries()) as server, httpx.Client(base_url=server.url, trust_env=False) as client:
        for n in range(20):
            client.get(f"/stores/inventory/keys/item-{n:02}")
            client.get(f"/stores/nope-{n}/x-{n}")
            client.get(f"/nope/{n}")
            client.request(("POST", "PUT", "DELETE", "PATCH")[n % 4], "/stores")
        found = {key: value for key, value in metrics(client).items() if key[0] == "eddyline_server_requests_total"}
    assert found["eddyline_server_requests_total", ("GET", "/stores/inventory/keys/{key:path}", "200")] == 12
    assert found["eddyline_server_requests_total", ("GET", "/stores/inventory/keys/{key:path}", "404")] == 8
    assert found["eddyline_server_requests_total", ("other", "/stores", "405")] == 20
    assert len(found) == 4
