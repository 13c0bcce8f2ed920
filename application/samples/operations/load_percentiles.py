"""The flow load-percentiles: percentiles of the load of each service, and services that are overloaded."""

from typing import Any

from eddyline import TopologyBuilder, Windowed, on_window_close, tumbling
from eddyline import aggregations as agg
from eddyline.domain.operations import LoadPercentiles, Overload, ServiceLoad


def load_percentiles(
    builder: TopologyBuilder, *, window_ms: int = 10_000, grace_ms: int = 0, limit: float = 90.0, error: float = 0.01
) -> None:
    """Compute the median, the 99th percentile and the maximum of the load per service and window.

    Input: `service-loads`, keyed by host: the load in percent of what the host can do. Output: `load-percentiles`, one for each
    service and tumbling window of `window_ms`, when the window closes, and `overloads`, the services whose 99th percentile is
    above `limit`. Late loads count for `grace_ms`. Percentiles have a relative error of at most `error`.
    """
    percentiles = agg.combine(
        LoadPercentiles,
        measurements=agg.count(),
        median=agg.percentile(_load, 0.5, error=error),
        p99=agg.percentile(_load, 0.99, error=error),
        highest=agg.max(_load),
    )

    def overload(windowed: Windowed[str], found: LoadPercentiles) -> tuple[str, Any]:
        return windowed.key, found.overload(windowed.key, windowed.window.start, limit)

    by_window = (
        builder.stream("service-loads", key=str, value=ServiceLoad)
        .filter(_is_load, drop_reason="null-value")
        .group_by(_service, name="by-service")
        .windowed_by(tumbling(window_ms, grace=grace_ms), emit_strategy=on_window_close())
        .aggregate(percentiles, store="load-windows")
        .to_stream()
    )
    by_window.to("load-percentiles")
    by_window.map(overload, key=str, value=Overload).filter(_is_overload).to("overloads")


def _is_load(_host: str, load: ServiceLoad | None) -> bool:
    return load is not None


def _service(_host: str, load: ServiceLoad) -> str:
    return load.service


def _load(load: ServiceLoad) -> float:
    return load.load


def _is_overload(_service: str, overload: Overload | None) -> bool:
    return overload is not None
