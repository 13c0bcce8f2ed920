"""A loop written by hand: what one Python process can do without a framework, and without surviving a crash.

For `stock-stats`, trades are decoded by msgspec and added to panes of one second; once a second, the windows that have changed
are put together and written. For `trade-stats`, they are added to the total of their ticker, and each update is written. Runs in
an environment of its own.
"""

import json
import os
import sys
import time
from typing import Any

import msgspec
from confluent_kafka import Consumer, Producer

_SECOND, _WINDOW, _KEPT = 1_000, 5_000, 20_000
_BATCH = 10_000
_NO_PRICE = 1e308


class _Trade(msgspec.Struct, gc=False):
    ticker: str
    price: float


class _Panes:
    """Least price, number and sum of prices by ticker and second."""

    def __init__(self) -> None:
        self._panes: dict[tuple[str, int], list[Any]] = {}
        self._changed: set[tuple[str, int]] = set()

    def add(self, ticker: str, price: float, timestamp: int) -> None:
        key = (ticker, timestamp - timestamp % _SECOND)
        pane = self._panes.get(key)
        if pane is None:
            self._panes[key] = [price, 1, price]
        else:
            pane[0] = min(pane[0], price)
            pane[1] += 1
            pane[2] += price
        self._changed.add(key)

    def take_windows(self) -> list[dict[str, Any]]:
        """Return the windows that have changed since the last call, and forget panes that are long over."""
        starts = {(ticker, second - age) for ticker, second in self._changed for age in range(0, _WINDOW, _SECOND)}
        windows = [self._window(ticker, start) for ticker, start in starts]
        newest: dict[str, int] = {}
        for ticker, second in self._changed:
            newest[ticker] = max(newest.get(ticker, 0), second)
        self._panes = {key: pane for key, pane in self._panes.items() if key[1] >= newest.get(key[0], 0) - _KEPT}
        self._changed.clear()
        return windows

    def _window(self, ticker: str, start: int) -> dict[str, Any]:
        least, count, total = _NO_PRICE, 0, 0.0
        for second in range(start, start + _WINDOW, _SECOND):
            pane = self._panes.get((ticker, second))
            if pane is not None:
                least = min(least, pane[0])
                count += pane[1]
                total += pane[2]
        return {"ticker": ticker, "start": start, "min": least, "count": count, "avg": total / count}


class _Total(msgspec.Struct, gc=False):
    ticker: str
    min: float
    count: int
    sum: float
    avg: float = 0.0


class _Totals:
    """Totals by ticker without windows, whose updates are written at once."""

    def __init__(self, producer: Producer, sink: str) -> None:
        self._totals: dict[str, _Total] = {}
        self._producer, self._sink, self._encode = producer, sink, msgspec.json.Encoder().encode

    def add(self, ticker: str, price: float, _timestamp: int) -> None:
        found = self._totals.get(ticker)
        if found is None:
            found = self._totals[ticker] = _Total(ticker, price, 0, 0.0)
        found.min = min(found.min, price)
        found.count += 1
        found.sum += price
        found.avg = found.sum / found.count
        self._producer.produce(self._sink, self._encode(found), ticker)

    def take_windows(self) -> list[dict[str, Any]]:
        """Return nothing: there are no windows."""
        return []


def main() -> None:
    """Run to the end of the input."""
    environment, workload = os.environ, sys.argv[1]
    servers, sink, records = environment["BOOTSTRAP_SERVERS"], environment["SINK"], int(environment["RECORDS"])
    consumer = Consumer(
        {
            "bootstrap.servers": servers,
            "group.id": environment["NAME"],
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "fetch.message.max.bytes": 4_000_000,
            "queued.min.messages": 200_000,
        }
    )
    producer = Producer(
        {
            "bootstrap.servers": servers,
            "linger.ms": 20,
            "compression.type": "lz4",
            "queue.buffering.max.messages": 1_000_000,
        }
    )
    consumer.subscribe([environment["SOURCE"]])
    decode = msgspec.json.Decoder(_Trade).decode
    panes = _Totals(producer, sink) if workload == "trade-stats" else _Panes()
    done, written, first, quarter = 0, time.time(), False, False
    while done < records:
        messages = consumer.consume(_BATCH, 0.2)
        if messages and not first:
            first = True
            print(f"MARK first {time.time():.3f}", flush=True)
        for message in messages:
            trade = decode(message.value() or b"")
            panes.add(trade.ticker, trade.price, message.timestamp()[1])
        producer.poll(0)
        done += len(messages)
        if done >= records // 4 and not quarter:
            quarter = True
            print(f"MARK quarter {time.time():.3f}", flush=True)
        if done >= records or time.time() - written >= 1:
            for window in panes.take_windows():
                producer.produce(sink, json.dumps(window), f"{window['ticker']}@{window['start']}")
                producer.poll(0)
            written = time.time()
    producer.flush()
    print(f"MARK last {time.time():.3f}", flush=True)
    consumer.close()


if __name__ == "__main__":
    main()
