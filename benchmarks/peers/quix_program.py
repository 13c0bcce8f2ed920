"""The workloads `latency` and `stock-stats` on Quix Streams, where every update of a window is a result.

Runs in an environment of its own.
"""

import os
import sys
import time
from datetime import timedelta
from typing import Any

from quixstreams import Application
from quixstreams.dataframe import StreamingDataFrame
from quixstreams.dataframe.windows import Count, Mean, Min

_NO_PRICE = 1e308


def main() -> None:
    """Run a workload: to the end of the input, or until it is killed if its latency is measured."""
    environment, workload = os.environ, sys.argv[1]
    application = Application(
        broker_address=environment["BOOTSTRAP_SERVERS"],
        consumer_group=environment["NAME"],
        auto_offset_reset="earliest",
        state_dir=environment["FOLDER"],
        processing_guarantee=environment.get("GUARANTEE", "at-least-once"),
        producer_extra_config={"linger.ms": 0} if workload == "latency" else {},
        loglevel="WARNING",
    )
    source = application.topic(environment["SOURCE"], value_deserializer="json", key_deserializer="str")
    sink = application.topic(environment["SINK"], value_serializer="json", key_serializer="str")
    trades = application.dataframe(source)
    if workload == "latency":
        results = trades.apply(_total, stateful=True)
    else:
        results = _windows(trades.update(_Marks(application, int(environment["RECORDS"]))))
    results.to_topic(sink)
    application.run()
    if workload != "latency":
        print(f"MARK last {time.time():.3f}", flush=True)


def _total(trade: dict[str, Any], state: Any) -> dict[str, Any]:
    least, count, total = state.get("total", (_NO_PRICE, 0, 0.0))
    least, count, total = min(least, trade["price"]), count + 1, total + trade["price"]
    state.set("total", (least, count, total))
    return {"ticker": trade["ticker"], "min": least, "count": count, "avg": total / count}


def _windows(trades: StreamingDataFrame) -> StreamingDataFrame:
    windows = trades.hopping_window(timedelta(seconds=5), timedelta(seconds=1))
    return windows.agg(min=Min("price"), count=Count(), avg=Mean("price")).current().apply(_with_ticker, metadata=True)


def _with_ticker(window: dict[str, Any], key: str, _timestamp: int, _headers: Any) -> dict[str, Any]:
    return {"ticker": key, **window}


class _Marks:
    """Prints the marks of a run, and stops it after the last record."""

    def __init__(self, application: Application, records: int) -> None:
        self._application, self._records, self._seen = application, records, 0

    def __call__(self, _trade: dict[str, Any]) -> None:
        self._seen += 1
        if self._seen == 1:
            print(f"MARK first {time.time():.3f}", flush=True)
        if self._seen == self._records // 4:
            print(f"MARK quarter {time.time():.3f}", flush=True)
        if self._seen == self._records:
            self._application.stop()


if __name__ == "__main__":
    main()
