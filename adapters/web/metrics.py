"""Metrics for Prometheus: the stores and the requests; labels are stores, routes, methods and status codes, never keys."""

import time
from collections.abc import Callable, Iterator, Sequence

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from eddyline.adapters.web.run_metrics import RunCollector
from eddyline.application.monitoring.run_monitor import RunMonitor
from eddyline.application.queries.answers import StoreInfo
from eddyline.application.queries.state_queries import StateQueries

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_MILLISECONDS = 1_000
_GAUGES: dict[str, tuple[str, Callable[[StoreInfo], float | None]]] = {
    "entries": ("Entries of a store.", lambda store: store.entries),
    "size_bytes": ("Size of the encoded keys and values of a store.", lambda store: store.size_bytes),
    "lag_records": ("Records in the source topics that the state does not include yet.", lambda store: store.freshness.lag),
    "batch": ("The last batch that the state includes.", lambda store: store.freshness.batch),
    "batch_time_seconds": ("Wall-clock time of this batch.", lambda store: _seconds(store.freshness.batch_time)),
    "stream_time_seconds": ("The greatest timestamp of records.", lambda store: _seconds(store.freshness.stream_time)),
    "records_per_second": ("Records that the flow reads per second.", lambda store: store.records_per_second),
    "restoring": ("1 while the state is being read from the changelog.", lambda store: int(store.freshness.restoring)),
}


class StoreCollector(Collector):
    """The sizes and the freshness of the stores, read when Prometheus asks."""

    def __init__(self, queries: StateQueries) -> None:
        self._queries = queries

    def describe(self) -> Iterator[Metric]:
        """Yield the metrics without values."""
        for name, (documentation, _) in _GAUGES.items():
            yield GaugeMetricFamily(f"eddyline_store_{name}", documentation, labels=["store"])

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics; a value that is not known yet is left out."""
        stores: list[StoreInfo] = list(self._queries.stores())
        for name, (documentation, value_of) in _GAUGES.items():
            family = GaugeMetricFamily(f"eddyline_store_{name}", documentation, labels=["store"])
            for store in stores:
                value = value_of(store)
                if value is not None:
                    family.add_metric([store.name], value)
            yield family


class ServerMetrics:
    """The registry of one server, with the metrics of the runs beside which it answers, if there are any."""

    def __init__(self, queries: StateQueries, runs: Sequence[RunMonitor] = ()) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(StoreCollector(queries))
        if runs:
            self._registry.register(RunCollector(runs))
        labels = ["method", "route", "status"]
        self._requests = Counter("eddyline_server_requests", "Requests.", labels, registry=self._registry)
        self._seconds = Histogram(
            "eddyline_server_request_seconds", "Time until the answer has been sent.", ["route"], registry=self._registry
        )

    def text(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        return generate_latest(self._registry)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(method if method in {"GET", "HEAD"} else "other", route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)


class MetricsMiddleware:
    """Counts requests by route."""

    def __init__(self, app: ASGIApp, metrics: ServerMetrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request and count it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, started = 500, time.monotonic()

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            route = getattr(scope.get("route"), "path", "none")
            self._metrics.count(scope["method"], route, status, time.monotonic() - started)


def _seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else milliseconds / _MILLISECONDS
