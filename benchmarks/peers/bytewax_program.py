"""The workloads `latency` and `stock-stats` on Bytewax, where each window is one result, when it closes.

Runs in an environment of its own.
"""

import json
import os
import sys
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import bytewax.operators as op
import bytewax.operators.windowing as win
from bytewax.connectors.kafka import KafkaSink, KafkaSinkMessage, KafkaSource
from bytewax.dataflow import Dataflow
from bytewax.run import cli_main

_EPOCH = datetime(2020, 1, 1, tzinfo=UTC)
_EPOCH_MS = int(_EPOCH.timestamp() * 1_000)
_NO_PRICE = 1e308

_Total = tuple[float, int, float]
"""Least price, number and sum of prices."""


def flow(workload: str) -> Dataflow:
    """Return the dataflow of a workload."""
    environment = os.environ
    brokers = [environment["BOOTSTRAP_SERVERS"]]
    found = Dataflow(workload)
    source = KafkaSource(brokers, [environment["SOURCE"]], tail=workload == "latency", batch_size=1_000)
    messages = op.input("source", found, source)
    if workload == "latency":
        totals = op.stateful_map("total", op.map("trade", messages, _trade), _add)
        results = op.map("result", totals, _result)
    else:
        timed = op.map("trade", messages, _Marks(int(environment["RECORDS"])))
        clock = win.EventClock(lambda trade: trade[0], wait_for_system_duration=timedelta(seconds=10))
        windower = win.SlidingWindower(length=timedelta(seconds=5), offset=timedelta(seconds=1), align_to=_EPOCH)
        windows = win.fold_window("stats", timed, clock, windower, lambda: (_NO_PRICE, 0, 0.0), _fold, _merge)
        results = op.map("result", windows.down, _window_result)
    op.output("sink", results, KafkaSink(brokers, environment["SINK"], add_config={"linger.ms": "0"}))
    return found


def _trade(message: Any) -> tuple[str, float]:
    trade = json.loads(message.value)
    return trade["ticker"], trade["price"]


def _add(before: _Total | None, price: float) -> tuple[_Total, _Total]:
    total = _fold(before or (_NO_PRICE, 0, 0.0), (_EPOCH, price))
    return total, total


def _fold(total: _Total, trade: tuple[datetime, float]) -> _Total:
    price = trade[1]
    return min(total[0], price), total[1] + 1, total[2] + price


def _merge(one: _Total, other: _Total) -> _Total:
    return min(one[0], other[0]), one[1] + other[1], one[2] + other[2]


def _result(found: tuple[str, _Total], start: int = 0) -> KafkaSinkMessage[Any, Any]:
    ticker, (least, count, total) = found
    result = {"ticker": ticker, "start": start, "min": least, "count": count, "avg": total / count}
    return KafkaSinkMessage(ticker.encode(), json.dumps(result).encode())


def _window_result(found: tuple[str, tuple[int, _Total]]) -> KafkaSinkMessage[Any, Any]:
    ticker, (number, total) = found
    return _result((ticker, total), _EPOCH_MS + number * 1_000)


class _Marks:
    """Returns the ticker, the time and the price of a trade, and prints the marks of a run."""

    def __init__(self, records: int) -> None:
        self._records, self._seen = records, 0

    def __call__(self, message: Any) -> tuple[str, tuple[datetime, float]]:
        self._seen += 1
        if self._seen == 1:
            print(f"MARK first {time.time():.3f}", flush=True)
        if self._seen == self._records // 4:
            print(f"MARK quarter {time.time():.3f}", flush=True)
        ticker, price = _trade(message)
        return ticker, (datetime.fromtimestamp(message.timestamp[1] / 1_000, UTC), price)


if __name__ == "__main__":
    cli_main(flow(sys.argv[1]))
    print(f"MARK last {time.time():.3f}", flush=True)
